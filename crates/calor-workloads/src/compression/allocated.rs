//! What malloc has handed out in this process: how the memory of libraries is known that tell nothing of it themselves.

use std::hint::black_box;

/// By how many bytes making something grew the heap, while it is there: the middle of three tries, since other threads may
/// allocate meanwhile. `None` where the system's allocator does not tell.
pub(crate) fn growth<T>(mut make: impl FnMut() -> T) -> Option<u64> {
    let mut grown = [0; 3];
    for tried in &mut grown {
        let before = in_use()?;
        // Memory that nobody looks at need not be there.
        let made = black_box(make());
        let after = in_use()?;
        drop(made);
        *tried = after.wrapping_sub(before);
    }
    grown.sort_unstable();
    u64::try_from(grown[1]).ok()
}

/// Bytes in use, wrapped around at 4 GiB: only differences mean something.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "nothing but the C library knows")]
fn in_use() -> Option<i32> {
    // The older of two such functions, because libraries from before 2021 have only that one.
    // SAFETY: it takes nothing and returns a plain structure; the locks it needs are its own.
    let heap = unsafe { libc::mallinfo() };
    Some(heap.uordblks.wrapping_add(heap.hblkhd))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn in_use() -> Option<i32> {
    None
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_counts_and_what_is_not_does_not() {
        // Other tests may run beside this one, and allocate: once in a while nobody does.
        let is_seen = |bytes: std::ops::Range<u64>, is_kept: bool| {
            let make = || Some(vec![1_u8; 300_000]).filter(|_| is_kept);
            (0..200).any(|_| growth(make).is_some_and(|grown| bytes.contains(&grown)))
        };
        assert!(is_seen(300_000..305_000, true));
        assert!(is_seen(0..5_000, false));
    }
}
