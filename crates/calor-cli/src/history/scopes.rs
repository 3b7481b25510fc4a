//! The series of a history: the whole program and its larger scopes, or the scope that was named.

use anyhow::{Result, bail};
use calor_analysis::nearest_functions;
use calor_analysis::quantity::counted;
use calor_model::Warning;
use calor_report::{HistorySeries, HistoryValue};
use calor_store::{SavedRun, Scope, ScopeSums, Store, Sum, SumKind};

use super::{Arguments, repeated};

/// A scope that takes less of the program than this is too small to be judged, and beyond so many the smallest are left out.
const LEAST_SHARE: f64 = 0.005;
const MOST: usize = 100;

pub(super) struct Found {
    pub(super) kind: SumKind,
    /// What was asked for, and then all others.
    pub(super) series: Vec<HistorySeries>,
    /// How many were asked for: these are shown whether they changed or not.
    pub(super) n_asked: usize,
    pub(super) warnings: Vec<Warning>,
}

/// What people call it.
pub(super) fn name(kind: SumKind) -> &'static str {
    match kind {
        SumKind::Scopes => "time in scopes",
        SumKind::Wall => "wall time",
        SumKind::OffCpu => "time off the CPU",
        SumKind::Allocated => "allocated bytes",
        _ => "CPU time",
    }
}

/// What a sample stands for in these runs, the most of any, where figures are of samples and that is known.
pub(super) fn step(kind: SumKind, runs: &[SavedRun]) -> Option<f64> {
    let rates = runs.iter().filter_map(|run| run.settings.get("rate")?.parse::<f64>().ok());
    let slowest = rates.filter(|rate| *rate > 0.0).reduce(f64::min)?;
    matches!(kind, SumKind::Cpu | SumKind::Wall).then_some(1e9 / slowest)
}

pub(super) fn find(store: &Store, runs: &[SavedRun], arguments: &Arguments) -> Result<Found> {
    match arguments.scope.as_deref().filter(|scope| !scope.is_empty()) {
        Some(scope) => named(store, runs, scope, arguments),
        None => program(store, runs, arguments),
    }
}

fn program(store: &Store, runs: &[SavedRun], arguments: &Arguments) -> Result<Found> {
    let wholes = |kind: SumKind| whole(store, runs, kind);
    let kind = match arguments.kind() {
        Some(kind) => kind,
        None => {
            let n_known = |kind: SumKind| -> Result<usize> { Ok(wholes(kind)?.iter().flatten().count()) };
            let (scopes, cpu) = (n_known(SumKind::Scopes)?, n_known(SumKind::Cpu)?);
            match (scopes, cpu) {
                (0, 0) => SumKind::Wall,
                (scopes, cpu) if scopes >= cpu.max(runs.len() / 2) => SumKind::Scopes,
                _ => SumKind::Cpu,
            }
        }
    };
    let is_repeated = repeated::are_repeated(kind, runs);
    let all = sums(store, kind, runs)?;
    let of_repeated = is_repeated.then(|| repeated::whole(&all, runs.len())).flatten();
    let n_left_out = of_repeated.as_ref().map_or(0, |whole| whole.n_left_out);
    let values = match of_repeated {
        Some(whole) => whole.values,
        None => wholes(kind)?,
    };
    let n_known = values.iter().flatten().count();
    if n_known == 0 {
        bail!(
            "none of {} has {}: record with what measures it, or ask for another with --metric",
            counted(runs.len() as u64, "run"),
            name(kind)
        );
    }
    let level = values.iter().flatten().sum::<f64>() / n_known as f64;
    let mut found = Found {
        kind,
        series: vec![HistorySeries {
            scope: None,
            place: None,
            value: HistoryValue::Total,
            values,
            changes: Vec::new(),
        }],
        n_asked: 1,
        warnings: missing(runs.len(), n_known, "are not in it: they do not have that figure"),
    };
    let value = arguments.value().unwrap_or(HistoryValue::Own);
    found.warnings.extend(is_repeated.then(repeated::remark));
    found.warnings.extend(repeated::left_out(n_left_out));
    let mut scopes: Vec<(f64, ScopeSums)> = all
        .into_iter()
        .filter(|sums| !sums.scope.is_program())
        .map(|sums| (mean_own(&sums), sums))
        .filter(|(own, sums)| {
            let n_known = sums.sums.iter().flatten().count();
            *own >= LEAST_SHARE * level && 2 * n_known >= runs.len()
        })
        .collect();
    scopes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.scope.cmp(&b.1.scope)));
    scopes.truncate(MOST);
    found.series.extend(scopes.iter().map(|(_, sums)| series(sums, value)));
    Ok(found)
}

/// What all scopes took; where runs repeat by time, with as many calls in each.
fn sums(store: &Store, kind: SumKind, runs: &[SavedRun]) -> Result<Vec<ScopeSums>> {
    let mut all = store.sums(kind, None, runs)?;
    if repeated::are_repeated(kind, runs) {
        repeated::as_often(&mut all);
    }
    Ok(all)
}

/// What the program took as a whole. Its CPU time and time on the wall are known exactly, and not only from samples.
fn whole(store: &Store, runs: &[SavedRun], kind: SumKind) -> Result<Vec<Option<f64>>> {
    let sums = store.sums(kind, Some(&Scope::default()), runs)?.into_iter().next();
    let sums = sums.map_or_else(|| vec![None; runs.len()], |series| series.sums);
    let value = |(run, sum): (&SavedRun, &Option<Sum>)| {
        let exact = match kind {
            SumKind::Cpu => run.totals.cpu_nanos,
            SumKind::Wall => run.totals.duration_nanos,
            SumKind::Allocated => run.totals.allocated_bytes,
            _ => None,
        };
        let value = exact.or(sum.map(|sum| sum.total)).filter(|value| *value > 0);
        value.map(|value| value as f64)
    };
    Ok(runs.iter().zip(&sums).map(value).collect())
}

fn named(store: &Store, runs: &[SavedRun], given: &str, arguments: &Arguments) -> Result<Found> {
    let kinds = arguments.kind().map_or_else(|| SumKind::ALL.to_vec(), |kind| vec![kind]);
    let mut known: Vec<String> = Vec::new();
    for kind in kinds {
        let all = sums(store, kind, runs)?;
        let matching = matching(&all, given);
        if matching.is_empty() {
            known.extend(all.into_iter().map(|sums| sums.scope.name));
            continue;
        }
        let value = arguments.value().unwrap_or(HistoryValue::Total);
        let series: Vec<HistorySeries> = matching.into_iter().map(|sums| series(sums, value)).collect();
        let n_known = series.iter().map(|series| series.values.iter().flatten().count()).max().unwrap_or(0);
        if n_known == 0 {
            bail!("calls of {given} are not counted: only scopes and allocations have --value call");
        }
        let mut warnings = missing(runs.len(), n_known, "do not have it, or too little of it to be kept");
        warnings.extend(repeated::are_repeated(kind, runs).then(repeated::remark));
        return Ok(Found { kind, n_asked: series.len(), series, warnings });
    }
    known.retain(|name| !name.is_empty());
    known.sort();
    known.dedup();
    let near = nearest_functions(given, known.iter().map(String::as_str));
    let advice = match near.is_empty() {
        false => format!("did you mean `{}`?", near.join("` or `")),
        true => "`calor report store:latest` shows the names there are".to_owned(),
    };
    bail!("no scope `{given}` in {}: {advice}", counted(runs.len() as u64, "run"))
}

/// Scopes of this name; else those whose path ends like that; else those that hold it, if all of one name do.
fn matching<'s>(all: &'s [ScopeSums], given: &str) -> Vec<&'s ScopeSums> {
    let scopes = || all.iter().filter(|sums| !sums.scope.is_program());
    let exact: Vec<&ScopeSums> = scopes().filter(|sums| sums.scope.name == given).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_end = |name: &str| {
        let rest = name.strip_suffix(given);
        rest.is_some_and(|rest| rest.ends_with("::") || rest.ends_with('.') || rest.ends_with('/'))
    };
    scopes().filter(|sums| is_end(&sums.scope.name)).collect()
}

fn series(sums: &ScopeSums, value: HistoryValue) -> HistorySeries {
    let of = |sum: &Sum| match value {
        HistoryValue::Total => Some(sum.total as f64),
        HistoryValue::Own => Some(sum.own as f64),
        HistoryValue::Call => {
            sum.calls.filter(|calls| *calls > 0).map(|calls| sum.total as f64 / calls as f64)
        }
    };
    HistorySeries {
        scope: Some(sums.scope.name.clone()),
        place: Some(sums.scope.place.clone()).filter(|place| !place.is_empty()),
        value,
        values: sums.sums.iter().map(|sum| sum.as_ref().and_then(of)).collect(),
        changes: Vec::new(),
    }
}

fn mean_own(sums: &ScopeSums) -> f64 {
    let known = || sums.sums.iter().flatten();
    known().map(|sum| sum.own as f64).sum::<f64>() / known().count().max(1) as f64
}

fn missing(n_runs: usize, n_known: usize, why: &str) -> Vec<Warning> {
    let n = (n_runs - n_known) as u64;
    let told = (n > 0).then(|| Warning::counted("runs_without", format!("{} {why}", counted(n, "run")), n));
    told.into_iter().collect()
}
