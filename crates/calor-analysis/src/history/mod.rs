//! What saved runs took over time: which of them make one history, what of them is followed, and where that changed.

mod choice;
mod confirmation;
mod repeated;
mod run;
mod scopes;
mod series;

use std::collections::BTreeMap;

use calor_model::Warning;

pub use choice::HistoryChoice;
pub use confirmation::HistoryConfirmation;
pub use run::{HistoryMetric, HistoryRun, HistorySums, RunSum, ScopeRuns};
pub use series::{HistorySeries, HistoryValue};

use crate::quantity::counted;
use crate::{ChangePointOptions, FEWEST_POINTS, changes_of_runs};

/// What is asked of saved runs.
#[derive(Clone, Debug)]
pub struct HistoryQuestion {
    /// A scope or function, or the end of its name; `None`: the whole program, and the scopes that changed.
    pub scope: Option<String>,
    /// What was measured; `None`: scopes where most runs have them, otherwise time on processors.
    pub metric: Option<HistoryMetric>,
    /// What of a scope; `None`: the total of one that is named, and what all others take themselves.
    pub value: Option<HistoryValue>,
    /// Only runs of this command line; `None`: that of the last run.
    pub command: Option<String>,
    /// Whether runs of different commands are in one series.
    pub any_command: bool,
    /// Whether runs of different machines are in one series.
    pub any_machine: bool,
    /// At most so many runs, the last ones.
    pub last: usize,
    /// At most so many scopes that changed.
    pub top: usize,
}

/// Runs over time, and what scopes took in them.
#[derive(Clone, Debug)]
pub struct History {
    /// What was run.
    pub subject: String,
    /// What was measured.
    pub metric: HistoryMetric,
    /// The runs, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// The whole program or the scope that was asked for, and scopes that changed.
    pub series: Vec<HistorySeries>,
    /// How many commits came after the first run of a change up to the second, by the places of these among the runs; none of
    /// those where it is not known.
    pub n_commits: BTreeMap<[usize; 2], u64>,
    /// How many scopes were looked at besides those that are shown.
    pub n_unchanged: usize,
    /// What has to be known of the runs.
    pub warnings: Vec<Warning>,
    /// What came of running both sides of a change again.
    pub confirmation: Option<HistoryConfirmation>,
}

impl History {
    /// The history of chosen runs. How many commits lie between them, and what came of a confirmation, is for others to add.
    ///
    /// # Errors
    /// When the runs do not have what is asked for, or their sums cannot be read.
    pub fn of<S: HistorySums>(
        choice: HistoryChoice,
        sums: &S,
        question: &HistoryQuestion,
    ) -> Result<Self, S::Error> {
        let HistoryChoice { runs, subject, mut warnings } = choice;
        let found = scopes::find(sums, &runs, question)?;
        warnings.extend(found.warnings);
        if runs.len() < FEWEST_POINTS {
            let found = counted(runs.len() as u64, "run");
            warnings.push(Warning::new(
                "few_runs",
                format!("{found}: a change is seen from {FEWEST_POINTS} runs on, three of them on either side of it; save more with `calor record --save`"),
            ));
        }
        let canaries = match found.metric {
            HistoryMetric::Scopes | HistoryMetric::Cpu | HistoryMetric::Wall => sums.canaries()?,
            // A slow machine allocates no more, and waits for other things than the processor.
            HistoryMetric::OffCpu | HistoryMetric::Allocated => vec![None; runs.len()],
        };
        let mut series = found.series;
        let values: Vec<Vec<Option<f64>>> = series.iter().map(|series| series.values.clone()).collect();
        let changes = changes_of_runs(&values, &canaries, &ChangePointOptions::default());
        let step = run::sample_step(found.metric, &runs);
        for (series, changes) in series.iter_mut().zip(changes) {
            // The whole program is timed, and not sampled.
            let step = step.filter(|_| series.scope.is_some()).unwrap_or(0.0);
            series.changes = changes.into_iter().map(|change| change.counted_in(step)).collect();
        }
        let mut rest = series.split_off(found.n_asked);
        let n_all = rest.len();
        rest.retain(|series| !series.changes.is_empty());
        let n_unchanged = n_all - rest.len();
        rest.sort_by(|a, b| b.largest_step().total_cmp(&a.largest_step()));
        if rest.len() > question.top {
            let left_out = counted((rest.len() - question.top) as u64, "more scope");
            let message = format!("{left_out} changed: --top {} shows all", rest.len());
            warnings.push(Warning::new("scopes_left_out", message));
            rest.truncate(question.top);
        }
        series.extend(rest);
        Ok(Self {
            subject,
            metric: found.metric,
            runs,
            series,
            n_commits: BTreeMap::new(),
            n_unchanged,
            warnings,
            confirmation: None,
        })
    }
}
