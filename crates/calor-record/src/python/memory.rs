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

/// The memory of a process, which any of its threads stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessMemory {
    tid: i32,
}

impl ProcessMemory {
    pub(crate) fn of(tid: i32) -> Self {
        Self { tid }
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        read_memory(self.tid, address, buffer)
    }

    fn read_many(&self, pieces: &mut [Piece<'_>]) -> usize {
        read_pieces(self.tid, pieces)
    }
}
