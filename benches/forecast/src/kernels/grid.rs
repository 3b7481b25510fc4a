//! Programs over matrices: their memory and their time grow with a power of the size.

use std::hint::black_box;

use crate::chance::Chance;

pub(super) fn transpose(n: usize) -> u64 {
    let from = Chance::new(5).floats(n * n);
    let mut into = vec![0.0_f32; n * n];
    for _ in 0..160 {
        for row in 0..n {
            for column in 0..n {
                into[column * n + row] = from[row * n + column];
            }
        }
        black_box(&mut into);
    }
    into.iter().step_by(n + 1).sum::<f32>().to_bits().into()
}

pub(super) fn gemm(n: usize) -> u64 {
    let mut chance = Chance::new(6);
    let (a, b) = (chance.floats(n * n), chance.floats(n * n));
    let mut c = vec![0.0_f32; n * n];
    for _ in 0..2 {
        for (a, c) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
            }
        }
        black_box(&mut c);
    }
    c.iter().sum::<f32>().to_bits().into()
}

pub(super) fn matvec(n: usize) -> u64 {
    let mut chance = Chance::new(7);
    let (matrix, mut x) = (chance.floats(n * n), chance.floats(n));
    for _ in 0..400 {
        let y: Vec<f32> = matrix.chunks_exact(n).map(|row| dot(row, &x) / n as f32).collect();
        x = y;
    }
    x.iter().sum::<f32>().to_bits().into()
}

/// In eight sums side by side, as one writes it for vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    sums.iter().sum()
}

pub(super) fn attention(n: usize) -> u64 {
    const CHANNELS: usize = 64;
    let mut chance = Chance::new(8);
    let [q, k, v] = [(); 3].map(|()| chance.floats(n * CHANNELS));
    let mut out = vec![0.0_f32; n * CHANNELS];
    for _ in 0..4 {
        let mut scores = vec![0.0_f32; n * n];
        for (q, scores) in q.chunks_exact(CHANNELS).zip(scores.chunks_exact_mut(n)) {
            for (k, score) in k.chunks_exact(CHANNELS).zip(scores.iter_mut()) {
                *score = dot(q, k) / 8.0;
            }
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            scores.iter_mut().for_each(|score| *score = (*score - most).exp());
            let sum: f32 = scores.iter().sum();
            scores.iter_mut().for_each(|score| *score /= sum);
        }
        for (out, scores) in out.chunks_exact_mut(CHANNELS).zip(scores.chunks_exact(n)) {
            for (v, score) in v.chunks_exact(CHANNELS).zip(scores) {
                out.iter_mut().zip(v).for_each(|(out, v)| *out += score * v);
            }
        }
    }
    out.iter().sum::<f32>().to_bits().into()
}

pub(super) fn edit_distance(n: usize) -> u64 {
    let mut chance = Chance::new(9);
    let mut text = || (0..n).map(|_| b'a' + chance.below(6) as u8).collect::<Vec<u8>>();
    let (a, b) = (text(), text());
    let mut row: Vec<u32> = (0..=n as u32).collect();
    for (at, a) in a.iter().enumerate() {
        let mut before = row[0];
        row[0] = at as u32 + 1;
        for (column, b) in b.iter().enumerate() {
            let replaced = before + u32::from(a != b);
            before = row[column + 1];
            row[column + 1] = replaced.min(before + 1).min(row[column] + 1);
        }
    }
    row[n].into()
}
