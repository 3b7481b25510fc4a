//! Memory that is copied where it could be read in place: a table that is cloned for each question, and a queue that is
//! taken from at the front of a vector.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Twins, Words};

pub(super) const CLONES: Case =
    Case { name: "cloned-table", rule: "CPU-MEMORY-COPIES", write: clones, ..CPU };
pub(super) const QUEUE: Case =
    Case { name: "queue-in-a-vector", rule: "CPU-MEMORY-COPIES", write: queue, ..CPU };

const TABLE: &str = "
#[derive(Clone)]
struct Table {
    rows: Vec<[u32; $width]>,
}

#[inline(never)]
fn $name(table: &Table, first: usize) -> u64 {
    let $binding;
    let mut sum = 0;
    for step in 0..$touched {
        sum += u64::from(rows[(first + step * 7) % rows.len()][step % $width]);
    }
    sum
}
";

const ASK: &str = "
    let table = Table { rows: (0..$rows).map(|n| [n as u32; $width]).collect() };
    let mut total = 0;
    for question in 0..black_box($rounds) {
        total += $name(black_box(&table), question);
    }
    println!(\"{total}\");
";

fn clones(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let (width, kib) = (words.between(3, 12), words.between(30, 90));
    let rows = kib * 256 / width;
    let touched = words.between(100, 400);
    let rounds = 22_000_000 / kib;
    let copied = words.one_of(&[
        "rows = table.clone().rows",
        "rows = table.rows.clone()",
        "rows = table.rows.to_vec()",
    ]);
    let values = |binding| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("binding", binding),
            ("name", &name),
            ("width", &width),
            ("rows", &rows),
            ("touched", &touched),
            ("rounds", &rounds),
        ]
    };
    Twins {
        planted: around.program(TABLE, ASK, &values(&copied)),
        healthy: around.program(TABLE, ASK, &values(&"rows = &table.rows")),
        function: Some(name.clone()),
    }
}

const VECTOR: &str = "
#[inline(never)]
fn $name(waiting: &mut Vec<u64>, item: u64) -> u64 {
    waiting.push(item);
    let next = waiting.remove(0);
    next.rotate_left(7) ^ item
}
";

const RING: &str = "
#[inline(never)]
fn $name(waiting: &mut std::collections::VecDeque<u64>, item: u64) -> u64 {
    waiting.push_back(item);
    let next = waiting.pop_front().unwrap_or(0);
    next.rotate_left(7) ^ item
}
";

const TAKE: &str = "
    let mut waiting = (0..$waiting).collect();
    let mut total = 0u64;
    for item in 0..black_box($rounds) {
        total = total.wrapping_mul(31).wrapping_add($name(&mut waiting, item));
    }
    println!(\"{total}\");
";

fn queue(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let waiting = words.between(1_500, 6_000);
    let rounds = 5_000_000_000u64 / u64::from(waiting);
    around.twins(
        &name,
        (VECTOR, TAKE),
        (RING, TAKE),
        &[("name", &name), ("waiting", &waiting), ("rounds", &rounds)],
    )
}
