//! The slower side takes locks on its way: it spends its time in functions that take and give them, or in loops with
//! instructions that keep other processors out.

use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::percent;
use crate::why::{WhyCause, WhySide};

/// Less than this part of the samples is any program's.
const LEAST_PART: f64 = 0.05;

pub(super) fn lock(gap: &Gap<'_>) -> Option<Claim> {
    let in_loops =
        |side: &WhySide| side.loops.iter().filter(|it| it.is_locked()).map(|it| it.share).sum::<f64>();
    let part = |side: &WhySide| (side.parts.locking + in_loops(side)).min(1.0);
    if !gap.has_samples() || part(gap.slow) < LEAST_PART + part(gap.fast) {
        return None;
    }
    let mut evidence = vec![format!(
        "{} of the CPU time of {} is spent on locks, {} of that of {}",
        percent(part(gap.slow)),
        gap.slow_name(),
        percent(part(gap.fast)),
        gap.fast_name()
    )];
    if let Some(hottest) = gap.slow.loops.iter().find(|it| it.is_locked()) {
        let place = hottest.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        evidence.push(format!("a lock is taken in the loop of `{}`{place}", hottest.function));
    }
    Some(Claim { cause: WhyCause::Lock, nanos: gap.longer(part), evidence })
}
