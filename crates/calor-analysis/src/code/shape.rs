//! What a loop does with its data: in which steps it walks over memory, whether it has to wait for one load to know the
//! address of the next, and whether a round needs the result of the one before. Read off the instructions of the innermost
//! loop that has the most samples, in the order of their addresses: a guess where rounds differ, and none about what
//! registers hold when the loop is entered.

mod address;
mod chain;
mod stream;

use calor_model::{CodeKey, FunctionCode};
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpKind};

use super::{Blocks, Decoded, Loops, regions};
use stream::Traffic;

/// A line of the caches.
const LINE_BYTES: u64 = 64;

/// How a load finds its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walk {
    /// The same address each round.
    Fixed,
    /// On to what lies next to it.
    Next,
    /// On by a line of the caches or more, of which little is used; by so many bytes, or by a number that is not in the code.
    Far(Option<u64>),
    /// To where another load of the same round says.
    Told,
    /// To where its own load of the round before says: a list, a tree.
    Chased,
    /// In a way that is not understood.
    Unknown,
}

/// The shape of a loop.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct LoopShape {
    /// Samples in the loop.
    pub(crate) n_samples: u64,
    /// Whether it calls functions.
    pub(crate) has_call: bool,
    /// Instructions that compute with floating-point numbers or vectors, and those that read or write memory with them.
    pub(crate) n_computing: usize,
    pub(crate) n_moving: usize,
    /// Loads: how each walks, whether it is of floating-point numbers, how many bytes, and the samples at it or behind it.
    pub(crate) loads: Vec<Load>,
    /// What a round moves along stretches of memory.
    pub(crate) traffic: Traffic,
    /// Whether a round adds to, or takes the larger of, what the one before left, and nothing else is done with that.
    pub(crate) is_reduction: bool,
    /// Whether a round needs the result of the one before in another way.
    pub(crate) is_recurrence: bool,
}

/// One load of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Load {
    /// How it finds its address.
    pub(crate) walk: Walk,
    /// Whether it is of floating-point numbers.
    pub(crate) is_float: bool,
    /// How many bytes it loads.
    pub(crate) bytes: u64,
    /// Samples at it and at the instruction that first waits for it.
    pub(crate) n_samples: u64,
}

impl LoopShape {
    /// The shape of the loop with the most samples; `None` where no samples are in a loop.
    pub(crate) fn of(key: CodeKey, code: &FunctionCode) -> Option<Self> {
        let decoded = Decoded::new(key.start, code);
        let blocks = Blocks::new(&decoded);
        let loops = Loops::of(&blocks);
        let hottest =
            regions(&decoded.counts, &blocks, &loops).into_iter().find(|it| it.loop_id.is_some())?;
        let round: Vec<(&Instruction, u64)> = hottest
            .instructions
            .iter()
            .map(|(index, _)| (&decoded.instructions[*index], decoded.counts[*index]))
            .collect();
        Some(Self::of_round(&round, hottest.n_samples))
    }

    /// The shape of the loop with these instructions in a round, each with its samples.
    pub(crate) fn of_round(round: &[(&Instruction, u64)], n_samples: u64) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let instructions: Vec<&Instruction> = round.iter().map(|(instruction, _)| *instruction).collect();
        let is_call =
            |it: &&Instruction| matches!(it.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
        let (is_reduction, is_recurrence) = chain::of(&instructions, &mut factory);
        let changes = address::changes(round, &mut factory);
        Self {
            n_samples,
            has_call: instructions.iter().any(is_call),
            n_computing: instructions.iter().filter(|it| is_computing(it)).count(),
            n_moving: instructions.iter().filter(|it| has_vector(it) && has_memory(it)).count(),
            loads: address::loads(round, &changes, &mut factory),
            traffic: stream::traffic(round, &changes, &mut factory),
            is_reduction,
            is_recurrence,
        }
    }

    /// The part of the loop's samples that are at loads of some kind.
    pub(crate) fn share_at(&self, is_wanted: impl Fn(&Load) -> bool) -> f64 {
        let n_there: u64 = self.loads.iter().filter(|load| is_wanted(load)).map(|load| load.n_samples).sum();
        (n_there as f64 / self.n_samples.max(1) as f64).min(1.0)
    }

    /// The part of the samples at loads whose address another load told.
    pub(crate) fn waiting_share(&self) -> f64 {
        self.share_at(|load| matches!(load.walk, Walk::Told | Walk::Chased))
    }

    /// The part of the samples at loads that use little of each line of the caches.
    pub(crate) fn far_share(&self) -> f64 {
        self.share_at(|load| matches!(load.walk, Walk::Far(_)))
    }
}

/// Whether an instruction computes with vector registers, and does not only move them.
fn is_computing(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let is_move = ["mov", "lddq", "broadcast", "extract", "insert"].iter().any(|word| name.starts_with(word));
    has_vector(instruction) && !is_move
}

fn has_vector(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_register(operand).is_vector_register())
}

fn has_memory(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn shape(bytes: &[u8]) -> LoopShape {
        let code: Vec<Instruction> =
            Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).into_iter().collect();
        let round: Vec<(&Instruction, u64)> = code.iter().map(|it| (it, 10)).collect();
        LoopShape::of_round(&round, 10 * round.len() as u64)
    }

    fn walks(bytes: &[u8]) -> Vec<Walk> {
        shape(bytes).loads.iter().map(|load| load.walk).collect()
    }

    #[test]
    fn a_sum_of_numbers_is_a_walk_to_the_next_and_a_reduction() {
        // addsd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi
        let sum = shape(&[0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0]);
        assert_eq!(sum.loads, [Load { walk: Walk::Next, is_float: true, bytes: 8, n_samples: 20 }]);
        assert!(sum.is_reduction && !sum.is_recurrence && !sum.has_call);
    }

    #[test]
    fn a_number_that_is_multiplied_and_added_to_each_round_is_a_recurrence() {
        // mulsd xmm0, xmm2; addsd xmm0, [rdi + 8*rax]; inc rax
        let filter = shape(&[0xf2, 0x0f, 0x59, 0xc2, 0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0]);
        assert!(filter.is_recurrence && !filter.is_reduction);
    }

    #[test]
    fn a_running_sum_that_is_stored_each_round_is_a_recurrence() {
        // addsd xmm0, [rdi + 8*rax]; movsd [rsi + 8*rax], xmm0; inc rax
        let scan = shape(&[0xf2, 0x0f, 0x58, 0x04, 0xc7, 0xf2, 0x0f, 0x11, 0x04, 0xc6, 0x48, 0xff, 0xc0]);
        assert!(scan.is_recurrence && !scan.is_reduction);
    }

    #[test]
    fn numbers_that_are_each_for_themselves_are_neither() {
        // movsd xmm0, [rdi + 8*rax]; mulsd xmm0, xmm2; movsd [rsi + 8*rax], xmm0; inc rax
        let each = shape(&[
            0xf2, 0x0f, 0x10, 0x04, 0xc7, 0xf2, 0x0f, 0x59, 0xc2, 0xf2, 0x0f, 0x11, 0x04, 0xc6, 0x48, 0xff,
            0xc0,
        ]);
        assert!(!each.is_recurrence && !each.is_reduction);
        assert_eq!(each.loads.len(), 1, "a store is no load");
    }

    #[test]
    fn small_steps_of_a_loop_that_was_unrolled_are_small_steps() {
        // addss xmm0, [rdi]; addss xmm0, [rdi+48]; addss xmm0, [rdi+96]; addss xmm0, [rdi+144]; add rdi, 192
        let unrolled = [
            0xf3, 0x0f, 0x58, 0x07, 0xf3, 0x0f, 0x58, 0x47, 0x30, 0xf3, 0x0f, 0x58, 0x47, 0x60, 0xf3, 0x0f,
            0x58, 0x87, 0x90, 0x00, 0x00, 0x00, 0x48, 0x81, 0xc7, 0xc0, 0x00, 0x00, 0x00,
        ];
        assert_eq!(walks(&unrolled), [Walk::Next; 4]);
        // addss xmm0, [rdi]; addss xmm0, [rdi+96]; add rdi, 192
        let far =
            [0xf3, 0x0f, 0x58, 0x07, 0xf3, 0x0f, 0x58, 0x47, 0x60, 0x48, 0x81, 0xc7, 0xc0, 0x00, 0x00, 0x00];
        assert_eq!(walks(&far), [Walk::Far(Some(96)); 2]);
    }

    #[test]
    fn a_step_of_a_register_or_of_many_bytes_is_far_unless_all_between_is_read() {
        // addss xmm0, [rdi]; add rdi, rcx
        assert_eq!(walks(&[0xf3, 0x0f, 0x58, 0x07, 0x48, 0x01, 0xcf]), [Walk::Far(None)]);
        // addss xmm0, [rdi]; sub rdi, -128
        assert_eq!(walks(&[0xf3, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xef, 0x80]), [Walk::Far(Some(128))]);
        // addps xmm0, [rdi]; addps xmm1, [rdi+16]; addps xmm2, [rdi+32]; addps xmm3, [rdi+48]; add rdi, 64
        let unrolled = [
            0x0f, 0x58, 0x07, 0x0f, 0x58, 0x4f, 0x10, 0x0f, 0x58, 0x57, 0x20, 0x0f, 0x58, 0x5f, 0x30, 0x48,
            0x83, 0xc7, 0x40,
        ];
        assert_eq!(walks(&unrolled), [Walk::Next; 4]);
    }

    #[test]
    fn a_list_is_chased_and_a_table_of_indices_tells() {
        // mov rdi, [rdi + 8]; inc rax; test rdi, rdi
        assert_eq!(walks(&[0x48, 0x8b, 0x7f, 0x08, 0x48, 0xff, 0xc0, 0x48, 0x85, 0xff]), [Walk::Chased]);
        // mov rax, [rcx + 8*rdi]; add rdx, [rsi + 8*rdi]; mov rdi, [rcx + 8*rax]; dec r8: unrolled, and each value looked up
        let unrolled =
            [0x48, 0x8b, 0x04, 0xf9, 0x48, 0x03, 0x14, 0xfe, 0x48, 0x8b, 0x3c, 0xc1, 0x49, 0xff, 0xc8];
        assert_eq!(walks(&unrolled), [Walk::Chased, Walk::Told, Walk::Chased]);
        // mov ecx, [rdi + 4*rax]; addss xmm0, [rsi + 4*rcx]; inc rax
        let gather = [0x8b, 0x0c, 0x87, 0xf3, 0x0f, 0x58, 0x04, 0x8e, 0x48, 0xff, 0xc0];
        assert_eq!(walks(&gather), [Walk::Next, Walk::Told]);
    }

    #[test]
    fn a_table_of_which_a_byte_tells_the_place_is_small_and_as_good_as_fixed() {
        // movzx ecx, byte ptr [rdi + rax]; add rdx, [rsi + 8*rcx]; inc rax
        let by_byte = [0x0f, 0xb6, 0x0c, 0x07, 0x48, 0x03, 0x14, 0xce, 0x48, 0xff, 0xc0];
        assert_eq!(walks(&by_byte), [Walk::Next, Walk::Fixed]);
        // mov rcx, [rdi + 8*rax]; and ecx, 127; add rdx, [rsi + 8*rcx]; inc rax
        let masked = [0x48, 0x8b, 0x0c, 0xc7, 0x83, 0xe1, 0x7f, 0x48, 0x03, 0x14, 0xce, 0x48, 0xff, 0xc0];
        assert_eq!(walks(&masked), [Walk::Next, Walk::Fixed]);
    }

    #[test]
    fn computing_and_moving_are_counted_apart() {
        // movsd xmm0, [rdi + 8*rax]; mulsd xmm0, xmm2; addsd xmm0, xmm3; inc rax
        let each = shape(&[
            0xf2, 0x0f, 0x10, 0x04, 0xc7, 0xf2, 0x0f, 0x59, 0xc2, 0xf2, 0x0f, 0x58, 0xc3, 0x48, 0xff, 0xc0,
        ]);
        assert_eq!((each.n_computing, each.n_moving), (2, 1));
    }

    #[test]
    fn what_lies_at_one_place_is_fixed() {
        // add rax, [rsp + 8]; inc rcx
        assert_eq!(walks(&[0x48, 0x03, 0x44, 0x24, 0x08, 0x48, 0xff, 0xc1]), [Walk::Fixed]);
    }
}
