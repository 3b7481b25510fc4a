//! How the functions lead from the total before to the total after: what moved all of them together, the largest steps by
//! themselves, the rest as one, and all of it together exactly the difference.

use super::{Difference, FunctionDifference};

/// The part of the total from which on a step is one by itself, whatever is known of it.
const LEAST_STEP: f64 = 0.005;

/// Steps from one total to the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Waterfall {
    /// What all functions took before, for each unit of work.
    pub before: f64,
    /// What moved all functions together comes to; `None` where that is within the margin.
    pub common: Option<f64>,
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
    /// How much more it took after, beyond what moved all functions together.
    pub delta: f64,
}

impl Difference {
    /// The largest `limit` steps, by their size and not by what is known of them: of functions that are a two-hundredth of the
    /// total, and of smaller ones that changed or are suspected to have. All others are the rest.
    #[must_use]
    pub fn waterfall(&self, limit: usize) -> Waterfall {
        let moved = self.common.change.effect;
        let common = (moved.abs() >= self.margin).then_some(moved);
        let step = |(function_idx, function): (usize, &FunctionDifference)| WaterfallStep {
            function_idx,
            delta: function.delta() - common.unwrap_or(0.0) * function.before,
        };
        let is_step = |step: &WaterfallStep| {
            let function = &self.functions[step.function_idx];
            step.delta.abs() >= LEAST_STEP * self.before
                || function.suspected.unwrap_or(function.verdict).is_change()
        };
        let mut steps: Vec<WaterfallStep> = self.functions.iter().enumerate().map(step).collect();
        // Those of one size are in the order of the functions.
        steps.sort_by(|a, b| b.delta.abs().total_cmp(&a.delta.abs()));
        let large: Vec<WaterfallStep> =
            steps.iter().filter(|step| is_step(step)).take(limit).copied().collect();
        // A single other is told by its name.
        if large.len() + 1 < steps.len() {
            steps = large;
        }
        let common = common.map(|moved| moved * self.before);
        let told: f64 = steps.iter().map(|step| step.delta).sum();
        let n_rest = self.functions.len() - steps.len();
        Waterfall {
            before: self.before,
            common,
            steps,
            rest: self.after - self.before - common.unwrap_or(0.0) - told,
            n_rest,
            after: self.after,
        }
    }
}
