//! The slower side computes with larger numbers than the other: it converts each element, or its data is larger.

use crate::why::gap::Gap;
use crate::why::share::Factor;
use crate::why::words::percent;
use crate::why::{WhyCause, WhyLoop, WhySide};

/// Half as many numbers fit a vector.
const HALF: f64 = 2.0;
/// Conversions there and back are about as many instructions again.
const CONVERTING: f64 = 2.0;

pub(super) fn upcast(gap: &Gap<'_>) -> Option<Factor> {
    let converting = |side: &WhySide| {
        let share = side.loops.iter().filter(|it| it.converts()).map(|it| it.share).sum::<f64>();
        share / side.in_loops().max(f64::MIN_POSITIVE)
    };
    let number = |side: &WhySide| side.hottest().and_then(|it: &WhyLoop| it.number_bytes);
    let converts = converting(gap.slow) > 0.3 && converting(gap.fast) < 0.5 * converting(gap.slow);
    let sizes = number(gap.slow).zip(number(gap.fast));
    let larger = sizes.filter(|(slow, fast)| slow > fast);
    if !converts && larger.is_none() {
        return None;
    }
    let mut evidence = Vec::new();
    if converts {
        let hottest = gap.slow.loops.iter().find(|it| it.converts())?;
        evidence.push(format!(
            "{} of the instructions of the loop in `{}` convert numbers from one size to another",
            percent(hottest.converting),
            hottest.function
        ));
    }
    if let Some((slow, fast)) = larger {
        let (name, other) = (gap.slow_name(), gap.fast_name());
        evidence.push(format!(
            "{name} computes with numbers of {} bits, {other} with {}",
            8 * slow,
            8 * fast
        ));
    }
    let times = if converts { CONVERTING } else { 1.0 } * if larger.is_some() { HALF } else { 1.0 };
    Some(Factor { cause: WhyCause::Upcast, times, is_open: converts || is_beyond_vectors(gap), evidence })
}

/// Whether the slower side computes with numbers that there are no vectors of.
pub(super) fn is_beyond_vectors(gap: &Gap<'_>) -> bool {
    gap.slow.hottest().is_some_and(|it| it.number_bytes.is_some_and(|bytes| bytes > 8))
}
