//! Where objects are read from: another process as a rule, and made-up bytes in tests.

use super::fields::Fields;
use crate::process::{Piece, read_memory, read_pieces};

/// Memory that can be read by address.
pub(crate) trait Memory {
    /// Reads from `address` on into `buffer`; how many bytes were to be had.
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize;

    /// Reads several pieces, at once where that can be done; how many of them, from the first on, came whole.
    fn read_many(&self, pieces: &mut [Piece<'_>]) -> usize {
        let came_whole = |piece: &mut Piece<'_>| self.read(piece.address, piece.buffer) == piece.buffer.len();
        pieces.iter_mut().map(came_whole).take_while(|came_whole| *came_whole).count()
    }

    /// The pointer at `address`, which may be null.
    fn pointer(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.read(address, &mut bytes) == bytes.len()).then(|| Fields(&bytes).word(0))?
    }

    /// The C `int` at `address`.
    fn int(&self, address: u64) -> Option<i32> {
        let mut bytes = [0; 4];
        (self.read(address, &mut bytes) == bytes.len()).then(|| Fields(&bytes).int(0))?
    }
}

/// The memory of a process, which any of its threads stands for as long as it has not ended: the first one mostly stays
/// to the end, but need not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessMemory {
    pid: i32,
    tid: i32,
}

impl ProcessMemory {
    /// Of a process, by its first thread or else another one of it.
    pub(crate) fn of(pid: i32, tid: i32) -> Self {
        Self { pid, tid }
    }

    /// By the first thread, and again by the other one where that yields nothing.
    fn by_either(&self, mut read: impl FnMut(i32) -> usize) -> usize {
        match read(self.pid) {
            0 if self.tid != self.pid => read(self.tid),
            n_read => n_read,
        }
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        self.by_either(|tid| read_memory(tid, address, buffer))
    }

    fn read_many(&self, pieces: &mut [Piece<'_>]) -> usize {
        self.by_either(|tid| read_pieces(tid, pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_by_the_one_of_its_threads_that_is_there() {
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        let (word, none) = (0x1234_5678_u64, i32::MAX);
        let address = std::ptr::from_ref(&word) as u64;
        for memory in [ProcessMemory::of(own, none), ProcessMemory::of(none, own)] {
            assert_eq!(memory.pointer(address), Some(word));
        }
        assert_eq!(ProcessMemory::of(none, none).pointer(address), None);
    }
}
