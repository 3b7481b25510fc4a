//! What the native frames of a sample that run Python code have in their registers and on their stacks: by it, frames
//! that were read a little later are known to be those of the sample.

use std::ops::Range;

use super::agree::Evaluations;
use super::functions::FunctionId;

/// How much of the stack is looked through for one of them.
const MOST_BYTES: u64 = 8 << 10;

/// What stacks are looked up in.
pub(crate) trait Stack {
    /// Appends the words of the stack from one address to another, as far as they are at hand.
    fn words(&mut self, range: Range<u64>, out: &mut Vec<u64>);
    /// Appends the values of the registers that are known in the frame that is so many calls further out.
    fn registers(&mut self, calls: usize, out: &mut Vec<u64>);
}

/// The native frames that run Python code, innermost first.
#[derive(Debug)]
pub(crate) struct Held {
    /// Of each, where its stack is, and what it and those that it called hold.
    evaluations: Vec<(Range<u64>, Vec<u64>)>,
    /// What the innermost holds in its registers.
    pub(crate) registers: Vec<u64>,
}

impl Held {
    /// `tops` tells where the stack of each native frame begins, `evaluations` which of them run Python code.
    /// `registers_at` is the frame whose registers are those of the innermost.
    pub(crate) fn new(
        tops: &[u64],
        evaluations: &[usize],
        registers_at: usize,
        stack: &mut impl Stack,
    ) -> Self {
        let mut held = Self { evaluations: Vec::with_capacity(evaluations.len()), registers: Vec::new() };
        let mut from = tops.get(registers_at).copied().unwrap_or(0);
        for &index in evaluations {
            let top = tops.get(index).copied().unwrap_or(0);
            let end =
                tops.get(index + 1).copied().filter(|end| *end > top).unwrap_or(top.saturating_add(1_024));
            let mut words = Vec::new();
            if from <= end {
                stack.words(from.max(end.saturating_sub(MOST_BYTES))..end, &mut words);
            }
            held.evaluations.push((top..end, words));
            from = end;
        }
        stack.registers(registers_at, &mut held.registers);
        held
    }

    /// Whether any of them holds a value.
    pub(crate) fn anywhere(&self, value: u64) -> bool {
        self.registers.contains(&value) || self.evaluations.iter().any(|(_, words)| words.contains(&value))
    }

    /// What the innermost one holds.
    pub(crate) fn innermost(&self) -> impl Iterator<Item = u64> {
        let words = self.evaluations.first().map_or(&[][..], |(_, words)| words);
        self.registers.iter().chain(words).copied()
    }
}

/// A Python frame's function, where its bytecode is, and the line that it is at.
pub(crate) type Resolved = (FunctionId, Range<u64>, u32);

/// The native frames beside what is known of the Python frames that were read.
pub(crate) struct Beside<'a> {
    pub(crate) held: &'a Held,
    pub(crate) resolved: &'a [Option<Resolved>],
    /// Whether bytecode need not be found: because it may be elsewhere, in copies that threads have for themselves, or
    /// because the frames were read at the very instant.
    pub(crate) is_trusted: bool,
    /// Where the thread state is whose frames were read.
    pub(crate) state: Option<u64>,
}

impl Evaluations for Beside<'_> {
    fn count(&self) -> usize {
        self.held.evaluations.len()
    }

    fn holds(&self, evaluation: usize, value: u64) -> bool {
        let (_, words) = &self.held.evaluations[evaluation];
        words.contains(&value) || evaluation == 0 && self.held.registers.contains(&value)
    }

    fn is_inside(&self, evaluation: usize, index: usize) -> bool {
        if self.is_trusted {
            return true;
        }
        let Some(Some((_, bytecode, _))) = self.resolved.get(index) else { return false };
        let (_, words) = &self.held.evaluations[evaluation];
        let registers = if evaluation == 0 { &self.held.registers[..] } else { &[] };
        registers.iter().chain(words).any(|word| bytecode.contains(word))
    }

    fn is_of_state(&self) -> bool {
        self.state.is_some_and(|state| self.holds(0, state))
    }

    fn is_on_stack(&self, evaluation: usize, address: u64) -> bool {
        self.held.evaluations[evaluation].0.contains(&address)
    }
}
