//! Honest work that stands around a bottleneck, so that no program is its bottleneck alone: built-in functions and
//! libraries do it, and it takes a tenth of a second or two.

use crate::planted::Words;
use crate::planted::template::fill;

/// A function that a planted program has beside its bottleneck.
pub(super) struct Surroundings {
    /// Its definition, with what it imports.
    pub definition: String,
    /// A call of it, which gives a whole number.
    pub call: String,
}

/// One of the works below, with a name and a size of its own.
pub(super) fn surroundings(words: &mut Words) -> Surroundings {
    let name = words.function();
    let kind = words.between(0, WORKS.len() as u32 - 1) as usize;
    let (template, low, high) = WORKS[kind];
    let size = words.between(low, high);
    Surroundings { definition: fill(template, &[("name", &name)]), call: format!("{name}({size})") }
}

/// Definitions, and the sizes between which they take about as long.
const WORKS: [(&str, u32, u32); 5] = [
    (
        r#"
import json


def $name(size):
    rows = [{"id": number, "name": "n%d" % number, "tags": ["a", "b"]} for number in range(size)]
    return len(json.loads(json.dumps(rows)))
"#,
        15_000,
        40_000,
    ),
    (
        r#"
import hashlib


def $name(size):
    block = bytes(range(256)) * size
    return sum(hashlib.sha256(block).digest()) + sum(hashlib.sha512(block).digest())
"#,
        60_000,
        160_000,
    ),
    (
        r"
def $name(size):
    values = [number * 7919 % 1000003 for number in range(size)]
    values.sort()
    return values[size // 2] + len(set(values))
",
        100_000,
        250_000,
    ),
    (
        r#"
import re


def $name(size):
    text = "one two, three; four 55 six. " * size
    return len(re.findall(r"[a-z]+", text)) + len(text.split())
"#,
        20_000,
        50_000,
    ),
    (
        r#"
import zlib


def $name(size):
    text = b"".join(b"%d:%d," % (number, number * number) for number in range(size))
    return len(zlib.decompress(zlib.compress(text, 6)))
"#,
        60_000,
        150_000,
    ),
];
