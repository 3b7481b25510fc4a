//! The same kernels in plain code, for processors whose instructions are not written down here. How wide their vectors are is
//! the compiler's choice, so there is one figure for scalars and one for vectors of any width.

#![cfg_attr(
    target_arch = "x86_64",
    cfg_attr(not(test), expect(dead_code, reason = "x86-64 has loops of its own"))
)]

use std::hint::black_box;

use super::{Number, Pass};
use crate::Width;

/// Independent chains of a scalar loop, and of a loop that is made of vectors.
const SCALARS: usize = 12;
const LANES: usize = 12 * 16;

/// The loop of this width with the operations of one turn; `None` for widths of other processors.
pub(super) fn arithmetic(number: Number, width: Width) -> Option<(fn(u64), f64)> {
    let (run, lanes): (fn(u64), usize) = match (number, width) {
        (Number::F32, Width::Scalar) => (scalar_f32, SCALARS),
        (Number::F64, Width::Scalar) => (scalar_f64, SCALARS),
        (Number::F32, Width::Vector) => (vector_f32, LANES),
        (Number::F64, Width::Vector) => (vector_f64, LANES),
        _ => return None,
    };
    Some((run, 2.0 * lanes as f64))
}

macro_rules! chains {
    ($scalar:ident, $vector:ident, $type:ty) => {
        fn $scalar(n_turns: u64) {
            let (factor, summand): ($type, $type) = black_box((1.0, 1e-3));
            let mut chains = [0.0; SCALARS];
            for _ in 0..n_turns {
                // What passes through here is one number, so that the chains do not become vectors.
                chains.iter_mut().for_each(|chain| *chain = black_box(*chain * factor + summand));
            }
            black_box(chains);
        }

        fn $vector(n_turns: u64) {
            let (factor, summand): ($type, $type) = black_box((1.0, 1e-3));
            let mut chains = [0.0; LANES];
            for _ in 0..n_turns {
                chains.iter_mut().for_each(|chain| *chain = *chain * factor + summand);
            }
            black_box(chains);
        }
    };
}

chains!(scalar_f32, vector_f32, f32);
chains!(scalar_f64, vector_f64, f64);

/// Passes over a slice so many times.
pub(super) fn pass(pass: Pass, slice: &mut [u8], n_times: u64) {
    let part = slice.len() / 3;
    for _ in 0..n_times {
        match pass {
            Pass::Read => {
                let sum = words(slice).fold([0_u64; 8], |mut sums, eight| {
                    sums.iter_mut().zip(eight).for_each(|(sum, word)| *sum ^= word);
                    sums
                });
                black_box(sum);
            }
            Pass::Triad => {
                let (a, rest) = slice.split_at_mut(part);
                let (b, c) = rest.split_at(part);
                let factor = black_box(3_u64);
                let sums = words(b).zip(words(c));
                for (into, (b, c)) in a.chunks_exact_mut(64).zip(sums) {
                    for (into, (b, c)) in into.chunks_exact_mut(8).zip(b.into_iter().zip(c)) {
                        into.copy_from_slice(&b.wrapping_add(c.wrapping_mul(factor)).to_ne_bytes());
                    }
                }
                black_box(&mut *a);
            }
        }
    }
}

/// Bytes in words, eight at a time.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u64; 8]> {
    bytes.chunks_exact(64).map(|line| {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(line.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().expect("a chunk of eight bytes"));
        }
        words
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_kernels_do_what_their_names_say() {
        let mut bytes = [0_u8; 3 * 64];
        bytes[64] = 5;
        bytes[128] = 2;
        pass(Pass::Triad, &mut bytes, 2);
        assert_eq!((bytes[0], bytes[64], bytes[128]), (5 + 3 * 2, 5, 2));
        pass(Pass::Read, &mut bytes, 1);
        for (number, width) in [(Number::F32, Width::Scalar), (Number::F64, Width::Vector)] {
            let (run, flops) = arithmetic(number, width).expect("both are there");
            run(2);
            assert!(flops >= 24.0);
        }
        assert!(arithmetic(Number::F32, Width::Avx2).is_none());
    }
}
