//! Another process's memory, read without stopping it.

#![expect(unsafe_code, reason = "process_vm_readv has no safe wrapper")]

/// Reads from `address` on into `buffer`; how many bytes were to be had. Any thread stands for its process, the first
/// one only as long as it has not ended before the others.
pub(crate) fn read_memory(tid: i32, address: u64, buffer: &mut [u8]) -> usize {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // Addresses come from memory that may have been changed while it was read, so any number is asked for now and then.
    let Some(start) = usize::try_from(address).ok().filter(|_| address < KERNEL) else { return 0 };
    // One piece per page: the call stops at the first piece it cannot read, and a hole further up shall not
    // hide what lies below it.
    let mut pieces = Vec::with_capacity(buffer.len() / PAGE + 2);
    let (mut at, end) = (start, start.saturating_add(buffer.len()));
    while at < end {
        let next = page_end(at).min(end);
        pieces.push(libc::iovec { iov_base: at as *mut libc::c_void, iov_len: next - at });
        at = next;
    }
    let count = libc::c_ulong::try_from(pieces.len()).unwrap_or(0);
    // SAFETY: the local piece is our buffer; the remote addresses are only looked at in the other process.
    let read = unsafe { libc::process_vm_readv(tid, &raw const local, 1, pieces.as_ptr(), count, 0) };
    usize::try_from(read).unwrap_or(0)
}

/// A place in another process's memory, and where its bytes go.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) address: u64,
    pub(crate) buffer: &'a mut [u8],
}

/// Reads several pieces with one call, which costs little more than reading one; how many of them, from the first
/// on, came whole. What lies behind one that cannot be read is not looked at.
pub(crate) fn read_pieces(tid: i32, pieces: &mut [Piece<'_>]) -> usize {
    let mut n_whole = 0;
    for batch in pieces.chunks_mut(MOST_PIECES) {
        let n_read = read_batch(tid, batch);
        n_whole += n_read;
        if n_read < batch.len() {
            break;
        }
    }
    n_whole
}

fn read_batch(tid: i32, pieces: &mut [Piece<'_>]) -> usize {
    let mut local = Vec::with_capacity(pieces.len());
    let mut remote = Vec::with_capacity(pieces.len());
    for piece in &mut *pieces {
        let Ok(start) = usize::try_from(piece.address) else { break };
        let iov_len = piece.buffer.len();
        local.push(libc::iovec { iov_base: piece.buffer.as_mut_ptr().cast(), iov_len });
        remote.push(libc::iovec { iov_base: start as *mut libc::c_void, iov_len });
    }
    let count = libc::c_ulong::try_from(local.len()).unwrap_or(0);
    // SAFETY: the local pieces are our buffers; the remote addresses are only looked at in the other process.
    let read = unsafe { libc::process_vm_readv(tid, local.as_ptr(), count, remote.as_ptr(), count, 0) };
    let mut left = usize::try_from(read).unwrap_or(0);
    let is_whole = |piece: &&Piece<'_>| match left.checked_sub(piece.buffer.len()) {
        Some(rest) => {
            left = rest;
            // Empty pieces behind a failure are not worth telling from read ones.
            read > 0
        }
        None => false,
    };
    pieces.iter().take_while(is_whole).count()
}

/// Where the page of an address ends; of the last one the largest number there is, as its end is none.
pub(crate) fn page_end(address: usize) -> usize {
    (address | (PAGE - 1)).saturating_add(1)
}

const PAGE: usize = 4096;
/// No program has memory from here on, however many levels its tables of pages have.
const KERNEL: u64 = 1 << 56;
/// What the kernel takes in one call, `UIO_MAXIOV`.
const MOST_PIECES: usize = 1024;

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

    #[test]
    fn addresses_that_no_program_has_yield_nothing_up_to_the_very_last() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        for before_end in [0, 1, 7, 4095, 4096, 4099, 70_000, u64::MAX >> 8] {
            for n_bytes in [8, 64 << 10] {
                assert_eq!(read_memory(pid, u64::MAX - before_end, &mut vec![0; n_bytes]), 0, "{before_end}");
            }
        }
        assert_eq!([page_end(0), page_end(4095), page_end(4096)], [4096, 4096, 8192]);
        assert_eq!([page_end(usize::MAX - 7), page_end(usize::MAX)], [usize::MAX; 2]);
    }

    #[test]
    fn pieces_are_read_up_to_the_first_that_is_not_there() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        let (here, there) = ([1_u8, 2, 3, 4], [5_u8; 9000]);
        let (mut first, mut second, mut third, mut fourth) = ([0; 3], [0; 9000], [0; 8], [0; 4]);
        let mut pieces = [
            Piece { address: here.as_ptr() as u64 + 1, buffer: &mut first },
            Piece { address: there.as_ptr() as u64, buffer: &mut second },
            Piece { address: 16, buffer: &mut third },
            Piece { address: here.as_ptr() as u64, buffer: &mut fourth },
        ];
        assert_eq!(read_pieces(pid, &mut pieces), 2);
        assert_eq!((first, second, fourth), ([2, 3, 4], there, [0; 4]));
    }

    #[test]
    fn more_pieces_than_the_kernel_takes_at_once_are_read() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        let bytes: Vec<u8> = (0..3000_u32).map(|n| n as u8).collect();
        let mut copy = vec![0; bytes.len()];
        let mut pieces: Vec<Piece<'_>> = copy
            .chunks_mut(1)
            .enumerate()
            .map(|(at, buffer)| Piece { address: bytes.as_ptr() as u64 + at as u64, buffer })
            .collect();
        assert_eq!(read_pieces(pid, &mut pieces), 3000);
        assert_eq!(copy, bytes);
    }
}
