//! What an experiment came to: what text, Markdown and JSON are made of.

use std::time::Duration;

use calor_model::Warning;

use super::{Comparison, Middle, advice, paired_change};
use crate::quantity::{counted, duration};
use crate::{Change, Metric};

/// Fewer pairs than this may lie close together by chance: how much they differ, and so what they find, is hardly known.
const SPREAD_KNOWN: usize = 10;

/// How commands take turns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExperimentPlan {
    /// What decides.
    pub metric: Metric,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// Runs of each before, which do not count.
    pub warmup: usize,
    /// It ends after this time, decided or not.
    pub max_time: Duration,
    /// It ends after so many pairs, decided or not.
    pub max_pairs: usize,
    /// What the order of the runs follows from.
    pub seed: u64,
}

/// What an experiment with commands came to.
#[derive(Clone, Debug)]
pub struct ExperimentOutcome {
    /// What was asked for.
    pub plan: ExperimentPlan,
    /// The commands as they were typed; `A` is the first.
    pub commands: Vec<String>,
    /// Each command but the first with the first.
    pub comparisons: Vec<Comparison>,
    /// What decides first.
    pub series: Vec<MeasuredSeries>,
    /// How many pairs there were.
    pub n_pairs: usize,
    /// With the runs to warm up.
    pub elapsed: Duration,
    /// How long a round of all commands takes.
    pub round: Duration,
    /// Whether somebody asked for the end.
    pub is_interrupted: bool,
    /// What has to be known of it.
    pub warnings: Vec<Warning>,
    /// The time that was said to be enough while it ran, where that which was given was not.
    pub wanted: Option<Duration>,
    /// What to do next, where something is undecided: one of these.
    pub advice: Vec<String>,
}

/// One metric over all rounds.
#[derive(Clone, Debug)]
pub struct MeasuredSeries {
    /// What was measured.
    pub metric: Metric,
    /// By command, in the order of the rounds; no number where it was not measured.
    pub values: Vec<Vec<f64>>,
}

/// One metric of one command.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredRow {
    /// What was measured.
    pub metric: Metric,
    /// What the command is called.
    pub name: char,
    /// `None` where it could not be measured.
    pub middle: Option<Middle>,
    /// Against the first; `None` of the first itself, and where too little was measured.
    pub change: Option<Change>,
}

impl ExperimentOutcome {
    /// The same with what to do next.
    #[must_use]
    pub fn advised(self) -> Self {
        Self { advice: advice::advice(&self), ..self }
    }

    /// Said where the second command holds less memory than can be measured: then its gain is a bound.
    #[must_use]
    pub fn gain_is_a_bound(&self) -> Option<Warning> {
        let decides = self.series.first().map(|series| &series.values);
        let is_below = decides.into_iter().flatten().flatten().any(|value| value.is_nan());
        (self.plan.metric == Metric::Rss && is_below).then(|| {
            let message = "the command after the change holds less than a process has before it becomes the program, which is \
                           what was taken for it: the gain is at least the one told";
            Warning::new("gain_is_a_bound", message)
        })
    }

    /// The rows of one metric: one for each variant.
    #[must_use]
    pub fn rows_of(&self, series: &MeasuredSeries) -> Vec<MeasuredRow> {
        let row = |at: usize| MeasuredRow {
            metric: series.metric,
            name: name(at),
            middle: Middle::of(&series.values[at]),
            change: self.change(series, at),
        };
        (0..self.commands.len()).map(row).collect()
    }

    /// The change of what decides is that of the verdict; that of the others comes without one.
    fn change(&self, series: &MeasuredSeries, at: usize) -> Option<Change> {
        let comparison = self.comparisons.get(at.checked_sub(1)?)?;
        match series.metric == self.plan.metric {
            true => comparison.change,
            false => paired_change(&series.values[0], &series.values[at]),
        }
    }

    /// How it was done and how far to trust it, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let seconds = duration(self.elapsed.as_nanos() as f64);
        let warmup = match self.plan.warmup {
            0 => String::new(),
            n => format!(" after {} of each to warm up", counted(n as u64, "run")),
        };
        let pairs = counted(self.n_pairs as u64, "pair");
        let mut notes =
            vec![format!("{pairs} in {seconds}{warmup}, in random order (seed {})", self.plan.seed)];
        let found = self.comparisons.iter().filter_map(|found| found.smallest_detectable).reduce(f64::max);
        if let Some(least) = found.filter(|_| self.n_pairs >= SPREAD_KNOWN) {
            notes.push(format!("so many pairs find a change of {} four times in five", percent(least)));
        }
        if let Some(control) = self.comparisons.iter().find_map(|found| found.null_control) {
            notes.push(format!("null control {}: A against itself {}", control.word(), control.change));
        }
        notes
    }
}

/// What commands are called: `A` is what the others are compared with.
pub(super) fn name(at: usize) -> char {
    ('A'..='Z').nth(at).unwrap_or('?')
}

/// A part in percent, to two digits that count.
pub(super) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    match percent {
        percent if percent < 0.1 => format!("{percent:.2} %"),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}
