//! The slower side executes more instructions for the same result, and nothing more special explains the rest.

use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::times;

/// Fewer more than these are no explanation.
const LEAST_TIMES: f64 = 1.15;

/// Of the time that is left, as much as the instructions beyond the other side's explain.
pub(in crate::why) fn more_instructions(gap: &Gap<'_>, left: f64) -> Option<Claim> {
    let (slow, fast) = (gap.slow.instructions?, gap.fast.instructions?);
    if fast <= 0.0 || slow < LEAST_TIMES * fast {
        return None;
    }
    let explained = (slow / fast - 1.0) * gap.fast_cpu;
    let evidence = vec![format!(
        "a call of {} executes {} as many instructions as one of {}",
        gap.slow_name(),
        times(slow / fast),
        gap.fast_name()
    )];
    Some(Claim { cause: WhyCause::MoreInstructions, nanos: explained.min(left), evidence })
}
