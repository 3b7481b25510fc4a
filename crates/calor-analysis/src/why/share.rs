//! Parts of the gap. Causes that have a time of their own claim it in turn: copies, locks and the interpreter by samples,
//! the overhead of calls by the curve. What then is left of the time in loops is shared among what makes loops slow, by
//! the logarithms of their factors. Nobody gets more than is left, and what nobody claims is unexplained.

use super::gap::Gap;
use super::{WhyCause, WhyReason};

/// A cause below this part of the gap is not told.
const LEAST_SHARE: f64 = 0.03;

/// Something that takes time by itself.
pub(super) struct Claim {
    pub(super) cause: WhyCause,
    /// Nanoseconds of a call by which the slower side takes longer for it.
    pub(super) nanos: f64,
    pub(super) evidence: Vec<String>,
}

/// Something that makes a loop slower by a factor.
pub(super) struct Factor {
    pub(super) cause: WhyCause,
    /// How many times slower it makes a loop by itself.
    pub(super) times: f64,
    /// Whether it may be more than that: how much a stride costs is not known beforehand.
    pub(super) is_open: bool,
    pub(super) evidence: Vec<String>,
}

/// The gap while it is being shared out.
pub(super) struct Shares {
    /// The gap of CPU time, in nanoseconds, and what is left of it.
    whole: f64,
    left: f64,
    /// The part of the gap that CPU time is.
    cpu_part: f64,
    reasons: Vec<WhyReason>,
}

impl Shares {
    /// `cpu_part`: what is not waiting.
    pub(super) fn new(gap: &Gap<'_>, cpu_part: f64) -> Self {
        let whole = (gap.slow_cpu - gap.fast_cpu).max(0.0);
        Self { whole, left: whole, cpu_part, reasons: Vec::new() }
    }

    /// Adds a cause by its part of the whole gap.
    pub(super) fn add(&mut self, cause: WhyCause, share: f64, evidence: Vec<String>) {
        if share < LEAST_SHARE {
            return;
        }
        match self.reasons.iter_mut().find(|reason| reason.cause == cause) {
            Some(reason) => {
                reason.share += share;
                reason.evidence.extend(evidence);
            }
            None => self.reasons.push(WhyReason { cause, share, evidence }),
        }
    }

    /// Gives a claim what it asks for, as far as there is something left.
    pub(super) fn give(&mut self, claim: Claim) {
        let nanos = claim.nanos.min(self.left).max(0.0);
        if self.whole > 0.0 {
            self.left -= nanos;
            self.add(claim.cause, self.cpu_part * nanos / self.whole, claim.evidence);
        }
    }

    /// Shares what loops take longer among what makes them slower. `in_loops` is how much longer they take; `fast_loops` what
    /// the faster side takes in its own.
    pub(super) fn give_loops(&mut self, in_loops: f64, fast_loops: f64, factors: Vec<Factor>) {
        let asked = in_loops.min(self.left).max(0.0);
        let weights: f64 = factors.iter().map(|factor| factor.times.ln()).sum();
        if weights <= 0.0 {
            return;
        }
        // What all factors together can explain: a loop that is slower than that is so for another reason, too.
        const TOLERANCE: f64 = 1.6;
        let product: f64 = factors.iter().map(|factor| factor.times).product();
        let most = (product * TOLERANCE - 1.0) * fast_loops;
        let is_open = factors.iter().any(|factor| factor.is_open) || fast_loops <= 0.0;
        let explained = if is_open { asked } else { asked.min(most) };
        for factor in factors {
            let nanos = explained * factor.times.ln() / weights;
            self.give(Claim { cause: factor.cause, nanos, evidence: factor.evidence });
        }
    }

    /// Nanoseconds of CPU time that are not explained yet.
    pub(super) fn left(&self) -> f64 {
        self.left
    }

    /// The causes, the largest first, and what is left.
    pub(super) fn told(mut self) -> (Vec<WhyReason>, f64) {
        self.reasons.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.cause.cmp(&b.cause)));
        let told: f64 = self.reasons.iter().map(|reason| reason.share).sum();
        (self.reasons, (1.0 - told).clamp(0.0, 1.0))
    }
}
