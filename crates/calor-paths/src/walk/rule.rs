//! How to get from a frame to its caller's, in one word.

use super::Registers;

/// Where the frame of the caller begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame {
    /// At the stack pointer and so many bytes.
    Stack(i32),
    /// At the frame pointer and so many bytes.
    Base(i32),
    /// At the address that lies at the frame pointer and so many bytes: functions that align their stack.
    AtBase(i32),
    /// A signal came here: the kernel put all registers on the stack.
    Signal,
    /// Nobody called.
    End,
    /// Not known; frame pointers are followed as far as they go.
    Unknown,
}

/// Where the caller's frame pointer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Saved {
    /// It is still there.
    Unchanged,
    /// In memory, so many bytes from where the caller's frame begins.
    InFrame(i16),
    /// In memory, so many bytes from the present frame pointer.
    AtBase(i16),
}

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    pub(crate) frame: Frame,
    pub(crate) base: Saved,
}

/// Where the kernel puts registers on the stack of a handler, counted from its stack pointer.
mod signal {
    pub(super) const BP: usize = 120;
    pub(super) const SP: usize = 160;
    pub(super) const PC: usize = 168;
}

/// A caller, and which words of memory say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) registers: Registers,
    /// Where the frame pointer was read; 0 when it was not.
    pub(crate) base_from: usize,
    /// Where the beginning of the frame was read; 0 when it was not.
    pub(crate) frame_from: usize,
    /// Whether the words before the caller's stack pointer are its return address.
    pub(crate) is_plain: bool,
}

impl Rule {
    pub(crate) const UNKNOWN: Self = Self { frame: Frame::Unknown, base: Saved::Unchanged };
    pub(crate) const END: Self = Self { frame: Frame::End, base: Saved::Unchanged };
    pub(crate) const SIGNAL: Self = Self { frame: Frame::Signal, base: Saved::Unchanged };

    /// As one word that is never 0 and whose five highest bits are.
    pub(crate) fn packed(self) -> u64 {
        let (kind, offset) = match self.frame {
            Frame::Stack(offset) => (1, offset),
            Frame::Base(offset) => (2, offset),
            Frame::AtBase(offset) => (3, offset),
            Frame::Signal => (4, 0),
            Frame::End => (5, 0),
            Frame::Unknown => (6, 0),
        };
        let (saved, at) = match self.base {
            Saved::Unchanged => (0, 0),
            Saved::InFrame(at) => (1, at),
            Saved::AtBase(at) => (2, at),
        };
        kind << 56 | saved << 48 | u64::from(at as u16) << 32 | u64::from(offset as u32)
    }

    #[inline(always)]
    pub(crate) fn unpacked(word: u64) -> Self {
        let offset = word as u32 as i32;
        let at = (word >> 32) as u16 as i16;
        let frame = match word >> 56 & 7 {
            1 => Frame::Stack(offset),
            2 => Frame::Base(offset),
            3 => Frame::AtBase(offset),
            4 => Frame::Signal,
            5 => Frame::End,
            _ => Frame::Unknown,
        };
        let base = match word >> 48 & 0xff {
            1 => Saved::InFrame(at),
            2 => Saved::AtBase(at),
            _ => Saved::Unchanged,
        };
        Self { frame, base }
    }

    /// Whether the frame pointer's value matters for what this rule says.
    #[inline(always)]
    pub(crate) fn uses_base(self) -> bool {
        matches!(self.frame, Frame::Base(_) | Frame::AtBase(_) | Frame::Unknown)
            || matches!(self.base, Saved::AtBase(_))
    }

    /// The caller. `read` gives a word of the stack, `None` outside it.
    #[inline(always)]
    pub(crate) fn caller(self, at: Registers, read: impl Fn(usize) -> Option<usize>) -> Option<Caller> {
        let mut frame_from = 0;
        let frame = match self.frame {
            Frame::Stack(offset) => at.sp.wrapping_add_signed(offset as isize),
            Frame::Base(offset) => at.bp.wrapping_add_signed(offset as isize),
            Frame::AtBase(offset) => {
                frame_from = at.bp.wrapping_add_signed(offset as isize);
                read(frame_from)?
            }
            Frame::Signal => return signalled(at, read),
            Frame::End => return None,
            Frame::Unknown => return by_frame_pointer(at, read),
        };
        let base_from = match self.base {
            Saved::Unchanged => 0,
            Saved::InFrame(offset) => frame.wrapping_add_signed(offset as isize),
            Saved::AtBase(offset) => at.bp.wrapping_add_signed(offset as isize),
        };
        let pc = read(frame.wrapping_sub(8))?;
        let bp = if base_from == 0 { at.bp } else { read(base_from)? };
        // Frames lie one above the other: this ends every walk.
        if frame <= at.sp || pc < 4096 {
            return None;
        }
        let registers = Registers { pc, sp: frame, bp };
        Some(Caller { registers, base_from, frame_from, is_plain: true })
    }
}

fn signalled(at: Registers, read: impl Fn(usize) -> Option<usize>) -> Option<Caller> {
    let registers = Registers {
        pc: read(at.sp + signal::PC)?,
        sp: read(at.sp + signal::SP)?,
        bp: read(at.sp + signal::BP)?,
    };
    Some(Caller { registers, base_from: 0, frame_from: 0, is_plain: false })
}

fn by_frame_pointer(at: Registers, read: impl Fn(usize) -> Option<usize>) -> Option<Caller> {
    if !at.bp.is_multiple_of(8) || at.bp < at.sp {
        return None;
    }
    let registers = Registers { pc: read(at.bp + 8)?, sp: at.bp + 16, bp: read(at.bp)? };
    (registers.pc >= 4096).then_some(Caller { registers, base_from: at.bp, frame_from: 0, is_plain: true })
}

#[cfg(test)]
mod tests {
    use super::{Frame, Rule, Saved};

    #[test]
    fn rules_survive_being_packed() {
        let frames = [
            Frame::Stack(8),
            Frame::Stack(i32::MAX),
            Frame::Base(-16),
            Frame::AtBase(-8),
            Frame::Signal,
            Frame::End,
            Frame::Unknown,
        ];
        for frame in frames {
            for base in [Saved::Unchanged, Saved::InFrame(-16), Saved::AtBase(0), Saved::InFrame(i16::MIN)] {
                let rule = Rule { frame, base };
                assert_eq!(Rule::unpacked(rule.packed()), rule);
                assert_ne!(rule.packed(), 0);
                assert_eq!(rule.packed() >> 59, 0);
            }
        }
    }
}
