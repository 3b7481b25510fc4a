//! The slower side goes over its data more often: its time is in several loops where the other has one.

use crate::why::gap::Gap;
use crate::why::loop_threads::of_one_share;
use crate::why::share::Factor;
use crate::why::words::percent;
use crate::why::{WhyCause, WhyLoop, WhySide};

/// The part of the time that makes a loop one of the passes; the rest are beginnings and ends of them.
const LEAST_PART: f64 = 0.12;

pub(super) fn extra_pass(gap: &Gap<'_>) -> Option<Factor> {
    // A loop that calls others is around the operation, or around parts of it.
    let is_pass = |it: &&WhyLoop| !it.is_locked() && !it.has_call && it.share >= LEAST_PART;
    let (slow, fast) = (n_passes(gap.slow, is_pass), n_passes(gap.fast, is_pass).max(1));
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

/// How many loops the data goes through.
fn n_passes(side: &WhySide, is_pass: impl Fn(&&WhyLoop) -> bool) -> usize {
    let passes: Vec<&WhyLoop> = side.loops.iter().filter(is_pass).collect();
    of_one_share(&passes, |_| 1.0) as usize
}
