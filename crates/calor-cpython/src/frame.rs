//! A frame as it was copied from the interpreter's memory, made sense of.

use crate::fields::Fields;
use crate::{Entry, Layout, Position};

/// A frame of the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameRecord {
    /// Address of its code object. In a shim it is of no function.
    pub code: u64,
    /// Address of the caller's frame; 0 in the outermost.
    pub back: u64,
    pub instruction: Instruction,
    pub rank: Rank,
}

/// Which instruction a frame is at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instruction {
    /// So many bytes behind the first one; less than 0 before it has begun.
    Offset(i64),
    /// At this address.
    Address(u64),
}

/// What a frame is within a call of the evaluation loop. A call of a Python function by another stays in the same
/// call of the loop since 3.11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// Its caller belongs to the same call of the loop, or is the shim below it.
    Inner,
    /// The outermost of its call.
    Outermost,
    /// No function, but the end of a call: what is behind it belongs to another one.
    Shim,
}

/// Owners of frames from this number on are parts of the interpreter and no functions: the C stack (3.12, 3.13), the
/// evaluation loop and the C stack (3.14), the evaluation loop (3.15).
const FIRST_SHIM_OWNER: u8 = 3;

/// References in frames carry marks in bits that addresses of objects leave free (since 3.14).
const REFERENCE_MARKS: u64 = 7;

impl Layout {
    /// Makes sense of the bytes of a frame, [`Layout::frame_bytes`] of them; nothing where they are too few.
    #[must_use]
    pub fn frame_in(&self, bytes: &[u8]) -> Option<FrameRecord> {
        let fields = Fields(bytes);
        let position = match self.frame.position {
            Position::Index { offset, .. } => u64::from(fields.int(offset)?.cast_unsigned()),
            Position::Previous { offset } | Position::Current { offset } => fields.word(offset)?,
        };
        let entry = match self.frame.entry {
            Entry::Each => 0,
            Entry::Flag { is_entry: at } | Entry::Shim { owner: at } => fields.byte(at)?,
        };
        Some(self.frame_of(fields.word(self.frame.code)?, fields.word(self.frame.back)?, position, entry))
    }

    /// The same from the fields of a frame: its code, its caller, the word that tells where it is in its code (of which
    /// only an `int` may count), and the byte that tells its rank.
    #[inline]
    #[must_use]
    pub fn frame_of(&self, code: u64, back: u64, position: u64, entry: u8) -> FrameRecord {
        let instruction = match self.frame.position {
            Position::Index { unit, .. } => {
                Instruction::Offset(i64::from((position as u32).cast_signed()) * i64::from(unit))
            }
            Position::Previous { .. } | Position::Current { .. } => Instruction::Address(position),
        };
        let rank = match self.frame.entry {
            Entry::Each => Rank::Outermost,
            Entry::Flag { .. } if entry != 0 => Rank::Outermost,
            Entry::Shim { .. } if entry >= FIRST_SHIM_OWNER => Rank::Shim,
            Entry::Flag { .. } | Entry::Shim { .. } => Rank::Inner,
        };
        FrameRecord { code: code & !REFERENCE_MARKS, back, instruction, rank }
    }
}
