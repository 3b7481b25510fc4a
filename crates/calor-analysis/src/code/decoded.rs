//! The instructions of a function, in the order of their addresses. Compilers keep tables apart from code, so reading
//! on from each instruction's end finds the next; after bytes that are no instruction the reader finds its step again.

use calor_model::FunctionCode;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};

/// A function's instructions and the samples at each.
pub(crate) struct Decoded {
    /// By address.
    pub(crate) instructions: Vec<Instruction>,
    /// Samples by instruction.
    pub(crate) counts: Vec<u64>,
    start: u64,
}

impl Decoded {
    pub(crate) fn new(start: u64, code: &FunctionCode) -> Self {
        let decoder = Decoder::with_ip(64, &code.bytes, start, DecoderOptions::NONE);
        let instructions: Vec<Instruction> = decoder.into_iter().collect();
        let mut decoded = Self { counts: vec![0; instructions.len()], instructions, start };
        for (&offset, &count) in &code.counts {
            // Those of code that was too large to keep are left out.
            if let Some(index) = decoded.at(start.wrapping_add(u64::from(offset))) {
                decoded.counts[index] = decoded.counts[index].saturating_add(count);
            }
        }
        decoded
    }

    /// The instruction that an address is in.
    pub(crate) fn at(&self, address: u64) -> Option<usize> {
        let index = self.instructions.partition_point(|it| it.ip() <= address).checked_sub(1)?;
        (address < self.instructions[index].next_ip()).then_some(index)
    }

    /// How far an instruction is from the function's start.
    pub(crate) fn offset(&self, index: usize) -> u32 {
        u32::try_from(self.instructions[index].ip().wrapping_sub(self.start)).unwrap_or(u32::MAX)
    }

    /// The text of each of a range of instructions, in the notation of the processor's maker.
    pub(crate) fn texts(&self, range: std::ops::Range<usize>) -> Vec<String> {
        let mut formatter = IntelFormatter::new();
        let options = formatter.options_mut();
        options.set_space_after_operand_separator(true);
        options.set_hex_prefix("0x");
        options.set_hex_suffix("");
        options.set_uppercase_hex(false);
        options.set_branch_leading_zeros(false);
        options.set_rip_relative_addresses(false);
        let text = |instruction: &Instruction| {
            let mut text = String::new();
            formatter.format(instruction, &mut text);
            text
        };
        self.instructions.get(range).unwrap_or_default().iter().map(text).collect()
    }
}
