//! A kernel that takes a fifth longer than it has to, in builds with the feature `slow-kernel` and in no other: what a comparison
//! of two builds has to find and to name.

/// Does the work of the kernel. In such a build the processor is then kept busy for a fifth of the CPU time that it took: doing a
/// fifth of the work again would find its weights in the nearest cache, and take less than that.
#[cfg(feature = "slow-kernel")]
pub(super) fn slowed<T>(work: impl FnOnce() -> T) -> T {
    use crate::clock::thread_nanos;
    let begin = thread_nanos();
    let result = work();
    let fifth = std::time::Duration::from_nanos(thread_nanos().saturating_sub(begin) / 5);
    let begin = std::time::Instant::now();
    while begin.elapsed() < fifth {
        std::hint::spin_loop();
    }
    result
}

/// Does the work of the kernel.
#[cfg(not(feature = "slow-kernel"))]
#[inline(always)]
pub(super) fn slowed<T>(work: impl FnOnce() -> T) -> T {
    work()
}
