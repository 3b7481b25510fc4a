//! The whole of a comparison: the verdict on the total, what moved together, and each function.

use std::fmt;

use super::common_factor::{CommonCause, CommonFactor};
use super::function::FunctionDifference;
use crate::verdict::{Change, Metric, Sign, Verdict, bounds, percent};

/// How runs are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DifferenceOptions {
    /// What the figures are of.
    pub metric: Metric,
    /// Whether the runs of both sides took turns, so that the first of one side belongs to the first of the other. Needs as
    /// many runs on both sides.
    pub is_interleaved: bool,
    /// What is given as the runs of a side.
    pub given: Given,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// The share of chance findings that a list of changed functions may have.
    pub q: f64,
}

/// What is given as the runs of a side.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Given {
    /// Runs.
    #[default]
    Runs,
    /// Stretches of a single run, as [`RunFigures::blocks_of_profile`](crate::RunFigures::blocks_of_profile) makes them: then
    /// nothing is more than suspected.
    Blocks,
    /// Rounds of a single run, as [`RunFigures::rounds_of_profile`](crate::RunFigures::rounds_of_profile) finds them. They differ
    /// by much of what runs differ by; with what machines drift by between two runs added, they can tell that nothing changed. The
    /// faster half of them is compared. What one run has in all its rounds and the other has not may still be the machine: a change
    /// is no more than suspected.
    Rounds,
}

impl Default for DifferenceOptions {
    fn default() -> Self {
        Self { metric: Metric::Cpu, is_interleaved: false, given: Given::Runs, margin: 0.02, q: 0.05 }
    }
}

/// Nobody makes more runs than this.
const MOST_RUNS: usize = 1_000;

/// Runs of two sides compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// What the figures are of.
    pub metric: Metric,
    /// Runs before and after.
    pub n_runs: [usize; 2],
    /// The faster rounds of a single run before and after, where those were compared.
    pub n_rounds: Option<[usize; 2]>,
    /// What all functions took on average before, for each unit of work.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// The verdict on the total. It is undecided of one run a side, unless its rounds tell that nothing changed, and where
    /// everything moved and nobody can say whether that was the machine.
    pub verdict: Verdict,
    /// What it seems to be, where it is undecided for one of these reasons.
    pub suspected: Option<Verdict>,
    /// By how much the total changed, without what the machine did. `None` of one run a side that has no parts.
    pub change: Option<Change>,
    /// About how many runs a side would decide four times in five, if the change is as it seems; `None` where it is decided, and
    /// where both sides are the same runs.
    pub needs_runs: Option<usize>,
    /// What moved all functions together.
    pub common: CommonFactor,
    /// The margin within which differences count as none.
    pub margin: f64,
    /// Every function, the one with the largest difference first.
    pub functions: Vec<FunctionDifference>,
}

impl Difference {
    /// By how much the total changed: what was judged, or of one run a side what the figures alone say.
    #[must_use]
    pub fn effect(&self) -> f64 {
        self.change.map_or(self.after / self.before - 1.0, |change| change.effect)
    }

    /// The same, as far as it is known: what is nothing on one side has no ratio to the other.
    #[must_use]
    pub fn known_effect(&self) -> Option<f64> {
        Change::known_effect(self.change.as_ref(), [self.before, self.after])
    }

    /// What it came to, in words to be put behind that for its verdict; `of` is what readers call what was compared.
    #[must_use]
    pub fn in_words(&self, of: &str) -> DifferenceInWords {
        let bounds =
            self.change.map(|change| format!(" (95 % interval {} %)", bounds(change.interval, Sign::Always)));
        let runs = match (self.n_runs, self.n_rounds) {
            (_, Some([before, after])) => {
                format!("one run a side, the {before} and {after} faster of its rounds")
            }
            ([1, 1], None) => "one run a side".to_owned(),
            ([before, after], None) => format!("{before} and {after} runs"),
        };
        let n_changed = self.functions.iter().filter(|function| function.verdict.is_change()).count();
        DifferenceInWords {
            outcome: format!("{}{}, {runs}, {of}", self.outcome(), bounds.unwrap_or_default()),
            moved: self.moved(),
            changed: match n_changed {
                0 => None,
                1 => Some("1 function changed".to_owned()),
                n => Some(format!("{n} functions changed")),
            },
            needs: self.needs_runs.map(|n| match n <= MOST_RUNS {
                true => format!("about {n} runs a side would tell"),
                false => "more such runs would hardly tell".to_owned(),
            }),
        }
    }

    fn outcome(&self) -> String {
        let (worse, better) = self.metric.worse_and_better();
        let effect = self.effect();
        let size = percent(effect.abs());
        let word = if effect > 0.0 { worse } else { better };
        match (self.verdict, self.suspected) {
            (Verdict::Regressed | Verdict::Improved, _) => format!("{size} % {word}"),
            (Verdict::Same, _) => format!("the same within {} %", percent(self.margin)),
            (Verdict::Undecided, Some(Verdict::Same)) => {
                format!("suspected to be the same within {} %", percent(self.margin))
            }
            (Verdict::Undecided, Some(_)) => format!("suspected to be {size} % {word}"),
            (Verdict::Undecided, None) => format!("{:+} %", percent(effect)),
        }
    }

    /// What moved all functions together, if anything did.
    fn moved(&self) -> Option<String> {
        let moved = percent(self.common.change.effect);
        match self.common.cause {
            CommonCause::Nothing => None,
            CommonCause::Machine => Some(format!("the machine moved everything by {moved:+} %")),
            CommonCause::Build => {
                Some(format!("the build moved everything by {moved:+} %, the machine did not"))
            }
            CommonCause::Unknown => {
                Some(format!("everything moved by {moved:+} %, the machine or the build"))
            }
        }
    }
}

/// A difference in words, part by part. It prints as one sentence: `8.1 % slower (95 % interval +6.9 to +9.4 %), 12 and 12 runs,
/// CPU time; 3 functions changed`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DifferenceInWords {
    /// By how much, between which bounds, of how many runs and of what.
    pub outcome: String,
    /// What moved everything, if anything did.
    pub moved: Option<String>,
    /// How many functions changed, if any did.
    pub changed: Option<String>,
    /// How many runs would tell, where it is undecided.
    pub needs: Option<String>,
}

impl fmt::Display for DifferenceInWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.outcome)?;
        for part in [&self.moved, &self.changed, &self.needs].into_iter().flatten() {
            write!(f, "; {part}")?;
        }
        Ok(())
    }
}

/// The verdict as a sentence, as [`in_words`](Difference::in_words) has it for what the metric is called.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.verdict == Verdict::Undecided && self.suspected.is_none() {
            write!(f, "undecided: ")?;
        }
        self.in_words(self.metric.name()).fmt(f)
    }
}
