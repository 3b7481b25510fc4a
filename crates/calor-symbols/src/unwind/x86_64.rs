//! All that is particular to x86-64: which registers a call preserves, which frames are simple, what a call
//! instruction looks like, and where the kernel leaves the registers that a signal interrupted.

use super::registers::Registers;
use super::rule::{Base, Column, Frame, Rule, SavedBp, Simple, Source};

/// The registers that a function gives back as it found them, by the calling convention: rbx, rbp, r12 to r15.
pub(super) const PRESERVED: u32 = 1 << 3 | 1 << 6 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15;

/// The longest call instruction, less prefixes.
pub(super) const MAX_CALL_LENGTH: u64 = 7;

/// Whether the rules of a row are enough with `rsp` and `rbp` alone, and if so how.
pub(super) fn simplify(frame: Frame, columns: &[Column], is_signal: bool, file: &[u8]) -> Rule {
    let source = |register| columns.iter().find(|column| column.register == register).map(|c| c.source);
    match source(Registers::IP) {
        Some(Source::Lost) => return Rule::Root,
        Some(Source::AtFrame(-8)) if !is_signal && source(Registers::SP).is_none() => {}
        _ => return Rule::Thorough,
    }
    let base = match frame {
        Frame::Register { number: Registers::SP, offset } => Some((Base::Sp, offset)),
        Frame::Register { number: Registers::BP, offset } => Some((Base::Bp, offset)),
        Frame::Register { .. } => None,
        Frame::Expression(code) => code.bytes(file).and_then(word_at_bp).map(|offset| (Base::AtBp, offset)),
    };
    let bp = match source(Registers::BP) {
        None | Some(Source::Kept) => Some((SavedBp::Kept, 0)),
        Some(Source::Lost) => Some((SavedBp::Lost, 0)),
        Some(Source::AtFrame(offset)) => Some((SavedBp::AtFrame, offset)),
        Some(Source::At(code)) => code.bytes(file).and_then(bp_plus).map(|offset| (SavedBp::AtBp, offset)),
        Some(_) => None,
    };
    let simple = || {
        let ((frame, frame_offset), (bp, bp_offset)) = (base?, bp?);
        let frame_offset = i32::try_from(frame_offset).ok()?;
        Some(Simple { frame, frame_offset, bp, bp_offset: i32::try_from(bp_offset).ok()? })
    };
    simple().map_or(Rule::Thorough, Rule::Simple)
}

/// How many bytes into a row `rbp` is the caller's again although the row says it is saved. GCC does not mark where a
/// function that realigned its stack restores it: `pop %rbp` or `leave`, before `lea -8(%r10), %rsp; ret`. The row may
/// begin at any instruction before its `ret`.
pub(super) fn bp_restored_after(frame: Frame, columns: &[Column], code: &[u8], file: &[u8]) -> Option<usize> {
    const LEAVE: [u8; 5] = [0xC9, 0x49, 0x8D, 0x62, 0xF8];
    const POP: [u8; 5] = [0x5D, 0x49, 0x8D, 0x62, 0xF8];
    let is_at_bp = columns.iter().any(|column| {
        let Source::At(place) = column.source else { return false };
        column.register == Registers::BP && place.bytes(file).and_then(bp_plus).is_some()
    });
    let Frame::Register { number, offset } = frame else { return None };
    if !is_at_bp || number == Registers::BP {
        return None;
    }
    // Nothing but the return address is on the stack.
    if (number, offset) == (Registers::SP, 8) {
        return Some(0);
    }
    let at = code.windows(5).position(|code| code == LEAVE || code == POP)?;
    Some(at + 1)
}

/// `DW_OP_breg6 n`, one byte of `n`: what GCC writes for registers saved in a realigned frame.
fn bp_plus(code: &[u8]) -> Option<i64> {
    match *code {
        [0x76, offset] if offset & 0x80 == 0 => Some(i64::from(((offset << 1) as i8) >> 1)),
        [0x76, low, high] if low & 0x80 != 0 && high & 0x80 == 0 => {
            let bits = u16::from(low & 0x7F) | u16::from(high) << 7;
            Some(i64::from(((bits << 2) as i16) >> 2))
        }
        _ => None,
    }
}

/// `DW_OP_breg6 n; DW_OP_deref`: what GCC writes for the address of a realigned frame.
fn word_at_bp(code: &[u8]) -> Option<i64> {
    match code {
        [offset @ .., 0x06] => bp_plus(offset),
        _ => None,
    }
}

/// Whether `before`, which ends where a return address points, ends with a call instruction.
pub(super) fn ends_with_call(before: &[u8]) -> bool {
    let from_end = |n: usize| before.len().checked_sub(n).and_then(|at| before.get(at..));
    if from_end(5).is_some_and(|code| code[0] == 0xE8) {
        return true;
    }
    // FF /2, a call through a register or through memory, in every length that its operand can have.
    (2..=MAX_CALL_LENGTH as usize).any(|length| match from_end(length) {
        Some([0xFF, operand, rest @ ..]) if operand >> 3 & 7 == 2 => {
            let (mode, base) = (operand >> 6, operand & 7);
            let has_scale = mode != 3 && base == 4;
            let displacement = match mode {
                0 if base == 5 || has_scale && rest.first().is_some_and(|scale| scale & 7 == 5) => 4,
                1 => 1,
                2 => 4,
                _ => 0,
            };
            rest.len() == displacement + usize::from(has_scale)
        }
        _ => false,
    })
}

/// What signal handlers return to: the system call `rt_sigreturn` and nothing else, in the forms that C libraries
/// write it, not all of which describe theirs. With the length of the first instruction.
pub(super) const SIGNAL_RETURNS: [(u64, &[u8]); 2] = [
    // mov $15, %rax; syscall
    (7, &[0x48, 0xC7, 0xC0, 0x0F, 0x00, 0x00, 0x00, 0x0F, 0x05]),
    // mov $15, %eax; syscall
    (5, &[0xB8, 0x0F, 0x00, 0x00, 0x00, 0x0F, 0x05]),
];

/// How code begins that a made context returns to: `mov %rbx, %rsp`, which stays what it was when the context began.
pub(super) const LEAVE_CONTEXT: &[u8] = &[0x48, 0x89, 0xDC];

/// What a function has done to the stack, as far as that can be told from its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Posture {
    /// Nothing: the return address is on top.
    Untouched,
    /// It has pushed `rbp` and nothing else.
    Pushed,
    /// It keeps a frame pointer: the return address is above where `rbp` points.
    FramePointer,
    /// It has moved the stack pointer by some amount.
    Moved,
}

/// The posture between `before` and `after`; `after` is empty for a function that has called another.
pub(super) fn posture(before: &[u8], after: &[u8]) -> Posture {
    const PUSH_BP: u8 = 0x55;
    const RETURN: u8 = 0xC3;
    const MOVE_SP_TO_BP: [&[u8]; 2] = [&[0x48, 0x89, 0xE5], &[0x48, 0x8B, 0xEC]];
    const LOWER_SP: [&[u8]; 2] = [&[0x48, 0x83, 0xEC], &[0x48, 0x81, 0xEC]];
    /// Between pushing `rbp` and setting it a compiler may put other instructions.
    const MAX_BETWEEN: usize = 16;
    if let [RETURN, ..] | [0xF3, RETURN, ..] = after {
        return Posture::Untouched;
    }
    if before.last() == Some(&PUSH_BP) && MOVE_SP_TO_BP.iter().any(|code| after.starts_with(code)) {
        return Posture::Pushed;
    }
    // A return that ends a function: after the frame is given up, or before padding or the next function.
    let is_end = |code: &[u8]| match code {
        [0xC9 | 0x5D, RETURN, ..] => true,
        [_, RETURN, next] => matches!(*next, 0x00 | 0x90 | 0xCC | 0x66 | 0x0F | PUSH_BP),
        _ => false,
    };
    let start = before.windows(3).rposition(is_end).map_or(0, |at| at + 2);
    let own = &before[start..];
    let frame_pointer = own.windows(3).rposition(|code| MOVE_SP_TO_BP.contains(&code));
    if frame_pointer.is_some_and(|at| own[at.saturating_sub(MAX_BETWEEN)..at].contains(&PUSH_BP)) {
        return Posture::FramePointer;
    }
    if own.windows(3).any(|code| LOWER_SP.contains(&code)) {
        return Posture::Moved;
    }
    Posture::Untouched
}

/// Whether `xor %ebp, %ebp` is in `before`: the convention for the outermost frame.
pub(super) fn marks_outermost_frame(before: &[u8]) -> bool {
    before.windows(2).any(|code| code == [0x31, 0xED])
}

/// Whether `code` has an instruction that nothing comes after: a return, a halt, or a jump through a register.
pub(super) fn has_last_instruction(code: &[u8]) -> bool {
    code.iter().any(|byte| matches!(byte, 0xC3 | 0xF4))
        || code.windows(2).any(|code| code[0] == 0xFF && code[1] >> 3 == 0x1C)
}

/// Where the interrupted registers are when a handler has returned to that code: the bytes above the stack pointer,
/// and the DWARF number of each word in order, as the kernel's `struct sigcontext` has them.
pub(super) const SIGNAL_CONTEXT: (u64, [u8; 17]) =
    (40, [8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16]);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_call(before: &[u8], expect: bool) {
        assert_eq!(ends_with_call(before), expect, "{before:02x?}");
    }

    #[test]
    fn every_form_of_call_is_recognised() {
        check_call(&[0xE8, 1, 2, 3, 4], true);
        check_call(&[0x90, 0xFF, 0xD0], true); // call *%rax
        check_call(&[0x41, 0xFF, 0xD4], true); // call *%r12
        check_call(&[0xFF, 0x10], true); // call *(%rax)
        check_call(&[0xFF, 0x50, 0x18], true); // call *24(%rax)
        check_call(&[0xFF, 0x14, 0xC8], true); // call *(%rax,%rcx,8)
        check_call(&[0xFF, 0x54, 0x24, 0x08], true); // call *8(%rsp)
        check_call(&[0xFF, 0x15, 1, 2, 3, 4], true); // call *1(%rip)
        check_call(&[0xFF, 0x90, 1, 2, 3, 4], true); // call *1(%rax)
        check_call(&[0xFF, 0x94, 0x24, 1, 2, 3, 4], true); // call *1(%rsp)
        check_call(&[0xFF, 0x14, 0xC5, 1, 2, 3, 4], true); // call *1(,%rax,8)
    }

    #[test]
    fn what_is_not_a_call_is_not_taken_for_one() {
        check_call(&[], false);
        check_call(&[0xE8, 1, 2, 3], false);
        check_call(&[0xFF, 0xE0], false); // jmp *%rax
        check_call(&[0xFF, 0x50], false); // call *n(%rax), its last byte missing
        check_call(&[0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xC3], false);
    }

    #[track_caller]
    fn check_posture(before: &[u8], after: &[u8], expect: Posture) {
        assert_eq!(posture(before, after), expect, "{before:02x?} {after:02x?}");
    }

    #[test]
    fn a_functions_bytes_tell_where_the_return_address_is() {
        let frame: &[u8] = &[0x55, 0x48, 0x89, 0xE5];
        check_posture(&[], &[0x48, 0x31, 0xF8], Posture::Untouched);
        check_posture(&[0x55], &frame[1..], Posture::Pushed);
        check_posture(frame, &[0x48, 0x83, 0xEC, 0x20], Posture::FramePointer);
        check_posture(&[frame, &[0x48, 0x83, 0xEC, 0x20]].concat(), &[], Posture::FramePointer);
        check_posture(&[frame, &[0xC9]].concat(), &[0xC3], Posture::Untouched);
        check_posture(&[frame, &[0xC9, 0xC3, 0xFF, 0xD6]].concat(), &[], Posture::Untouched);
        check_posture(&[0x48, 0x83, 0xEC, 0x08], &[0x48, 0x83, 0xC4, 0x08], Posture::Moved);
        check_posture(&[0x48, 0x83, 0xEC, 0x08, 0x48, 0x83, 0xC4, 0x08], &[0xC3], Posture::Untouched);
    }

    #[test]
    fn offsets_from_rbp_are_read_with_their_sign() {
        assert_eq!(bp_plus(&[0x76, 0x00]), Some(0));
        assert_eq!(bp_plus(&[0x76, 0x78]), Some(-8));
        assert_eq!(bp_plus(&[0x76, 0x08]), Some(8));
        assert_eq!(bp_plus(&[0x76, 0x90, 0x7F]), Some(-112));
        assert_eq!(bp_plus(&[0x76, 0x90, 0x01]), Some(144));
        assert_eq!(bp_plus(&[0x77, 0x00]), None);
        assert_eq!(word_at_bp(&[0x76, 0x58, 0x06]), Some(-40));
        assert_eq!(word_at_bp(&[0x76, 0x58]), None);
    }
}
