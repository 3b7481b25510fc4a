//! Source code and records: the same names again and again, signs, numbers, and much white space.

use std::fmt::Write;

use super::lexicon::Lexicon;
use crate::Random;

const SIGNS: [&str; 8] = [" + ", " - ", " * ", " == ", " += ", " && ", " < ", " | "];
const LEVELS: [&str; 5] = ["INFO", "INFO", "DEBUG", "WARN", "ERROR"];

/// Writes what programs and their users read.
pub(super) struct Code<'l> {
    pub(super) lexicon: &'l Lexicon,
}

impl Code<'_> {
    /// Some functions.
    pub(super) fn source(&self, random: &mut Random, text: &mut String) {
        let indent = if random.below(5) == 0 { "\t" } else { "    " };
        for _ in 0..1 + random.below(4) {
            let (name, argument) = (self.name(random), self.name(random));
            let _ = writeln!(text, "fn {name}({argument}: &[u32], n: usize) -> Option<u64> {{");
            for _ in 0..2 + random.below(8) {
                let depth = 1 + random.below(3) as usize;
                text.push_str(&indent.repeat(depth));
                self.line(random, text);
            }
            let _ = writeln!(text, "{indent}None\n}}\n");
        }
    }

    /// Lines of a log, objects of JSON, or columns.
    pub(super) fn records(&self, random: &mut Random, text: &mut String) {
        let kind = random.below(3);
        for n in 0..4 + random.below(20) {
            let (name, size) = (self.name(random), random.below(1_000_000));
            let second = f64::from(random.below(60_000)) / 1_000.0;
            let _ = match kind {
                0 => {
                    let level = LEVELS[random.below(5) as usize];
                    writeln!(
                        text,
                        "2026-03-{:02} 12:{:02}:{second:06.3} {level:<5} {name} n={size}",
                        n % 28 + 1,
                        n
                    )
                }
                1 => writeln!(text, "{{\"id\": {n}, \"{name}\": {size}, \"at\": {second:.3}, \"ok\": true}}"),
                _ => writeln!(text, "{name:<24}{size:>12}  {second:>10.2}"),
            };
        }
    }

    fn line(&self, random: &mut Random, text: &mut String) {
        let (a, b) = (self.name(random), self.name(random));
        let sign = SIGNS[random.below(SIGNS.len() as u32) as usize];
        let _ = match random.below(5) {
            0 => writeln!(text, "let {a} = {b}{sign}{};", random.below(256)),
            1 => writeln!(text, "if {a}[{}]{sign}{b} {{ return Some({a} as u64); }}", random.below(16)),
            2 => writeln!(text, "// {a} {} {b}", self.lexicon.known(random)),
            3 => writeln!(text, "{a}.push({b}{sign}0x{:04x});", random.below(0x1_0000)),
            _ => writeln!(text, "println!(\"{a}: {{}}\", {b});"),
        };
    }

    /// A name as programs have it: `last_word`.
    fn name(&self, random: &mut Random) -> String {
        let mut name = self.lexicon.known(random).to_owned();
        if random.below(2) == 0 {
            name.push('_');
            name.push_str(self.lexicon.known(random));
        }
        name
    }
}
