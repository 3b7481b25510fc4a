//! Lines of Python by the time on a processor, and how much of it the interpreter took itself.

use std::cmp::Reverse;

use calor_model::{FrameId, FrameKind, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{Facts, Owner};
use crate::findings::Share;

/// A line of a Python function of the program, with all that ran for it in libraries.
#[derive(Clone, PartialEq, Debug)]
pub struct LineFacts {
    /// The path that ends in the line with the most samples.
    pub stack: StackId,
    /// Samples of the line.
    pub samples: u64,
    /// Their part of the whole.
    pub share: Share,
    /// The part of the whole that the interpreter took to run the line itself: neither libraries nor the system.
    pub interpreter_share: Share,
    /// Samples of that.
    pub interpreter_samples: u64,
    /// Those of them in the interpreter's own loop, which reads one instruction after the other, and not in what it calls.
    pub step_samples: u64,
}

pub(super) fn lines(facts: &Facts<'_>) -> Vec<LineFacts> {
    let (cpu, profile) = (facts.cpu(), facts.profile());
    let mut sums: IndexMap<FrameId, Sum, RandomState> = IndexMap::default();
    for stack in cpu.stacks() {
        let Some((line, by)) = line_of(facts, stack) else { continue };
        let (samples, nanos) = cpu.own(stack);
        let sum = sums.entry(profile.stacks.get(line).frame).or_default();
        sum.all = (sum.all.0 + samples, sum.all.1 + nanos);
        if by == Owner::Interpreter {
            sum.interpreter = (sum.interpreter.0 + samples, sum.interpreter.1 + nanos);
            sum.steps += if is_step(facts, stack) { samples } else { 0 };
        }
        *sum.stacks.entry(line).or_default() += samples;
    }
    let told = |sum: Sum| {
        let heaviest = sum.stacks.iter().max_by_key(|(stack, samples)| (**samples, Reverse(**stack)));
        Some(LineFacts {
            stack: *heaviest?.0,
            samples: sum.all.0,
            share: cpu.share(sum.all.0, sum.all.1),
            interpreter_share: cpu.share(sum.interpreter.0, sum.interpreter.1),
            interpreter_samples: sum.interpreter.0,
            step_samples: sum.steps,
        })
    };
    let mut list: Vec<LineFacts> = sums.into_values().filter_map(told).collect();
    list.sort_by_key(|line| (Reverse(line.samples), line.stack));
    list
}

/// The line of the program that a path runs for, and who runs: the interpreter, unless a library or code of the program's
/// own is further in.
fn line_of(facts: &Facts<'_>, stack: StackId) -> Option<(StackId, Owner)> {
    let profile = facts.profile();
    let mut by = Owner::Interpreter;
    let mut at = Some(stack);
    while let Some(here) = at {
        let (kind, owner) = (facts.kind(here), facts.owner(here));
        match kind {
            FrameKind::Python if owner == Owner::Program => return Some((here, by)),
            // A library in Python, or compiled code that is not the interpreter's. What the system does for the interpreter,
            // such as memory, is part of running Python.
            FrameKind::Python => by = Owner::Library,
            FrameKind::Native if matches!(owner, Owner::Library | Owner::Program) => by = Owner::Library,
            _ => {}
        }
        at = profile.stacks.get(here).parent;
    }
    None
}

/// Whether a path ends in the interpreter's own loop: its function, or the Python function that stands for it.
fn is_step(facts: &Facts<'_>, stack: StackId) -> bool {
    facts.kind(stack) == FrameKind::Python || facts.name(stack).starts_with("_PyEval_EvalFrame")
}

#[derive(Default)]
struct Sum {
    all: (u64, f64),
    interpreter: (u64, f64),
    steps: u64,
    stacks: IndexMap<StackId, u64, RandomState>,
}

#[cfg(test)]
mod tests {
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn a_line_has_the_time_of_libraries_and_tells_that_of_the_interpreter_apart() {
        let line = "py:train@/home/me/train.py:12";
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&[line, "_PyEval_EvalFrameDefault!python3.11"], 300)
            .cpu(&[line, "_PyEval_EvalFrameDefault!python3.11", "malloc!libc.so.6"], 100)
            .cpu(&[line, "array_add!_multiarray_umath.so"], 400)
            .cpu(&[line, "py:mean@/v/site-packages/numpy/core.py:3", "long_add!python3.11"], 100)
            .cpu(&["py:train@/home/me/train.py:13"], 50)
            .cpu(&["app::native@src/main.rs:1"], 50)
            .profile();
        let facts = Facts::new(&profile, None);
        let told: Vec<_> = facts
            .python_lines()
            .iter()
            .map(|line| {
                let place = facts.place(line.stack);
                (place.line, line.samples, line.interpreter_samples, line.step_samples)
            })
            .collect();
        assert_eq!(told, [(Some(12), 900, 400, 300), (Some(13), 50, 50, 50)]);
        assert!((facts.python_lines()[0].interpreter_share.estimate - 0.4).abs() < 1e-9);
    }
}
