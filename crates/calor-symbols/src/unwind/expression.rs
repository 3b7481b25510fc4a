//! Evaluates the expressions of call frame information: bounded in steps, since a damaged or hostile file may loop.

use gimli::{Encoding, EndianSlice, Evaluation, EvaluationResult, Format, LittleEndian, Location, Value};

use super::registers::Registers;
use super::{Fault, Memory};

/// The longest seen in C libraries and compilers' output has 11 operations.
const MAX_STEPS: u32 = 1_000;

/// What an expression may refer to.
pub(super) struct Scene<'a, M> {
    pub(super) registers: &'a Registers,
    pub(super) memory: &'a mut M,
    /// Where the module is in the process, less where it says.
    pub(super) bias: u64,
}

impl<M: Memory> Scene<'_, M> {
    /// What the expression gives; `frame` is on its stack at first for those of registers.
    pub(super) fn evaluate(&mut self, code: &[u8], frame: Option<u64>) -> Result<u64, Fault> {
        let encoding = Encoding { address_size: 8, format: Format::Dwarf32, version: 4 };
        let mut evaluation = Evaluation::new(EndianSlice::new(code, LittleEndian), encoding);
        evaluation.set_max_iterations(MAX_STEPS);
        if let Some(frame) = frame {
            evaluation.set_initial_value(frame);
        }
        let mut state = evaluation.evaluate().map_err(|_| Fault::Rule)?;
        loop {
            state = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = u8::try_from(register.0).ok().and_then(|number| self.registers.get(number));
                    evaluation.resume_with_register(Value::Generic(value.ok_or(Fault::Rule)?))
                }
                EvaluationResult::RequiresMemory { address, size, space: None, .. } => {
                    evaluation.resume_with_memory(Value::Generic(self.read(address, size)?))
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    evaluation.resume_with_call_frame_cfa(frame.ok_or(Fault::Rule)?)
                }
                EvaluationResult::RequiresRelocatedAddress(address) => {
                    evaluation.resume_with_relocated_address(address.wrapping_add(self.bias))
                }
                _ => return Err(Fault::Rule),
            }
            .map_err(|_| Fault::Rule)?;
        }
        match evaluation.as_result() {
            [piece] if piece.size_in_bits.is_none() => match piece.location {
                Location::Address { address } => Ok(address),
                Location::Value { value: Value::Generic(value) } => Ok(value),
                _ => Err(Fault::Rule),
            },
            _ => Err(Fault::Rule),
        }
    }

    pub(super) fn word(&mut self, address: u64) -> Result<u64, Fault> {
        self.memory.word(address).ok_or(Fault::Memory(address))
    }

    fn read(&mut self, address: u64, size: u8) -> Result<u64, Fault> {
        let word = self.word(address)?;
        match size {
            8 => Ok(word),
            1..8 => Ok(word & ((1 << (8 * u32::from(size))) - 1)),
            _ => Err(Fault::Rule),
        }
    }
}
