//! What a stretch of code says about its caller: in full for the thorough walk, and in twelve bytes for the quick
//! walk where that is enough, which it is for nearly every frame.

use std::ops::Range;

/// How the quick walk gets from a frame to its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// The frame's address (CFA) comes from one of two registers, and the return address stands right below it.
    Simple(Simple),
    /// Needs more registers than the quick walk keeps, or a computation.
    Thorough,
    /// There is no caller: the code says so itself.
    Root,
    /// Nothing is said about this code.
    Absent,
}

/// A frame that can be left with `rsp` and `rbp` alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Simple {
    pub(super) frame: Base,
    pub(super) frame_offset: i32,
    pub(super) bp: SavedBp,
    pub(super) bp_offset: i32,
}

/// What the frame's address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Sp,
    Bp,
    /// The word at `rbp` plus the offset: functions that realign their stack keep it there.
    AtBp,
}

/// Where the caller's `rbp` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SavedBp {
    Kept,
    /// Saved at the frame's address plus the offset.
    AtFrame,
    /// Saved at `rbp` plus the offset.
    AtBp,
    Lost,
}

/// The rules of all registers for the addresses from `start` to `end`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) rule: Rule,
    pub(super) frame: Frame,
    /// Which of the module's columns are this row's.
    pub(super) columns: Range<u32>,
    /// Whether it is the code that a signal handler returns to: the address it leads to is where the signal came,
    /// and not one behind a call.
    pub(super) is_signal: bool,
}

/// The frame's address (CFA) in full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Frame {
    Register { number: u8, offset: i64 },
    Expression(Bytecode),
}

/// The rule of one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Column {
    pub(super) register: u8,
    pub(super) source: Source,
}

/// Where a register's value in the caller is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Lost,
    Kept,
    /// Saved at the frame's address plus the offset.
    AtFrame(i64),
    /// The frame's address plus the offset itself.
    Frame(i64),
    Register(u8),
    /// Saved at the address that the expression gives.
    At(Bytecode),
    /// What the expression gives.
    Value(Bytecode),
    Constant(u64),
}

/// A DWARF expression: where its bytes are in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bytecode {
    pub(super) offset: usize,
    pub(super) length: usize,
}

impl Bytecode {
    pub(super) fn bytes<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        file.get(self.offset..self.offset.checked_add(self.length)?)
    }
}
