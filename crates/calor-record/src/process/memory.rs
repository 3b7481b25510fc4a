//! Another process's memory, read without stopping it.

#![expect(unsafe_code, reason = "process_vm_readv has no safe wrapper")]

/// Reads from `address` on into `buffer`; how many bytes were to be had. Any thread stands for its process, the first
/// one only as long as it has not ended before the others.
pub(crate) fn read_memory(tid: i32, address: u64, buffer: &mut [u8]) -> usize {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let Ok(start) = usize::try_from(address) else { return 0 };
    // One piece per page: the call stops at the first piece it cannot read, and a hole further up shall not
    // hide what lies below it.
    let mut pieces = Vec::with_capacity(buffer.len() / PAGE + 2);
    let (mut at, end) = (start, start.saturating_add(buffer.len()));
    while at < end {
        let next = ((at / PAGE + 1) * PAGE).min(end);
        pieces.push(libc::iovec { iov_base: at as *mut libc::c_void, iov_len: next - at });
        at = next;
    }
    let count = libc::c_ulong::try_from(pieces.len()).unwrap_or(0);
    // SAFETY: the local piece is our buffer; the remote addresses are only looked at in the other process.
    let read = unsafe { libc::process_vm_readv(tid, &raw const local, 1, pieces.as_ptr(), count, 0) };
    usize::try_from(read).unwrap_or(0)
}

const PAGE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_memory_reads_back() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        let bytes: Vec<u8> = (0..20_000_u32).map(|n| n as u8).collect();
        let mut copy = vec![0; bytes.len()];
        let read = read_memory(pid, bytes.as_ptr() as u64, &mut copy);
        assert_eq!((read, copy), (bytes.len(), bytes));
    }

    #[test]
    fn what_is_not_mapped_yields_nothing() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        assert_eq!(read_memory(pid, 16, &mut [0; 64]), 0);
    }
}
