//! A sample's stack after it was walked, as the part that knows Python looks at it.

use std::ops::Range;

use super::stack_copy::StackCopy;
use crate::call_paths::spaces::Mapped;
use crate::python::{NativeFrame, Stack};
use calor_symbols::unwind::{Registers, Unwinder};

/// What calls preserve on x86-64, by DWARF's numbers, and what else the innermost frame has.
const REGISTERS: Range<u8> = 0..16;

/// The stack, and what it takes to know the registers of its frames.
pub(super) struct Walked<'a, 'b> {
    pub(super) unwinder: &'a mut Unwinder,
    pub(super) space: &'a Mapped,
    pub(super) registers: &'a Registers,
    pub(super) stack: &'a mut StackCopy<'b>,
}

impl Stack for Walked<'_, '_> {
    fn words(&mut self, range: Range<u64>, out: &mut Vec<u64>) {
        self.stack.words(range, out);
    }

    fn registers(&mut self, calls: usize, out: &mut Vec<u64>) {
        let registers = self.unwinder.registers_of(self.space, self.registers, self.stack, calls);
        out.extend(registers.iter().flat_map(|known| REGISTERS.filter_map(|number| known.get(number))));
    }
}

/// The files that the addresses of a stack are of.
pub(super) fn native_frames(space: &Mapped, addresses: &[u64], out: &mut Vec<Option<NativeFrame>>) {
    out.clear();
    out.extend(addresses.iter().map(|&absolute| {
        let location = space.location(absolute);
        let (file, address) = (location.image?.number(), location.address);
        Some(NativeFrame { file, address, bias: absolute.wrapping_sub(address) })
    }));
}
