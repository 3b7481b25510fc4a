//! Scopes that tell their circumstances by labels: work whose time grows with the square of its input, and a level of
//! compression that looks longer than it finds.

use super::Case;
use super::surroundings::Surroundings;
use super::told::{START, TOLD};
use crate::planted::{Twins, Words};

pub(super) const SQUARE: Case =
    Case { name: "searched-from-the-start", rule: "CPU-SUPER-LINEAR", write: square, ..TOLD };
pub(super) const LEVEL: Case =
    Case { name: "level-too-high", rule: "CPU-COMPRESSION-LEVEL", write: level, ..TOLD };

const DISTINCT: &str = "
fn $name(values: &[u64]) -> usize {
    calor::scope!(\"$name\", n = values.len());
    let mut seen = $seen;
    for value in values {
        $take
    }
    seen.len()
}
";

const SIZES: &str = "
    let values: Vec<u64> = (0..8 * $least).map(|n| n * $odd % 1_000_003).collect();
    let mut total = 0;
    for _ in 0..black_box($rounds) {
        for times in [1, 2, 4, 8] {
            total += $name(black_box(&values[..times * $least]));
        }
    }
    println!(\"{total}\");
";

fn square(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 200));
    let name = words.function();
    let (least, odd) = (words.between(600, 1_500), words.between(1_000, 30_000) * 2 + 1);
    let rounds = 50_000_000 / (least * least);
    let values = |seen, take| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("least", &least),
            ("odd", &odd),
            ("rounds", &rounds),
            ("seen", seen),
            ("take", take),
        ]
    };
    let main = [START, SIZES].concat();
    let searched = "if !seen.contains(value) {\n            seen.push(*value);\n        }";
    Twins {
        planted: around.program(DISTINCT, &main, &values(&"Vec::new()", &searched)),
        healthy: around.program(
            DISTINCT,
            &main,
            &values(&"std::collections::HashSet::new()", &"seen.insert(*value);"),
        ),
        function: Some(name.clone()),
    }
}

const CODEC: &str = "
fn hash(four: &[u8; 4]) -> usize {
    (u32::from_le_bytes(*four).wrapping_mul(0x9e37_79b1) >> 18) as usize
}

/// Repetitions by their distance and length, everything else as it is: the higher the level, the more places are tried.
fn $name(data: &[u8], level: u32) -> Vec<u8> {
    let scope = calor::open!(\"$name\", codec = \"chains\", level = level);
    let (mut latest, mut before) = (vec![usize::MAX; 1 << 14], vec![usize::MAX; data.len()]);
    let (mut out, mut at) = (Vec::new(), 0);
    while at < data.len() {
        let (mut length, mut distance) = (0, 0);
        if let Some(four) = data[at..].first_chunk::<4>() {
            let mut tried = latest[hash(four)];
            for _ in 0..1u32 << level {
                if tried == usize::MAX || at - tried > 60_000 {
                    break;
                }
                let same = data[at..].iter().zip(&data[tried..]).take(250).take_while(|(x, y)| x == y).count();
                if same > length {
                    (length, distance) = (same, at - tried);
                }
                tried = before[tried];
            }
        }
        let passed = if length >= 4 { length } else { 1 };
        match passed {
            1 => out.extend([0, data[at]]),
            _ => out.extend([length as u8, distance as u8, (distance >> 8) as u8]),
        }
        for _ in 0..passed {
            if let Some(four) = data[at..].first_chunk::<4>() {
                (before[at], latest[hash(four)]) = (latest[hash(four)], at);
            }
            at += 1;
        }
    }
    scope.add(\"bytes_in\", data.len());
    scope.add(\"bytes_out\", out.len());
    out
}

fn restored(packed: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < packed.len() {
        if packed[at] == 0 {
            out.push(packed[at + 1]);
            at += 2;
        } else {
            let from = out.len() - usize::from(u16::from_le_bytes([packed[at + 1], packed[at + 2]]));
            (from..from + usize::from(packed[at])).for_each(|n| out.push(out[n]));
            at += 3;
        }
    }
    out
}
";

const PACK: &str = "
    let data: Vec<u8> = (0..$lines as u64)
        .flat_map(|n| format!(\"2031-07-{:02} host-{} took {} of {}\\n\", n / 900 % 28, n % 6, n * $odd % 1_000_003 * 7_919 % 999_983, n % 6 * 1_111).into_bytes())
        .collect();
    let mut sum = 0u64;
    for (n, piece) in data.chunks(150_000).enumerate() {
        let level = if n % 8 == 7 { $tried } else { $level };
        let back = restored(&$name(black_box(piece), level));
        sum = back.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }
    println!(\"{sum}\");
";

fn level(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 200));
    let name = words.function();
    let (lines, odd) = (words.between(240_000, 300_000), words.between(10, 60) * 2 + 1);
    let (low, high) = (7, words.between(10, 11));
    let values = |level, tried| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("lines", &lines), ("odd", &odd), ("level", level), ("tried", tried)]
    };
    let main = [START, PACK].concat();
    Twins {
        planted: around.program(CODEC, &main, &values(&high, &low)),
        healthy: around.program(CODEC, &main, &values(&low, &1)),
        function: Some(name.clone()),
    }
}
