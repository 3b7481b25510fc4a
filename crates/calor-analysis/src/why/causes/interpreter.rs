//! The slower side is run by an interpreter, step by step, where the other is compiled.

use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::percent;
use crate::why::{WhyCause, WhySide};

/// Calling compiled code from an interpreted program takes this part of the time and is overhead of the call.
const LEAST_PART: f64 = 0.3;

pub(super) fn interpreter(gap: &Gap<'_>) -> Option<Claim> {
    let part = |side: &WhySide| side.parts.interpreter;
    if !gap.has_samples() || part(gap.slow) < LEAST_PART || !grows(gap) {
        return None;
    }
    let evidence = vec![format!(
        "the interpreter itself takes {} of the CPU time of {}, {} of that of {}",
        percent(part(gap.slow)),
        gap.slow_name(),
        percent(part(gap.fast)),
        gap.fast_name()
    )];
    // Objects for each number are made and let go on the way.
    let with_objects = |side: &WhySide| side.parts.interpreter + side.parts.memory;
    Some(Claim { cause: WhyCause::Interpreter, nanos: gap.longer(with_objects), evidence })
}

/// Whether more is interpreted for larger input: otherwise it is overhead of the call.
fn grows(gap: &Gap<'_>) -> bool {
    let Some(lines) = gap.lines else { return true };
    let fixed = (lines[gap.slower].fixed - lines[1 - gap.slower].fixed).max(0.0);
    fixed < 0.5 * (gap.slow_nanos - gap.fast_nanos)
}
