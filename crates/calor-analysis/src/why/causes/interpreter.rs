//! The slower side is run by an interpreter, step by step, where the other is compiled.

use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::{nanos, percent};
use crate::why::{WhyCause, WhySide};

/// Less than this part is what calling compiled code takes.
const LEAST_PART: f64 = 0.2;
/// Less than this part of a call is not told.
const LEAST_TOLD: f64 = 0.02;

pub(super) fn interpreter(gap: &Gap<'_>) -> Option<Claim> {
    let part = |side: &WhySide| side.parts.interpreter;
    if !gap.has_samples() || part(gap.slow) < LEAST_PART || !grows(gap) {
        return None;
    }
    let taken = |side: &WhySide, cpu: f64| format!("{} ({} of", nanos(part(side) * cpu), percent(part(side)));
    let mut evidence = vec![format!(
        "the interpreter itself takes {} its CPU time) of a call of {}, {} its) of one of {}",
        taken(gap.slow, gap.slow_cpu),
        gap.slow_name(),
        taken(gap.fast, gap.fast_cpu),
        gap.fast_name()
    )];
    // Objects for each number are made and let go on the way, and each step has its function, which has no loop.
    let steps = |side: &WhySide| (side.parts.own - side.in_loops()).max(0.0);
    let objects = |side: &WhySide| side.parts.memory;
    let with_steps = |side: &WhySide| part(side) + objects(side) + steps(side);
    // What is counted besides is told: the part of the gap has to follow from what is said.
    let besides = [
        (gap.longer(objects), "to get and give back memory, which is for the objects it makes on the way"),
        (gap.longer(steps), "in functions without a loop of their own, which it calls step by step"),
    ];
    let told = besides.iter().filter(|(longer, _)| *longer >= LEAST_TOLD * gap.slow_cpu);
    evidence.extend(told.map(|(longer, what)| {
        format!(
            "{} a call more ({} of the CPU time of {}) are spent {what}",
            nanos(*longer),
            percent(longer / gap.slow_cpu),
            gap.slow_name()
        )
    }));
    Some(Claim { cause: WhyCause::Interpreter, nanos: gap.longer(with_steps), evidence })
}

/// Whether more is interpreted for larger input: otherwise it is overhead of the call.
fn grows(gap: &Gap<'_>) -> bool {
    let Some(lines) = gap.lines else { return true };
    let fixed = (lines[gap.slower].fixed - lines[1 - gap.slower].fixed).max(0.0);
    fixed < 0.5 * (gap.slow_nanos - gap.fast_nanos)
}
