//! The slower side goes over its data more often: its time is in several loops where the other has one.

use crate::why::gap::Gap;
use crate::why::share::Factor;
use crate::why::words::percent;
use crate::why::{WhyCause, WhyLoop, WhySide};

/// The part of the time that makes a loop one of the passes; the rest are beginnings and ends of them.
const LEAST_PART: f64 = 0.12;

pub(super) fn extra_pass(gap: &Gap<'_>) -> Option<Factor> {
    // A loop that calls others is around the operation, or around parts of it.
    let is_pass = |it: &&WhyLoop| !it.is_locked() && !it.has_call && it.share >= LEAST_PART;
    let passes = |side: &WhySide| side.loops.iter().filter(is_pass).count();
    let (slow, fast) = (passes(gap.slow), passes(gap.fast).max(1));
    // Temporaries that are filled are told of as such.
    let fills_temporaries = gap.temporaries().is_some();
    if slow <= fast || fills_temporaries {
        return None;
    }
    let loops = gap.slow.loops.iter().filter(is_pass);
    let told: Vec<String> = loops
        .map(|it| {
            let place = it.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
            format!("`{}`{place} {}", it.function, percent(it.share))
        })
        .collect();
    let evidence = vec![format!(
        "{} goes over its data in {slow} loops, {} in {fast}: {}",
        gap.slow_name(),
        gap.fast_name(),
        told.join(", ")
    )];
    Some(Factor { cause: WhyCause::ExtraPass, times: slow as f64 / fast as f64, is_open: false, evidence })
}
