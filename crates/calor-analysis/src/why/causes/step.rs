//! The sides are alike up to a size, or from one on, and far apart on the other side of it: the slower one takes another path
//! there. Three things have to tell. The gap is small at all sizes on one side of the step and wide at all on the other; the
//! time of the slower side leaps by more than any constant and any growth would make it; and at a size where it is hardly slower
//! it is in other functions, which no tier of memory changes. What is slow in the path behind the step is told with it.

use super::CLAIMS;
use crate::why::gap::{Gap, LEAST_SAMPLES};
use crate::why::share::Claim;
use crate::why::words::{percent, size, times};
use crate::why::{WhyCause, WhySide};

/// Up to this, as a logarithm, the sides are alike.
const ALIKE: f64 = 0.3;
/// A wide gap is at least so much wider, as a logarithm.
const WIDE: f64 = 0.4;
/// By so many times the time has to leap beyond what growth makes of it.
const LEAP: f64 = 1.5;
/// Times that follow a line do so within this.
const STEADY: f64 = 1.3;
/// The functions of a size are others when they have less than this part of what they have at the other size.
const SAME_PART: f64 = 0.35;
/// Functions that are known by name have to be this part of the time.
const LEAST_KNOWN: f64 = 0.3;

pub(in crate::why) fn step(gap: &Gap<'_>) -> Option<Claim> {
    let (other_size, other) = gap.evidence.elsewhere.as_ref()?;
    let found = Step::find(gap)?;
    if !found.is_leap(gap) || !is_other_code(gap.slow, other) {
        return None;
    }
    let (points, name) = (&gap.evidence.points, gap.slow_name());
    let (first, second) = (size(points[found.at].size), size(points[found.at + 1].size));
    let (alike_at, till, from) = match found.is_up {
        true => (found.at, format!("up to size {first}"), format!("from size {second} on")),
        false => (found.at + 1, format!("from size {second} on"), format!("up to size {first}")),
    };
    let ratios = gap.by_size();
    let mut evidence = vec![
        format!(
            "the sides are alike {till} ({} as long there) and {name} takes {} as long {from}: the path changes between the \
             sizes {first} and {second}",
            times(ratios[alike_at].exp()),
            times(gap.slow_nanos / gap.fast_nanos)
        ),
        format!(
            "at size {} {name} runs {}, at size {} {}",
            size(gap.point().size),
            told(gap.slow),
            size(*other_size),
            told(other)
        ),
    ];
    let behind = CLAIMS.iter().filter_map(|cause| cause(gap));
    let behind = behind.filter(|claim| claim.nanos >= 0.1 * (gap.slow_cpu - gap.fast_cpu));
    evidence.extend(behind.map(|claim| {
        format!("what is slow in that path is {}: {}", claim.cause.name(), claim.evidence.join("; "))
    }));
    let nanos = gap.slow_cpu - gap.fast_cpu * ratios[alike_at].max(0.0).exp();
    Some(Claim { cause: WhyCause::Dispatch, nanos, evidence })
}

/// Between two neighbouring sizes.
struct Step {
    /// The place of the smaller one.
    at: usize,
    /// Whether the larger sizes are the slow ones.
    is_up: bool,
}

impl Step {
    /// The place with a small gap at all sizes on one side of it, and a wide one at all on the other.
    fn find(gap: &Gap<'_>) -> Option<Self> {
        let gaps = gap.by_size();
        let most = |gaps: &[f64]| gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = |gaps: &[f64]| gaps.iter().copied().fold(f64::INFINITY, f64::min);
        (1..gaps.len()).find_map(|at| {
            let (small, large) = gaps.split_at(at);
            let is_step = |alike: &[f64], wide: &[f64]| {
                most(alike) <= ALIKE && least(wide) >= most(alike).max(0.0) + WIDE
            };
            let (is_up, is_down) = (is_step(small, large), is_step(large, small));
            (is_up || is_down).then_some(Self { at: at - 1, is_up })
        })
    }

    /// Whether the slower side takes longer than a line through what any call costs, and more than growth, can make it. A line
    /// never grows faster than the size does, and never falls.
    fn is_leap(&self, gap: &Gap<'_>) -> bool {
        let points = &gap.evidence.points;
        let nanos = |at: usize, side: usize| points[at].nanos(gap.evidence.clock)[side];
        let grows = |at: usize, side: usize| nanos(at + 1, side) / nanos(at, side);
        let larger = |at: usize| points[at + 1].size / points[at].size;
        if !self.is_up {
            // Behind it each element would have to cost less than before, which no line makes, and no cache.
            let slope = |at: usize| {
                let nanos = nanos(at + 1, gap.slower) - nanos(at, gap.slower);
                nanos / (points[at + 1].size - points[at].size)
            };
            let falls = grows(self.at, gap.slower) < 1.0 / STEADY;
            return falls || self.at > 0 && slope(self.at - 1) > LEAP * STEADY * slope(self.at).max(0.0);
        }
        // What the other side does as well is the operation's growth.
        let beyond = |at: usize| grows(at, gap.slower) / larger(at).max(grows(at, 1 - gap.slower));
        let leap = beyond(self.at);
        // Work that grows with the square of the size leaps at each size.
        let is_steady_behind = (self.at + 1..points.len() - 1).all(|at| beyond(at) < STEADY);
        let has_behind = self.at + 2 < points.len();
        leap >= LEAP && (has_behind && is_steady_behind || leap >= LEAP * larger(self.at))
    }
}

/// Whether a side is in other functions than at another size.
fn is_other_code(here: &WhySide, there: &WhySide) -> bool {
    if here.n_samples < LEAST_SAMPLES || there.n_samples < LEAST_SAMPLES {
        return false;
    }
    // One that is not among the hottest has at most what the last of them has.
    let rest = here.functions.last().map_or(0.0, |(_, share)| *share);
    let part = |name: &str| here.functions.iter().find(|(known, _)| known == name).map_or(rest, |it| it.1);
    let known: f64 = there.functions.iter().map(|(_, share)| share).sum();
    let same: f64 = there.functions.iter().map(|(name, share)| share.min(part(name))).sum();
    !here.functions.is_empty() && known >= LEAST_KNOWN && same < SAME_PART * known
}

/// Where a side is, by its hottest function.
fn told(side: &WhySide) -> String {
    let interpreted = side.parts.interpreter;
    match side.functions.first() {
        Some((_, share)) if interpreted > *share => format!("{} in the interpreter", percent(interpreted)),
        Some((name, share)) => format!("{} in `{name}`", percent(*share)),
        None => "what has no name".to_owned(),
    }
}
