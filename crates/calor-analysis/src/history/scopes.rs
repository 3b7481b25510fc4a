//! The series of a history: the whole program and its larger scopes, or the scope that was named.

use calor_model::Warning;

use super::{
    HistoryMetric, HistoryQuestion, HistoryRun, HistorySeries, HistorySums, HistoryValue, RunSum, ScopeRuns,
    repeated,
};
use crate::quantity::counted;
use crate::{Error, nearest_functions};

/// A scope that takes less of the program than this is too small to be judged, and beyond so many the smallest are left out.
const LEAST_SHARE: f64 = 0.005;
const MOST: usize = 100;

pub(super) struct Found {
    pub(super) metric: HistoryMetric,
    /// What was asked for, and then all others.
    pub(super) series: Vec<HistorySeries>,
    /// How many were asked for: these are shown whether they changed or not.
    pub(super) n_asked: usize,
    pub(super) warnings: Vec<Warning>,
}

pub(super) fn find<S: HistorySums>(
    sums: &S,
    runs: &[HistoryRun],
    question: &HistoryQuestion,
) -> Result<Found, S::Error> {
    match question.scope.as_deref().filter(|scope| !scope.is_empty()) {
        Some(scope) => named(sums, runs, scope, question),
        None => program(sums, runs, question),
    }
}

fn program<S: HistorySums>(
    sums: &S,
    runs: &[HistoryRun],
    question: &HistoryQuestion,
) -> Result<Found, S::Error> {
    let metric = match question.metric {
        Some(metric) => metric,
        None => {
            let n_known =
                |metric| -> Result<usize, S::Error> { Ok(sums.program(metric)?.iter().flatten().count()) };
            let (scopes, cpu) = (n_known(HistoryMetric::Scopes)?, n_known(HistoryMetric::Cpu)?);
            match (scopes, cpu) {
                (0, 0) => HistoryMetric::Wall,
                (scopes, cpu) if scopes >= cpu.max(runs.len() / 2) => HistoryMetric::Scopes,
                _ => HistoryMetric::Cpu,
            }
        }
    };
    let is_repeated = repeated::are_repeated(metric, runs);
    let all = scopes(sums, metric, runs)?;
    let of_repeated = is_repeated.then(|| repeated::whole(&all, runs.len())).flatten();
    let n_left_out = of_repeated.as_ref().map_or(0, |whole| whole.n_left_out);
    let values = match of_repeated {
        Some(whole) => whole.values,
        None => sums.program(metric)?,
    };
    let n_known = values.iter().flatten().count();
    if n_known == 0 {
        let runs = counted(runs.len() as u64, "run");
        return Err(Error::NotInHistory { runs, metric: metric.name() }.into());
    }
    let level = values.iter().flatten().sum::<f64>() / n_known as f64;
    let whole =
        HistorySeries { scope: None, place: None, value: HistoryValue::Total, values, changes: Vec::new() };
    let mut found = Found {
        metric,
        series: vec![whole],
        n_asked: 1,
        warnings: missing(runs.len(), n_known, "are not in it: they do not have that figure")
            .into_iter()
            .collect(),
    };
    let value = question.value.unwrap_or(HistoryValue::Own);
    found.warnings.extend(is_repeated.then(repeated::remark));
    found.warnings.extend(repeated::left_out(n_left_out));
    let mut scopes: Vec<(f64, ScopeRuns)> = all
        .into_iter()
        .filter(|scope| !scope.is_program())
        .map(|scope| (mean_own(&scope), scope))
        .filter(|(own, scope)| {
            let n_known = scope.runs.iter().flatten().count();
            *own >= LEAST_SHARE * level && 2 * n_known >= runs.len()
        })
        .collect();
    let key = |scope: &ScopeRuns| (scope.name.clone(), scope.place.clone());
    scopes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| key(&a.1).cmp(&key(&b.1))));
    scopes.truncate(MOST);
    found.series.extend(scopes.iter().map(|(_, scope)| series(scope, value)));
    Ok(found)
}

/// What all scopes took; where runs repeat by time, with as many calls in each.
fn scopes<S: HistorySums>(
    sums: &S,
    metric: HistoryMetric,
    runs: &[HistoryRun],
) -> Result<Vec<ScopeRuns>, S::Error> {
    let mut all = sums.scopes(metric)?;
    if repeated::are_repeated(metric, runs) {
        repeated::as_often(&mut all);
    }
    Ok(all)
}

fn named<S: HistorySums>(
    sums: &S,
    runs: &[HistoryRun],
    given: &str,
    question: &HistoryQuestion,
) -> Result<Found, S::Error> {
    let metrics = question.metric.map_or_else(|| HistoryMetric::ALL.to_vec(), |metric| vec![metric]);
    let mut known: Vec<String> = Vec::new();
    for metric in metrics {
        let all = scopes(sums, metric, runs)?;
        let matching = matching(&all, given);
        if matching.is_empty() {
            known.extend(all.into_iter().map(|scope| scope.name));
            continue;
        }
        let value = question.value.unwrap_or(HistoryValue::Total);
        let series: Vec<HistorySeries> = matching.into_iter().map(|scope| series(scope, value)).collect();
        let n_known = series.iter().map(|series| series.values.iter().flatten().count()).max().unwrap_or(0);
        if n_known == 0 {
            return Err(Error::CallsNotCounted { scope: given.to_owned() }.into());
        }
        let missing = missing(runs.len(), n_known, "do not have it, or too little of it to be kept");
        let mut warnings: Vec<Warning> = missing.into_iter().collect();
        warnings.extend(repeated::are_repeated(metric, runs).then(repeated::remark));
        return Ok(Found { metric, n_asked: series.len(), series, warnings });
    }
    known.retain(|name| !name.is_empty());
    known.sort();
    known.dedup();
    let near = nearest_functions(given, known.iter().map(String::as_str));
    let advice = match near.is_empty() {
        false => format!("did you mean `{}`?", near.join("` or `")),
        true => "`calor report store:latest` shows the names there are".to_owned(),
    };
    let runs = counted(runs.len() as u64, "run");
    Err(Error::ScopeNotInHistory { scope: given.to_owned(), runs, advice }.into())
}

/// Scopes of this name; else those whose path ends like that; else those that hold it, if all of one name do.
fn matching<'s>(all: &'s [ScopeRuns], given: &str) -> Vec<&'s ScopeRuns> {
    let scopes = || all.iter().filter(|scope| !scope.is_program());
    let exact: Vec<&ScopeRuns> = scopes().filter(|scope| scope.name == given).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_end = |name: &str| {
        let rest = name.strip_suffix(given);
        rest.is_some_and(|rest| rest.ends_with("::") || rest.ends_with('.') || rest.ends_with('/'))
    };
    scopes().filter(|scope| is_end(&scope.name)).collect()
}

fn series(scope: &ScopeRuns, value: HistoryValue) -> HistorySeries {
    let of = |sum: &RunSum| match value {
        HistoryValue::Total => Some(sum.total as f64),
        HistoryValue::Own => Some(sum.own as f64),
        HistoryValue::Call => {
            sum.calls.filter(|calls| *calls > 0).map(|calls| sum.total as f64 / calls as f64)
        }
    };
    HistorySeries {
        scope: Some(scope.name.clone()),
        place: Some(scope.place.clone()).filter(|place| !place.is_empty()),
        value,
        values: scope.runs.iter().map(|sum| sum.as_ref().and_then(of)).collect(),
        changes: Vec::new(),
    }
}

fn mean_own(scope: &ScopeRuns) -> f64 {
    let known = || scope.runs.iter().flatten();
    known().map(|sum| sum.own as f64).sum::<f64>() / known().count().max(1) as f64
}

fn missing(n_runs: usize, n_known: usize, why: &str) -> Option<Warning> {
    let n = (n_runs - n_known) as u64;
    (n > 0).then(|| Warning::counted("runs_without", format!("{} {why}", counted(n, "run")), n))
}
