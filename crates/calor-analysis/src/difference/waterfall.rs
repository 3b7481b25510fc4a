//! How the functions lead from the total before to the total after: the largest steps by themselves, the rest as one, and all
//! of them together exactly the difference.

use super::Difference;

/// The part of the total that something new or vanished has to be of: a sample or two are there or not by chance.
const LEAST_STEP: f64 = 0.005;

/// Steps from one total to the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Waterfall {
    /// What all functions took before, for each unit of work.
    pub before: f64,
    /// The largest steps, in the order of their size.
    pub steps: Vec<WaterfallStep>,
    /// What all other functions add up to.
    pub rest: f64,
    /// How many others there are.
    pub n_rest: usize,
    /// What all functions took after.
    pub after: f64,
}

/// One function's step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaterfallStep {
    /// Its place in [`Difference::functions`].
    pub function_idx: usize,
    /// How much more it took after.
    pub delta: f64,
}

impl Difference {
    /// The steps of functions whose verdict is a change, or is suspected to be, and of those that are new or vanished and a
    /// two-hundredth of the total: the largest `limit` of them. All others are the rest.
    #[must_use]
    pub fn waterfall(&self, limit: usize) -> Waterfall {
        let is_step = |function: &super::FunctionDifference| {
            let is_moved = matches!(function.presence, super::Presence::New | super::Presence::Vanished);
            (is_moved && function.contribution.abs() >= LEAST_STEP)
                || function.suspected.unwrap_or(function.verdict).is_change()
        };
        // Functions are in the order of the size of their deltas.
        let steps = self.functions.iter().enumerate().filter(|(_, function)| is_step(function));
        let steps =
            steps.map(|(function_idx, function)| WaterfallStep { function_idx, delta: function.delta() });
        let steps: Vec<WaterfallStep> = steps.take(limit).collect();
        let told: f64 = steps.iter().map(|step| step.delta).sum();
        let n_rest = self.functions.len() - steps.len();
        Waterfall {
            before: self.before,
            steps,
            rest: self.after - self.before - told,
            n_rest,
            after: self.after,
        }
    }
}
