//! The vectors of a function that was never sampled, such as one of a workload that is looked at beside its figures.
//!
//! Without samples nobody knows which loop takes the time. But a function that computes does it where the most numbers are
//! worked on in a round: vector code has its preparations and its tails beside that, and they are smaller.

use calor_model::{CodeKey, FunctionCode, StringTable};
use iced_x86::Instruction;

use super::verdict::{Taken, verdict_on_taken};
use super::{SimdVerdict, work};

/// What a function computes with, by the loop that works on the most floating-point numbers; where none does, by the one with
/// the most instructions; without loops, by all of it. `None` for what is no x86-64 code.
#[must_use]
pub fn vectors_of(start: u64, bytes: &[u8]) -> Option<SimdVerdict> {
    let mut strings = StringTable::default();
    let name = strings.intern("");
    let key = CodeKey { name, module: None, build: name, start };
    let code = FunctionCode { size: bytes.len() as u64, bytes: bytes.to_vec(), ..FunctionCode::default() };
    let function = Taken::new(key, &code);
    let instructions = &function.decoded.instructions;
    if instructions.is_empty() {
        return None;
    }
    let n_code = function.blocks.ranges.len();
    let of_loop = |id: Option<usize>| -> Vec<usize> {
        let blocks = (0..n_code).filter(|block| function.loops.innermost[*block] == id);
        blocks.flat_map(|block| function.blocks.ranges[block].clone()).collect()
    };
    let work_of = |id: usize| {
        let own = of_loop(Some(id));
        (own.iter().map(|index| numbers(&instructions[*index])).sum::<f64>(), own.len())
    };
    let most = (0..function.loops.all.len())
        .map(|id| (work_of(id), id))
        .max_by(|((a, m), _), ((b, n), _)| a.total_cmp(b).then(m.cmp(n)))
        .map(|(_, id)| id);
    // As if each of its instructions had been met once, which is all that is asked of counts here.
    let mut counts = vec![0; instructions.len()];
    of_loop(most).into_iter().for_each(|index| counts[index] = 1);
    if counts.iter().all(|count| *count == 0) {
        counts.fill(1);
    }
    verdict_on_taken(&function, &counts).map(|verdict| SimdVerdict { n_samples: 0, ..verdict })
}

/// How many floating-point numbers an instruction computes with, in vectors of 128 bits.
fn numbers(instruction: &Instruction) -> f64 {
    if !work::is_float(instruction) {
        return 0.0;
    }
    let part = match work::work(instruction) {
        work::Work::Packed(width) => width.factor(),
        // One of four, or of two.
        _ => 0.25,
    };
    if work::is_fused(instruction) { 2.0 * part } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    #[test]
    fn a_function_is_what_its_largest_loop_of_arithmetic_is() {
        let packed = [
            0x0f, 0x58, 0x06, // addps xmm0, [rsi]
            0x48, 0xff, 0xc8, // dec rax
            0x75, 0xf8, // jne to the first
        ];
        let scalar = [
            0xf3, 0x0f, 0x58, 0x06, // addss xmm0, [rsi]
            0x48, 0xff, 0xc8, // dec rax
            0x75, 0xf7, // jne to the first
        ];
        let fused = [
            0xc4, 0xe2, 0x75, 0xb8, 0x06, // vfmadd231ps ymm0, ymm1, [rsi]
            0x48, 0xff, 0xc8, // dec rax
            0x75, 0xf6, // jne to the first
        ];
        let class = |parts: &[&[u8]]| {
            let code: Vec<u8> = parts.concat().into_iter().chain([0xc3]).collect();
            vectors_of(0x1000, &code).map(|verdict| (verdict.class, verdict.fma(), verdict.n_samples))
        };
        assert_eq!(class(&[&packed]), Some((Class::Sse, false, 0)));
        assert_eq!(class(&[&scalar]), Some((Class::Scalar, false, 0)));
        assert_eq!(class(&[&packed, &scalar]), Some((Class::Sse, false, 0)), "the tail does not count");
        assert_eq!(class(&[&scalar, &fused, &packed]), Some((Class::Avx2, true, 0)));
        assert_eq!(class(&[&scalar[..4]]), Some((Class::Scalar, false, 0)), "without loops all of it counts");
        assert_eq!(vectors_of(0, &[]), None);
    }
}
