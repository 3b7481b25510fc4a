//! Each call of the slower side costs more, whatever its size: the lines through the smallest sizes begin higher.

use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::nanos;

/// A difference below this part of what the smallest size takes is within the scatter of the lines.
const LEAST_PART: f64 = 0.1;
/// Fewer nanoseconds are what a loop takes to begin and to end.
const LEAST_NANOS: f64 = 20.0;

pub(super) fn call_overhead(gap: &Gap<'_>) -> Option<Claim> {
    let lines = gap.lines?;
    let (slow, fast) = (lines[gap.slower].fixed, lines[1 - gap.slower].fixed);
    let smallest = gap.evidence.points.first()?.nanos(gap.evidence.clock)[gap.slower];
    if slow - fast < LEAST_NANOS.max(LEAST_PART * smallest) {
        return None;
    }
    let evidence = vec![format!(
        "a call of {} takes {} before its first element, one of {} {}",
        gap.slow_name(),
        nanos(slow),
        gap.fast_name(),
        nanos(fast)
    )];
    Some(Claim { cause: WhyCause::CallOverhead, nanos: slow - fast, evidence })
}
