//! Text that reaches a file in the pieces it is formatted from, each by a call into the kernel.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Twins, Words};

pub(super) const CASE: Case =
    Case { name: "text-in-pieces", rule: "CPU-UNBUFFERED-IO", write: pieces, ..CPU };

const TABLE: &str = "
use std::io::Write;

#[inline(never)]
fn $name(out: &mut impl Write, row: u64) -> std::io::Result<u64> {
    let (a, b) = (row.rotate_left($turn) % 10_007, row % $modulus);
    writeln!(out, \"{a}$separator{b}\")?;
    Ok(a ^ b)
}
";

const SAVE: &str = "
    let file = std::fs::File::create(\"/dev/null\").expect(\"there is such a device\");
    let mut out = $writer;
    let mut total = 0u64;
    for row in 0..black_box($rows) {
        total = total.wrapping_add($name(&mut out, row).expect(\"it takes anything\"));
    }
    println!(\"{total}\");
";

fn pieces(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let (turn, modulus) = (words.between(3, 29), words.between(101, 9_973));
    let rows = words.between(900_000, 1_500_000);
    let separator = words.one_of(&[",", ";", " "]);
    let values = |writer| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("writer", writer),
            ("name", &name),
            ("turn", &turn),
            ("modulus", &modulus),
            ("rows", &rows),
            ("separator", &separator),
        ]
    };
    Twins {
        planted: around.program(TABLE, SAVE, &values(&"file")),
        healthy: around.program(TABLE, SAVE, &values(&"std::io::BufWriter::new(file)")),
        function: Some(name.clone()),
    }
}
