//! The slower side steps over memory by more than a line of the caches, and uses a few bytes of each line it loads.

use crate::why::gap::Gap;
use crate::why::share::Factor;
use crate::why::words::percent;
use crate::why::{WhyCause, WhyLoop, WhySide};

/// The part of the time in loops that has to be in such that stride.
const LEAST_PART: f64 = 0.3;
/// Lines have 64 bytes, of which four or eight are used: somewhere between all and an eighth of the speed is left.
const TIMES: f64 = 6.0;

pub(super) fn strided_access(gap: &Gap<'_>) -> Option<Factor> {
    // How far a loop around calls steps on is told by its caller, for any step: it says nothing of this one.
    let is_strided = |it: &&WhyLoop| it.has_far_walk && !it.has_call && it.far_share > 0.05;
    let far = |side: &WhySide| {
        let strides = side.loops.iter().filter(is_strided);
        strides.map(|it| it.share).sum::<f64>() / side.in_loops().max(f64::MIN_POSITIVE)
    };
    if far(gap.slow) < LEAST_PART || far(gap.fast) >= 0.5 * far(gap.slow) {
        return None;
    }
    let hottest = gap.slow.loops.iter().find(is_strided)?;
    let place = hottest.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let evidence = vec![format!(
        "{} of the time in loops of {} is in `{}`{place}, which steps on by more than a line of the caches",
        percent(far(gap.slow).min(1.0)),
        gap.slow_name(),
        hottest.function
    )];
    Some(Factor { cause: WhyCause::StridedAccess, times: TIMES, is_open: true, evidence })
}
