//! The streams of a loop: stretches of memory that it goes along, round after round, and what each moves between far memory
//! and the processor. Where data is far, that and not the number of instructions is what a round costs.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register, UsedMemory};

use super::LINE_BYTES;
use super::address::{Change, accessed_memory, step};

/// What a round of a loop moves, in bytes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Traffic {
    /// How many streams there are.
    pub(crate) n_streams: usize,
    /// Bytes that the stream with the longest step goes on in a round.
    pub(crate) step: f64,
    /// Bytes that lines of all streams take: read once, and written back once where they are changed. A line that is written
    /// without being read is fetched before all the same, unless the store goes past the caches.
    pub(crate) moved: f64,
}

/// What an address is made of: base, index, and what that is multiplied by.
type Registers = (Register, Register, u32);

/// Accesses by the same registers that are further apart are of different arrays, as of a program's own or of one structure.
const FAR_BYTES: u64 = 4096;

/// One stream.
#[derive(Clone, Copy, Default)]
struct Stream {
    step: u64,
    /// Bytes of the lines that its accesses touch in a round.
    touched: u64,
    is_read: bool,
    is_written: bool,
    is_past_caches: bool,
}

/// The traffic of a loop; nothing where no access goes along memory.
pub(super) fn traffic(
    round: &[(&Instruction, u64)],
    changes: &BTreeMap<Register, Change>,
    factory: &mut InstructionInfoFactory,
) -> Traffic {
    let mut streams: Vec<(Registers, i64, Stream)> = Vec::new();
    for (instruction, _) in round {
        for memory in accessed_memory(instruction, factory) {
            let Some(step) = step(&memory, changes).filter(|step| *step > 0) else { continue };
            let registers = (memory.base(), memory.index(), memory.scale());
            let at = i64::from_ne_bytes(memory.displacement().to_ne_bytes());
            let is_same = |(other, from, _): &(Registers, i64, Stream)| {
                *other == registers && from.abs_diff(at) <= step.max(FAR_BYTES)
            };
            let found = streams.iter().position(is_same).unwrap_or_else(|| {
                streams.push((registers, at, Stream::default()));
                streams.len() - 1
            });
            let stream = &mut streams[found].2;
            let reads = !matches!(memory.access(), OpAccess::Write | OpAccess::CondWrite);
            let writes = !matches!(memory.access(), OpAccess::Read | OpAccess::CondRead);
            stream.step = step;
            stream.touched += LINE_BYTES.max(memory.memory_size().size() as u64);
            stream.is_read |= reads;
            stream.is_written |= writes;
            stream.is_past_caches |= writes && is_past_caches(instruction);
        }
    }
    let moved = |stream: &Stream| {
        let is_fetched = stream.is_read || !stream.is_past_caches;
        let lines = stream.step.min(stream.touched) as f64;
        lines * f64::from(u8::from(is_fetched) + u8::from(stream.is_written))
    };
    Traffic {
        n_streams: streams.len(),
        step: streams.iter().map(|(.., stream)| stream.step as f64).fold(0.0, f64::max),
        moved: streams.iter().map(|(.., stream)| moved(stream)).sum(),
    }
}

fn is_past_caches(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(
        instruction.mnemonic(),
        M::Movnti | M::Movntps | M::Movntpd | M::Movntdq | M::Vmovntps | M::Vmovntpd | M::Vmovntdq
    )
}

/// Whether two accesses are of one stream: what lies a little further on is the same.
pub(super) fn is_beside(one: &UsedMemory, other: &UsedMemory) -> bool {
    (one.base(), one.index()) == (other.base(), other.index())
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::super::LoopShape;
    use super::*;

    fn of(bytes: &[u8]) -> Traffic {
        let code: Vec<Instruction> =
            Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).into_iter().collect();
        let round: Vec<(&Instruction, u64)> = code.iter().map(|it| (it, 10)).collect();
        LoopShape::of_round(&round, 100).traffic
    }

    #[test]
    fn what_is_changed_in_place_is_read_and_written_back() {
        // movups xmm0, [rdi + rax]; addps xmm0, xmm1; movups [rdi + rax], xmm0; add rax, 16; cmp rax, rsi
        let in_place = [
            0x0f, 0x10, 0x04, 0x07, 0x0f, 0x58, 0xc1, 0x0f, 0x11, 0x04, 0x07, 0x48, 0x83, 0xc0, 0x10, 0x48,
            0x39, 0xf0,
        ];
        assert_eq!(of(&in_place), Traffic { n_streams: 1, step: 16.0, moved: 32.0 });
    }

    #[test]
    fn what_is_written_elsewhere_is_fetched_too_unless_the_store_goes_past_the_caches() {
        // movups xmm0, [rdi + rax]; addps xmm0, xmm1; movups [rdx + rax], xmm0; add rax, 16; cmp rax, rsi
        let elsewhere = [
            0x0f, 0x10, 0x04, 0x07, 0x0f, 0x58, 0xc1, 0x0f, 0x11, 0x04, 0x02, 0x48, 0x83, 0xc0, 0x10, 0x48,
            0x39, 0xf0,
        ];
        assert_eq!(of(&elsewhere), Traffic { n_streams: 2, step: 16.0, moved: 48.0 });
        // the same with movntps [rdx + rax], xmm0
        let past = [
            0x0f, 0x10, 0x04, 0x07, 0x0f, 0x58, 0xc1, 0x0f, 0x2b, 0x04, 0x02, 0x48, 0x83, 0xc0, 0x10, 0x48,
            0x39, 0xf0,
        ];
        assert_eq!(of(&past), Traffic { n_streams: 2, step: 16.0, moved: 32.0 });
    }

    #[test]
    fn arrays_that_only_their_distance_tells_apart_are_streams_of_their_own() {
        // movss xmm0, [rax*4 + 0x404000]; movss [rax*4 + 0x408000], xmm0; add rax, 1; cmp rax, rsi
        let fixed = [
            0xf3, 0x0f, 0x10, 0x04, 0x85, 0x00, 0x40, 0x40, 0x00, 0xf3, 0x0f, 0x11, 0x04, 0x85, 0x00, 0x80,
            0x40, 0x00, 0x48, 0x83, 0xc0, 0x01, 0x48, 0x39, 0xf0,
        ];
        assert_eq!(of(&fixed), Traffic { n_streams: 2, step: 4.0, moved: 12.0 });
    }

    #[test]
    fn what_stays_at_one_place_moves_nothing() {
        // add rax, [rsp + 8]; inc rcx
        assert_eq!(of(&[0x48, 0x03, 0x44, 0x24, 0x08, 0x48, 0xff, 0xc1]), Traffic::default());
    }
}
