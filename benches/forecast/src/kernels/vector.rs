//! Programs over vectors of numbers.

use std::f64::consts::TAU;
use std::hint::black_box;

use crate::chance::Chance;

fn passes(n: usize, n_passes: usize) -> u64 {
    let mut chance = Chance::new(1);
    let (x, mut y) = (chance.floats(n), chance.floats(n));
    for pass in 0..n_passes {
        let factor = 1e-4 * pass as f32;
        y.iter_mut().zip(&x).for_each(|(y, x)| *y += factor * x);
        black_box(&mut y);
    }
    y.iter().sum::<f32>().to_bits().into()
}

pub(super) fn axpy(n: usize) -> u64 {
    passes(n, 3_000)
}

pub(super) fn axpy_large(n: usize) -> u64 {
    passes(n, 30)
}

pub(super) fn gather(n: usize) -> u64 {
    let mut chance = Chance::new(2);
    let table = chance.floats(n);
    let places: Vec<u32> = (0..n).map(|_| chance.below(n) as u32).collect();
    let mut sum = 0.0;
    for _ in 0..100 {
        sum += black_box(&places).iter().map(|place| table[*place as usize]).sum::<f32>();
    }
    sum.to_bits().into()
}

/// Radix two, in place, with its factors in a table.
pub(super) fn fft(n: usize) -> u64 {
    let mut chance = Chance::new(3);
    let mut points: Vec<[f64; 2]> = (0..n).map(|_| [chance.unit().into(), chance.unit().into()]).collect();
    let factors: Vec<[f64; 2]> = (0..n / 2)
        .map(|at| {
            let (sine, cosine) = (-TAU * at as f64 / n as f64).sin_cos();
            [cosine, sine]
        })
        .collect();
    for _ in 0..40 {
        transform(&mut points, &factors);
        points.iter_mut().for_each(|point| *point = point.map(|part| part / (n as f64).sqrt()));
    }
    points.iter().map(|point| point[0]).sum::<f64>().to_bits()
}

fn transform(points: &mut [[f64; 2]], factors: &[[f64; 2]]) {
    let n = points.len();
    let bits = n.trailing_zeros();
    for at in 0..n {
        let turned = at.reverse_bits() >> (usize::BITS - bits);
        if at < turned {
            points.swap(at, turned);
        }
    }
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        for start in (0..n).step_by(2 * half) {
            for at in 0..half {
                let [cosine, sine] = factors[at * stride];
                let [re, im] = points[start + at + half];
                let turned = [re * cosine - im * sine, re * sine + im * cosine];
                let [re, im] = points[start + at];
                points[start + at] = [re + turned[0], im + turned[1]];
                points[start + at + half] = [re - turned[0], im - turned[1]];
            }
        }
        half *= 2;
    }
}

pub(super) fn all_pairs(n: usize) -> u64 {
    let mut chance = Chance::new(4);
    let [x, y, z] = [chance.floats(n), chance.floats(n), chance.floats(n)];
    let mut forces = vec![0.0_f32; n];
    for _ in 0..4 {
        for one in 0..n {
            let mut sum = 0.0;
            for other in 0..n {
                let (dx, dy, dz) = (x[one] - x[other], y[one] - y[other], z[one] - z[other]);
                let square = dx * dx + dy * dy + dz * dz + 1e-3;
                sum += dx / (square * square.sqrt());
            }
            forces[one] += sum;
        }
    }
    forces.iter().sum::<f32>().to_bits().into()
}
