//! What stands around a bottleneck: honest work of its own, a smaller or larger part of the program, before and after
//! it. Nothing in it is to be found, so a rule that points there is wrong.

use crate::planted::template::{Values, fill};
use crate::planted::{Twins, Words};

/// Honest functions, each taking a number of rounds and giving a number. A round of any takes about a millisecond.
const WORKS: [&str; 5] = [
    // Escape times: arithmetic whose length depends on its results.
    "
#[inline(never)]
fn $name(rounds: u64) -> u64 {
    let mut total = 0;
    for round in 0..rounds * 24 {
        for point in 0..$points {
            let (cx, cy) = (point as f64 * 0.0071 - 1.9, (round % 97) as f64 * 0.0093);
            let (mut x, mut y, mut n) = (0.0_f64, 0.0_f64, 0);
            while n < 120 && x * x + y * y < 4.0 {
                (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                n += 1;
            }
            total += n;
        }
    }
    total
}
",
    // Numbers read from text, one byte at a time.
    "
#[inline(never)]
fn $name(rounds: u64) -> u64 {
    let text: Vec<u8> = (0..4000u64).flat_map(|n| format!(\"{},\", n * $points % 9973).into_bytes()).collect();
    let mut total = 0u64;
    for round in 0..rounds * 110 {
        let mut number = 0u64;
        for byte in std::hint::black_box(&text) {
            match byte {
                b'0'..=b'9' => number = number * 10 + u64::from(byte - b'0'),
                _ => {
                    total = total.wrapping_add(number ^ round);
                    number = 0;
                }
            }
        }
    }
    total
}
",
    // A checksum by table: each step needs the one before.
    "
#[inline(never)]
fn $name(rounds: u64) -> u64 {
    let table: Vec<u32> = (0..256u32)
        .map(|n| (0..8).fold(n, |crc, _| if crc & 1 != 0 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 }))
        .collect();
    let data: Vec<u8> = (0..30_000u32).map(|n| (n * $points) as u8).collect();
    let mut total = 0u64;
    for _ in 0..rounds * 16 {
        let crc = std::hint::black_box(&data)
            .iter()
            .fold(!0u32, |crc, byte| table[((crc ^ u32::from(*byte)) & 255) as usize] ^ (crc >> 8));
        total = total.wrapping_add(u64::from(!crc));
    }
    total
}
",
    // Sorting what looks random.
    "
#[inline(never)]
fn $name(rounds: u64) -> u64 {
    let mut state: u64 = $points | 1;
    let mut values = vec![0u64; 9_000];
    let mut total = 0u64;
    for _ in 0..rounds * 8 {
        for value in &mut values {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *value = state % 1_000_003;
        }
        values.sort_unstable_by_key(|value| value.rotate_left(9));
        total = total.wrapping_add(values[4_000]);
    }
    total
}
",
    // Primes by trial division.
    "
#[inline(never)]
fn $name(rounds: u64) -> u64 {
    let mut found = 0;
    for round in 0..rounds {
        let first = 100_003 + round * $points;
        for candidate in (first..first + 24_000).step_by(2) {
            let is_prime = (3..).step_by(2).take_while(|d| d * d <= candidate).all(|d| candidate % d != 0);
            found += u64::from(is_prime);
        }
    }
    found
}
",
];

/// Pieces of a program that stand around its bottleneck.
pub(super) struct Surroundings {
    items: String,
    before: String,
    after: String,
}

impl Surroundings {
    /// Two honest functions, called for so many milliseconds together, about.
    pub(super) fn of(words: &mut Words, millis: (u32, u32)) -> Self {
        let first = words.between(0, WORKS.len() as u32 - 1) as usize;
        let second = (first + 1 + words.between(0, WORKS.len() as u32 - 2) as usize) % WORKS.len();
        let whole = words.between(millis.0, millis.1);
        let mut surroundings = Self { items: String::new(), before: String::new(), after: String::new() };
        let part = words.between(20, 80);
        for (work, part, is_first) in [(first, part, true), (second, 100 - part, false)] {
            let (name, points) = (words.function(), words.between(700, 900));
            surroundings.items += "\n";
            surroundings.items += &fill(WORKS[work], &[("name", &name), ("points", &points)]);
            let call = format!("    println!(\"{{}}\", {name}({}));\n", whole * part / 100);
            if is_first { surroundings.before = call } else { surroundings.after = call }
        }
        surroundings
    }

    /// Both programs. Of each: what it consists of, and what its main function does between the honest work, as templates.
    pub(super) fn twins(
        &self,
        function: &str,
        planted: (&str, &str),
        healthy: (&str, &str),
        values: &Values<'_>,
    ) -> Twins {
        let program = |(items, main)| self.program(items, main, values);
        Twins { planted: program(planted), healthy: program(healthy), function: Some(function.to_owned()) }
    }

    /// One program.
    pub(super) fn program(&self, items: &str, main: &str, values: &Values<'_>) -> String {
        let Self { items: honest, before, after } = self;
        let (items, main) = (fill(items, values), fill(main, values));
        format!(
            "#![allow(dead_code, unused_imports)]\nuse std::hint::black_box;\n\n{items}{honest}\nfn main() {{\n{before}{main}{after}}}\n"
        )
    }
}
