//! Work as in generating text with a small neural network, on two threads: 64 MB of weights each, a few large vectors for
//! every token, and the forty likeliest tokens as strings and in a map.

use std::collections::HashMap;
use std::hint::black_box;
use std::thread;

use harness::Figures;

use super::numbers::Numbers;
use super::{Around, Part, done};

const N_THREADS: usize = 2;
const N_LAYERS: usize = 8;
/// Numbers in a vector.
const WIDTH: usize = 512;
/// How much wider it is inside a layer.
const INNER: usize = 4;
/// So many vectors are kept for later tokens, of which the older half is dropped when there are more.
const N_KEPT: usize = 2048;
const N_LIKELIEST: usize = 40;

struct Layer {
    up: Vec<f32>,
    down: Vec<f32>,
}

/// Generates so many tokens on each thread; making the weights is not measured.
pub(super) fn run(n_tokens: usize, around: Around) -> Result<Figures, String> {
    let networks: Vec<Vec<Layer>> = (0..N_THREADS).map(|thread| network(thread as u64)).collect();
    let part = Part::begin()?;
    let check = thread::scope(|scope| {
        let workers: Vec<_> = networks
            .iter()
            .map(|network| scope.spawn(move || done(around, || generate(network, n_tokens))))
            .collect();
        let checks = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
        checks.fold(0, u64::wrapping_add)
    });
    part.end(check)
}

fn network(seed: u64) -> Vec<Layer> {
    let mut numbers = Numbers::new(seed);
    let mut matrix = || {
        let weight = |_| ((numbers.next() >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 0.08;
        (0..WIDTH * WIDTH * INNER).map(weight).collect()
    };
    (0..N_LAYERS).map(|_| Layer { up: matrix(), down: matrix() }).collect()
}

#[inline(never)]
fn generate(network: &[Layer], n_tokens: usize) -> u64 {
    let mut state: Vec<f32> = (0..WIDTH).map(|at| (at as f32).sin()).collect();
    let (mut kept, mut text) = (Vec::new(), Vec::new());
    let mut check = 0u64;
    for token in 0..n_tokens {
        for layer in network {
            state = layer.applied(&state);
            kept.push(state.clone());
        }
        let (best, words, weights) = likeliest(&state, token);
        state[best] *= 0.5;
        check = check.wrapping_mul(31).wrapping_add(best as u64 ^ words.len() as u64);
        black_box(weights);
        if token % 4 == 0 {
            text.push(words);
        }
        if kept.len() > N_KEPT {
            kept.drain(..N_KEPT / 2);
        }
    }
    black_box((kept, text));
    check.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Layer {
    #[inline(never)]
    fn applied(&self, state: &[f32]) -> Vec<f32> {
        let inner: Vec<f32> = product(&self.up, state).into_iter().map(|value| value.max(0.0)).collect();
        let change = product(&self.down, &inner);
        state.iter().zip(&change).map(|(old, change)| (old + change * 0.01).clamp(-4.0, 4.0)).collect()
    }
}

#[inline(never)]
fn product(matrix: &[f32], vector: &[f32]) -> Vec<f32> {
    let row_times_vector = |row: &[f32]| {
        // Eight sums at a time, which the compiler keeps in vector registers.
        let mut sums = [0f32; 8];
        for (row, vector) in row.chunks_exact(8).zip(vector.chunks_exact(8)) {
            sums.iter_mut().zip(row.iter().zip(vector)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        sums.iter().sum()
    };
    matrix.chunks_exact(vector.len()).map(row_times_vector).collect()
}

#[inline(never)]
fn likeliest(state: &[f32], token: usize) -> (usize, String, HashMap<usize, f32>) {
    let mut order: Vec<usize> = (0..state.len()).collect();
    order.sort_unstable_by(|a, b| state[*b].total_cmp(&state[*a]));
    order.truncate(N_LIKELIEST);
    let words: Vec<String> = order.iter().map(|word| format!("word{word}at{token}")).collect();
    let weights = order.iter().map(|&word| (word, state[word])).collect();
    (order[0], words.join(" "), weights)
}
