//! Planted programs in Python, a few close ones a file. They run on Python 3.8 and later with the standard library;
//! those that need numpy say so.

use std::fmt::Display;

use super::template::fill;
use super::{Case, Healthy, Twins, Words};

mod copies;
mod healthy;
mod heap;
mod lists;
mod loops;
mod numpy;
mod preparation;
mod surroundings;
mod threads;
mod waiting;

pub(super) const CASES: &[Case] = &[
    loops::NUMBERS,
    loops::COUNTING,
    loops::CALLS,
    lists::MEMBERS,
    lists::FRONT,
    copies::JOINED,
    copies::SLICED,
    copies::DEEP,
    preparation::PATTERNS,
    preparation::EXPRESSIONS,
    threads::INTERPRETER_LOCK,
    threads::LOCK,
    waiting::REQUESTS,
    waiting::READING,
    waiting::LOADING,
    heap::SMALL_BLOCKS,
    heap::SPIKE,
    heap::GROWTH,
    heap::LARGE_BLOCKS,
    numpy::ELEMENTS,
    numpy::TEMPORARIES,
    numpy::ALGEBRA,
];

pub(super) const HEALTHY: &[Healthy] = healthy::PROGRAMS;

/// Both programs of a template: `$body` is the planted or the healthy way, `$surroundings` and `$around` are drawn.
fn program(
    words: &mut Words,
    template: &str,
    (planted, healthy): (&str, &str),
    function: Option<String>,
    values: &[(&str, &dyn Display)],
) -> Twins {
    let around = surroundings::surroundings(words);
    let written = |body: &str| {
        let drawn: [(&str, &dyn Display); 3] =
            [("body", &body), ("surroundings", &around.definition), ("around", &around.call)];
        fill(template, &[&drawn, values].concat())
    };
    Twins { planted: written(planted), healthy: written(healthy), function }
}
