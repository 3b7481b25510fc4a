//! A sum of floating-point numbers in one variable: the compiler may not change its order, so each step waits for the
//! one before. The twin keeps sixteen sums. Numbers are small and whole, so that both sums are exact.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Twins, Words};

pub(super) const CASE: Case = Case { name: "scalar-sum", rule: "CPU-SCALAR-LOOP", write, ..CPU };

const IN_ORDER: &str = "
#[inline(never)]
fn $name(left: &[$float], right: &[$float]) -> $float {
    let mut sum = 0.0;
    for (a, b) in left.iter().zip(right) {
        sum += $term;
    }
    sum
}
";

const IN_SIXTEEN: &str = "
#[inline(never)]
fn $name(left: &[$float], right: &[$float]) -> $float {
    let mut sums = [0.0; 16];
    let (left, right) = (left.chunks_exact(16), right.chunks_exact(16));
    let rest: $float = left.remainder().iter().zip(right.remainder()).map(|(a, b)| $term).sum();
    for (left, right) in left.zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += $term;
        }
    }
    sums.iter().sum::<$float>() + rest
}
";

const MAIN: &str = "
    let left: Vec<$float> = (0..$length).map(|n| (n * 7 % 11) as $float).collect();
    let right: Vec<$float> = (0..$length).map(|n| (n * 5 % 13) as $float).collect();
    let mut total = 0.0;
    for _ in 0..black_box($rounds) {
        total += f64::from($name(black_box(&left), black_box(&right)));
    }
    println!(\"{total}\");
";

fn write(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let float = words.one_of(&["f32", "f64"]);
    let term = words.one_of(&["a * b", "(a - b) * (a - b)", "(a - b).abs()"]);
    let length = words.between(3_000, 30_000);
    let rounds = 700_000_000 / length;
    around.twins(
        &name,
        (IN_ORDER, MAIN),
        (IN_SIXTEEN, MAIN),
        &[("name", &name), ("float", &float), ("term", &term), ("length", &length), ("rounds", &rounds)],
    )
}
