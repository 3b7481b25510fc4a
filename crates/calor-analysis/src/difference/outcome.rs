//! The whole of a comparison: the verdict on the total, what moved together, and each function.

use std::fmt;

use super::common_factor::{CommonCause, CommonFactor};
use super::function::FunctionDifference;
use crate::verdict::{Change, Metric, Verdict, percent};

/// How runs are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DifferenceOptions {
    /// What the figures are of.
    pub metric: Metric,
    /// Whether the runs of both sides took turns, so that the first of one side belongs to the first of the other. Needs as
    /// many runs on both sides.
    pub is_interleaved: bool,
    /// Whether the runs of a side are parts of a single one, as
    /// [`RunFigures::blocks_of_profile`](crate::RunFigures::blocks_of_profile) makes them: then nothing is more than suspected.
    pub are_blocks: bool,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// The share of chance findings that a list of changed functions may have.
    pub q: f64,
}

impl Default for DifferenceOptions {
    fn default() -> Self {
        Self { metric: Metric::Cpu, is_interleaved: false, are_blocks: false, margin: 0.02, q: 0.05 }
    }
}

/// Runs of two sides compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// What the figures are of.
    pub metric: Metric,
    /// Runs before and after.
    pub n_runs: [usize; 2],
    /// What all functions took on average before, for each unit of work.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// The verdict on the total. It is undecided of one run a side, and where everything moved and nobody can say whether
    /// that was the machine.
    pub verdict: Verdict,
    /// What it seems to be, where it is undecided for one of these reasons.
    pub suspected: Option<Verdict>,
    /// By how much the total changed, without what the machine did. `None` of one run a side.
    pub change: Option<Change>,
    /// About how many runs a side would find a change of the size of the margin; `None` where it is decided.
    pub needs_runs: Option<usize>,
    /// What moved all functions together.
    pub common: CommonFactor,
    /// The margin within which differences count as none.
    pub margin: f64,
    /// Every function, the one with the largest difference first.
    pub functions: Vec<FunctionDifference>,
}

/// The verdict as a sentence: `8.1 % slower (95 % interval +6.9 to +9.4 %), 12 and 12 runs, CPU time; everything moved by
/// +0.3 %; 3 functions changed`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worse, better) = self.metric.worse_and_better();
        let effect = self.change.map_or(self.after / self.before - 1.0, |change| change.effect);
        let size = percent(effect.abs());
        let word = if effect > 0.0 { worse } else { better };
        match (self.verdict, self.suspected) {
            (Verdict::Regressed | Verdict::Improved, _) => write!(f, "{size} % {word}")?,
            (Verdict::Same, _) => write!(f, "the same within {} %", percent(self.margin))?,
            (Verdict::Undecided, Some(_)) => write!(f, "suspected to be {size} % {word}")?,
            (Verdict::Undecided, None) => write!(f, "undecided")?,
        }
        if let Some(change) = self.change {
            let [low, high] = change.interval.map(percent);
            write!(f, " (95 % interval {low:+} to {high:+} %)")?;
        }
        write!(f, ", {} and {} runs, {}", self.n_runs[0], self.n_runs[1], self.metric.name())?;
        let moved = percent(self.common.change.effect);
        match self.common.cause {
            CommonCause::Nothing => {}
            CommonCause::Machine => write!(f, "; the machine moved everything by {moved:+} %")?,
            CommonCause::Build => {
                write!(f, "; the build moved everything by {moved:+} %, the machine did not")?;
            }
            CommonCause::Unknown => write!(f, "; everything moved by {moved:+} %, the machine or the build")?,
        }
        let n_changed = self.functions.iter().filter(|function| function.verdict.is_change()).count();
        match n_changed {
            0 => {}
            1 => write!(f, "; 1 function changed")?,
            n => write!(f, "; {n} functions changed")?,
        }
        match self.needs_runs {
            Some(n) => write!(f, "; about {n} runs a side would tell"),
            None => Ok(()),
        }
    }
}
