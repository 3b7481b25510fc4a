//! A history for programs: `calor/history/1`.

use calor_analysis::RunChange;
use calor_analysis::history::{History, HistoryConfirmation, HistoryRun, HistorySeries};
use calor_wire::Warning;
use serde::Serialize;

use crate::Error;
use crate::moment::utc;

#[derive(Serialize)]
struct Page<'h> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Warning<'h>>,
    command: &'h str,
    metric: &'static str,
    series: Vec<Series<'h>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<Confirmation<'h>>,
}

#[derive(Serialize)]
struct Series<'h> {
    scope: Option<&'h str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'h str>,
    of: &'static str,
    points: Vec<Point<'h>>,
    change_points: Vec<ChangePoint<'h>>,
    /// Absent where there are changes, and `null` where nothing would have been found.
    #[serde(skip_serializing_if = "Option::is_none")]
    smallest_detectable: Option<Option<f64>>,
}

#[derive(Serialize)]
struct Point<'h> {
    #[serde(flatten)]
    run: Run<'h>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Run<'h> {
    at: Option<String>,
    run: &'h str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'h str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dirty: bool,
}

#[derive(Serialize)]
struct ChangePoint<'h> {
    #[serde(flatten)]
    run: Run<'h>,
    before: Run<'h>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<u64>,
    effect: f64,
    interval: [f64; 2],
    p: f64,
    levels: [u64; 2],
    cause: &'static str,
}

#[derive(Serialize)]
struct Confirmation<'h> {
    verdict: &'static str,
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
    pairs: usize,
    before: &'h str,
    after: &'h str,
    sentence: &'h str,
    conclusion: &'h str,
}

pub(super) fn page(history: &History) -> Result<String, Error> {
    let page = Page {
        schema: "calor/history/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: history.warnings.iter().map(Warning::from).collect(),
        command: &history.subject,
        metric: history.metric.word(),
        series: history.series.iter().map(|series| Series::new(history, series)).collect(),
        confirmation: history.confirmation.as_ref().map(Confirmation::new),
    };
    Ok(serde_json::to_string_pretty(&page).map_err(std::io::Error::from)? + "\n")
}

impl<'h> Series<'h> {
    fn new(history: &'h History, series: &'h HistorySeries) -> Self {
        let point = |(run, value): (&'h HistoryRun, &Option<f64>)| {
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

impl<'h> Run<'h> {
    fn new(run: &'h HistoryRun) -> Self {
        Self { at: utc(run.at_unix_nanos), run: &run.id, commit: run.commit.as_deref(), dirty: run.is_dirty }
    }
}

impl<'h> ChangePoint<'h> {
    fn new(history: &'h History, change: &RunChange) -> Self {
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

impl<'h> Confirmation<'h> {
    fn new(found: &'h HistoryConfirmation) -> Self {
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
