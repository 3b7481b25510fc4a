//! A function of a few instructions that the compiler was kept from putting into its caller. The twin lets it, and is
//! built for wide vectors, since that would be the next finding.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Twins, Words};

pub(super) const CASE: Case =
    Case { name: "tiny-function", rule: "CPU-SMALL-CALLS", flags: &["-Ctarget-cpu=native"], write, ..CPU };

const ITEMS: &str = "
#[inline$never]
fn $name(x: u32, y: u32) -> u32 {
    $body
}
";

const MAIN: &str = "
    let mut values: Vec<u32> = (0..$length).collect();
    for round in 0..black_box($rounds) {
        for value in &mut values {
            *value = $name(*value, round);
        }
        black_box(&values);
    }
    println!(\"{}\", values.iter().map(|value| u64::from(*value)).sum::<u64>());
";

fn write(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let body = words.one_of(&[
        "(x ^ y).wrapping_mul(0x9e37_79b9)",
        "x.wrapping_add(y).rotate_left(7)",
        "x.max(y) - (x.min(y) >> 1)",
        "(x & 0x00ff_00ff).wrapping_add(y ^ x)",
    ]);
    let length = words.between(1_000, 8_000);
    let rounds = 500_000_000 / length;
    let values = |never| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("body", &body), ("length", &length), ("rounds", &rounds), ("never", never)]
    };
    Twins {
        planted: around.program(ITEMS, MAIN, &values(&"(never)")),
        healthy: around.program(ITEMS, MAIN, &values(&"")),
        function: Some(name.clone()),
    }
}
