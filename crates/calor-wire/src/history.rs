//! What saved runs took over time, and where that changed: `history/1`.

use calor_analysis::{RunChange, history as answer};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;
use crate::{Schema, utc};

/// What saved runs took over time, and where that changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct History<'w> {
    /// What was run.
    pub command: &'w str,
    #[cfg_attr(feature = "schema", schemars(with = "words::HistoryMetric"))]
    pub metric: &'static str,
    /// What was asked for first, then scopes that changed.
    pub series: Vec<Series<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Series<'w> {
    /// null for the whole program.
    pub scope: Option<&'w str>,
    /// The file or module that tells it from others of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'w str>,
    /// With what it calls, without, or one call of it.
    #[cfg_attr(feature = "schema", schemars(with = "words::HistoryValue"))]
    pub of: &'static str,
    /// One for each run that has it, the oldest first.
    pub points: Vec<Point<'w>>,
    pub change_points: Vec<ChangePoint<'w>>,
    /// The smallest change that would have been found in the middle of these runs, 0.05 for 5 %; null where they
    /// are too few for any. Absent where there are change points.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-absent-or-null" = true)))]
    pub smallest_detectable: Option<Option<f64>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Point<'w> {
    /// Its id in the store.
    #[serde(flatten)]
    pub run: Run<'w>,
    /// Absent for allocated bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_ns: Option<u64>,
    /// Of allocated bytes alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_bytes: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Run<'w> {
    pub at: Option<String>,
    pub run: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'w str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
}

/// A change between two runs; the fields of a run are those of the first one after it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChangePoint<'w> {
    #[serde(flatten)]
    pub run: Run<'w>,
    pub before: Run<'w>,
    /// How many commits came after that of before, up to this one: 1 where it can be no other. Absent where git
    /// does not know both here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<u64>,
    /// 0.05 is 5 % more.
    pub effect: f64,
    /// In which the effect truly lies, 95 times in 100.
    pub interval: [f64; 2],
    /// The probability that a series without a change has one as clear.
    pub p: f64,
    /// The medians before and after.
    pub levels: [u64; 2],
    /// machine where the piece of code that recordings time changed as well; unknown where too few runs timed it.
    #[cfg_attr(feature = "schema", schemars(with = "words::ChangeCause"))]
    pub cause: &'static str,
}

/// Both sides of the last change, run again in turns; absent where nobody asked for it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Confirmation<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
    pub pairs: usize,
    /// What was run.
    pub before: &'w str,
    pub after: &'w str,
    pub sentence: &'w str,
    pub conclusion: &'w str,
}

impl Schema for History<'_> {
    const NAME: &'static str = "calor/history/1";
}

impl<'w> History<'w> {
    /// Of an answer.
    #[must_use]
    pub fn new(history: &'w answer::History) -> Self {
        Self {
            command: &history.subject,
            metric: history.metric.word(),
            series: history.series.iter().map(|series| Series::new(history, series)).collect(),
            confirmation: history.confirmation.as_ref().map(Confirmation::new),
        }
    }
}

impl<'w> Series<'w> {
    fn new(history: &'w answer::History, series: &'w answer::HistorySeries) -> Self {
        let point = |(run, value): (&'w answer::HistoryRun, &Option<f64>)| {
            let value = Some(value.as_ref()?.round().max(0.0) as u64);
            Some(Point {
                run: Run::new(run),
                value_ns: value.filter(|_| !history.metric.is_bytes()),
                value_bytes: value.filter(|_| history.metric.is_bytes()),
            })
        };
        Self {
            scope: series.scope.as_deref(),
            place: series.place.as_deref(),
            of: series.value.word(),
            points: history.runs.iter().zip(&series.values).filter_map(point).collect(),
            change_points: series.changes.iter().map(|change| ChangePoint::new(history, change)).collect(),
            smallest_detectable: series.changes.is_empty().then(|| series.smallest_detectable()),
        }
    }
}

impl<'w> Run<'w> {
    fn new(run: &'w answer::HistoryRun) -> Self {
        Self { at: utc(run.at_unix_nanos), run: &run.id, commit: run.commit.as_deref(), dirty: run.is_dirty }
    }
}

impl<'w> ChangePoint<'w> {
    fn new(history: &'w answer::History, change: &RunChange) -> Self {
        Self {
            run: Run::new(&history.runs[change.at]),
            before: Run::new(&history.runs[change.before]),
            commits: history.n_commits.get(&[change.before, change.at]).copied(),
            effect: change.change.effect,
            interval: change.change.interval,
            p: change.p_value,
            levels: change.levels.map(|level| level.round().max(0.0) as u64),
            cause: change.cause.word(),
        }
    }
}

impl<'w> Confirmation<'w> {
    fn new(found: &'w answer::HistoryConfirmation) -> Self {
        Self {
            verdict: found.verdict.word(),
            effect: found.change.map(|change| change.effect),
            interval: found.change.map(|change| change.interval),
            pairs: found.n_pairs,
            before: &found.sides[0],
            after: &found.sides[1],
            sentence: &found.sentence,
            conclusion: &found.conclusion,
        }
    }
}
