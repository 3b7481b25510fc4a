//! Arithmetic in vectors of 128 bits, which is what a build for every processor gives. The twin has the same function
//! built for wider ones, and takes it where the processor has them.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Twins, Words};

pub(super) const CASE: Case = Case { name: "narrow-vectors", rule: "CPU-NARROW-VECTORS", write, ..CPU };

const PLAIN: &str = "
#[inline(never)]
fn $name(input: &[f32], output: &mut [f32]) {
    for (out, &x) in output.iter_mut().zip(input) {
        let mut y = x;
$steps        *out = y;
    }
}
";

const WIDE: &str = "
#[inline(never)]
fn $name(input: &[f32], output: &mut [f32]) {
    #[target_feature(enable = \"avx2\")]
    fn wide(input: &[f32], output: &mut [f32]) {
        for (out, &x) in output.iter_mut().zip(input) {
            let mut y = x;
$steps            *out = y;
        }
    }
    if is_x86_feature_detected!(\"avx2\") {
        // SAFETY: the processor has what the function was built for.
        return unsafe { wide(input, output) };
    }
    for (out, &x) in output.iter_mut().zip(input) {
        let mut y = x;
$steps        *out = y;
    }
}
";

const MAIN: &str = "
    let input: Vec<f32> = (0..$length).map(|n| (n % 251) as f32 * 0.001).collect();
    let mut output = vec![0.0; $length];
    for _ in 0..black_box($rounds) {
        $name(black_box(&input), &mut output);
    }
    println!(\"{:?}\", output.iter().copied().fold(0.0, f32::max));
";

fn write(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let n_steps = words.between(8, 14);
    let mut step = || {
        let (factor, term) = (words.between(2, 9), words.between(1, 99));
        match words.one_of(&["add", "subtract", "least"]) {
            "add" => format!("        y = y * x * 0.{factor} + 0.{term:02};\n"),
            "subtract" => format!("        y = (y - 0.{factor}) * (x + 0.{term:02});\n"),
            _ => format!("        y = (y * 0.{factor}).min(x * 0.{term:02});\n"),
        }
    };
    let steps: String = (0..n_steps).map(|_| step()).collect();
    let length = words.between(500, 1_000) * 4;
    // Four numbers a step and cycle or so.
    let rounds = 7_000_000_000 / (u64::from(length) * u64::from(n_steps));
    around.twins(
        &name,
        (PLAIN, MAIN),
        (WIDE, MAIN),
        &[("name", &name), ("steps", &steps), ("length", &length), ("rounds", &rounds)],
    )
}
