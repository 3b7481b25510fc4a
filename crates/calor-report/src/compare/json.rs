//! `calor compare --format json`. Times are whole nanoseconds, shares and ratios are fractions, and what is not known is
//! `null`.

use calor_analysis::comparison::{
    CompareMetric, ComparedUnit, Comparison, Former, Rate, Rates, RunTotals, Whole,
};
use calor_analysis::{Difference, FunctionDifference, Mismatch, Presence, Verdict};
use calor_wire::Warning;
use serde::Serialize;
use serde_json::Value;

use super::{CompareOptions, settling};
use crate::Error;

#[derive(Serialize)]
struct Page<'c> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Warning<'c>>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspected: Option<&'static str>,
    sentence: String,
    /// `null` where one side has nothing to compare with.
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
    margin: f64,
    metric: &'c str,
    unit: &'static str,
    runs: [usize; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<[usize; 2]>,
    names: [&'c [String]; 2],
    machine_factor: Option<f64>,
    common: Common,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_runs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settle: Option<&'c str>,
    before: Side<'c>,
    after: Side<'c>,
    metrics: Vec<Other<'c>>,
    not_alike: Vec<NotAlike>,
    work: Vec<Work<'c>>,
    by: &'static str,
    functions: Vec<Function<'c>>,
}

/// What moved all functions together.
#[derive(Serialize)]
struct Common {
    effect: f64,
    interval: Option<[f64; 2]>,
    cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    canary_effect: Option<f64>,
}

#[derive(Serialize)]
struct Side<'c> {
    /// What was compared, all functions together.
    total: f64,
    duration_ns: Option<u64>,
    cpu_ns: Option<u64>,
    allocated_bytes: Option<u64>,
    allocated_count: Option<u64>,
    peak_bytes: Option<u64>,
    scopes: Option<u64>,
    commits: &'c [String],
}

/// Another number that all runs hold.
#[derive(Serialize)]
struct Other<'c> {
    metric: &'c str,
    unit: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspected: Option<&'static str>,
    before: f64,
    after: f64,
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct NotAlike {
    what: String,
    before: String,
    after: String,
    serious: bool,
}

/// How fast a scope worked, before and after.
#[derive(Serialize)]
struct Work<'c> {
    name: &'c str,
    before_flops_per_s: Option<f64>,
    after_flops_per_s: Option<f64>,
    before_bytes_per_s: Option<f64>,
    after_bytes_per_s: Option<f64>,
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspected: Option<&'static str>,
}

#[derive(Serialize)]
struct Function<'c> {
    name: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'c str>,
    before: f64,
    after: f64,
    /// `null` where what is compared is no time.
    before_ns: Option<i64>,
    after_ns: Option<i64>,
    delta_ns: Option<i64>,
    contribution: f64,
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
    q: Option<f64>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspected: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_effect: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_call_effect: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<&'c str>,
}

pub(super) fn page(compared: &Comparison, options: &CompareOptions) -> Result<String, Error> {
    let page = Page::new(compared, options);
    Ok(serde_json::to_string_pretty(&page).map_err(std::io::Error::from)? + "\n")
}

/// The same as a value, for output that has it inside.
///
/// # Errors
/// None that is known: every figure is a number.
pub fn compared_json(compared: &Comparison, options: &CompareOptions) -> Result<Value, Error> {
    Ok(serde_json::to_value(Page::new(compared, options)).map_err(std::io::Error::from)?)
}

impl<'c> Page<'c> {
    fn new(compared: &'c Comparison, options: &CompareOptions) -> Self {
        let top = options.top;
        let difference = &compared.difference;
        let unit = compared.metric.unit();
        let machine_factor = compared.machine_factor();
        let mut warnings: Vec<Warning<'c>> =
            compared.remarks.iter().chain(&compared.warnings).map(Warning::from).collect();
        warnings.extend(missing(compared, top, machine_factor));
        let [low, high] = difference.common.change.interval;
        let [before, after] = [0, 1].map(|side| {
            let total = [difference.before, difference.after][side];
            Side::new(total, &compared.totals[side], &compared.commits[side])
        });
        Self {
            schema: "calor/compare/1",
            calor: env!("CARGO_PKG_VERSION"),
            warnings,
            verdict: difference.verdict.word(),
            suspected: difference.suspected.map(Verdict::word),
            sentence: compared.headline(),
            effect: difference.known_effect(),
            interval: difference.change.map(|change| change.interval),
            margin: difference.margin,
            metric: compared.metric.word(),
            unit: unit.word(),
            runs: difference.n_runs,
            rounds: difference.n_rounds,
            names: compared.names.each_ref().map(Vec::as_slice),
            machine_factor,
            common: Common {
                effect: difference.common.change.effect,
                interval: (low < high).then_some([low, high]),
                cause: difference.common.cause.word(),
                canary_effect: difference.common.canary.map(|canary| canary.effect),
            },
            needs_runs: difference.needs_runs,
            settle: settling(compared, options).map(|advice| advice.command.as_str()),
            before,
            after,
            metrics: compared
                .others
                .iter()
                .map(Other::new)
                .chain(compared.wholes.iter().filter_map(Other::of_whole))
                .collect(),
            not_alike: compared.mismatches.iter().map(NotAlike::new).collect(),
            work: compared.work.iter().take(top.unwrap_or(usize::MAX)).map(Work::new).collect(),
            by: compared.by().word(),
            functions: compared
                .listed()
                .iter()
                .take(top.unwrap_or(usize::MAX))
                .map(|function| Function::new(function, unit))
                .collect(),
        }
    }
}

/// Why something is `null`.
fn missing(compared: &Comparison, top: Option<usize>, machine_factor: Option<f64>) -> Vec<Warning<'static>> {
    let mut warnings = Vec::new();
    if let count @ 1.. = n_without_effect(compared, top) {
        let message = "what is nothing on one side has no ratio to the other: see before and after";
        warnings.push(Warning { count: Some(count as u64), ..Warning::of("effect_unknown", message) });
    }
    if compared.difference.change.is_none() {
        warnings.push(Warning::of(
            "one_run_a_side",
            "one run a side has no spread, so there is no interval: give several runs a side",
        ));
    }
    if machine_factor.is_none() {
        warnings.push(Warning::of(
            "machine_factor_unknown",
            match compared.is_of_other_work() {
                true => "of different work nothing tells how fast the machine was: these runs did not time it",
                false => "all functions moved together, and the profiles do not tell whether the machine or the build did",
            },
        ));
    }
    warnings
}

/// How many of the figures on the page have no effect, those aside that are said to be new or vanished.
fn n_without_effect(compared: &Comparison, top: Option<usize>) -> usize {
    let wholes = compared.others.iter().map(|(_, difference)| difference).chain([&compared.difference]);
    let wholes = wholes.filter(|whole| whole.known_effect().is_none());
    let functions = compared
        .listed()
        .iter()
        .take(top.unwrap_or(usize::MAX))
        .filter(|function| function.presence == Presence::Both && function.known_effect().is_none());
    wholes.count() + functions.count()
}

impl<'c> Side<'c> {
    fn new(total: f64, totals: &RunTotals, commits: &'c [String]) -> Self {
        let whole = |value: Option<f64>| value.map(|value| value.round() as u64);
        Self {
            total,
            duration_ns: whole(totals.duration_nanos),
            cpu_ns: whole(totals.cpu_nanos),
            allocated_bytes: whole(totals.allocated_bytes),
            allocated_count: whole(totals.allocated_count),
            peak_bytes: whole(totals.peak_bytes),
            scopes: whole(totals.scope_calls),
            commits,
        }
    }
}

impl<'c> Other<'c> {
    fn new((metric, difference): &'c (CompareMetric, Difference)) -> Self {
        Self {
            metric: metric.word(),
            unit: metric.unit().word(),
            verdict: difference.verdict.word(),
            suspected: difference.suspected.map(Verdict::word),
            before: difference.before,
            after: difference.after,
            effect: difference.known_effect(),
            interval: difference.change.map(|change| change.interval),
        }
    }
}

impl<'c> Other<'c> {
    /// `None` of one that is nothing in some run.
    fn of_whole(whole: &'c Whole) -> Option<Self> {
        let (judged, [before, after]) = (whole.judged?, whole.means);
        Some(Self {
            metric: whole.of.word(),
            unit: whole.of.unit().word(),
            verdict: judged.verdict.word(),
            suspected: judged.suspected.map(Verdict::word),
            before,
            after,
            effect: whole.known_effect(),
            interval: judged.change.map(|change| change.interval),
        })
    }
}

impl NotAlike {
    fn new(mismatch: &Mismatch) -> Self {
        Self {
            what: mismatch.what.to_string(),
            before: mismatch.before.clone(),
            after: mismatch.after.clone(),
            serious: mismatch.what.is_serious(),
        }
    }
}

impl<'c> Work<'c> {
    fn new(rates: &'c Rates) -> Self {
        let per_second = |rate: &Option<Rate>| rate.map_or([None; 2], |rate| rate.per_second);
        let ([before_flops_per_s, after_flops_per_s], [before_bytes_per_s, after_bytes_per_s]) =
            (per_second(&rates.flops), per_second(&rates.bytes));
        let judged = rates.judged();
        Self {
            name: &rates.name,
            before_flops_per_s,
            after_flops_per_s,
            before_bytes_per_s,
            after_bytes_per_s,
            effect: judged.and_then(Rate::effect),
            interval: judged.and_then(|rate| rate.change).map(|change| change.interval),
            verdict: judged.map_or(Verdict::Undecided, |rate| rate.verdict).word(),
            suspected: judged.and_then(|rate| rate.suspected).map(Verdict::word),
        }
    }
}

impl<'c> Function<'c> {
    fn new(function: &'c FunctionDifference, unit: ComparedUnit) -> Self {
        let nanos = |value: f64| (unit == ComparedUnit::Nanos).then(|| value.round() as i64);
        let (before_ns, after_ns) = (nanos(function.before), nanos(function.after));
        let former = Former::of(function);
        Self {
            name: &function.function.name,
            module: function.function.module.as_deref(),
            file: function.function.file.as_deref(),
            before: function.before,
            after: function.after,
            before_ns,
            after_ns,
            delta_ns: before_ns.zip(after_ns).map(|(before, after)| after - before),
            contribution: function.contribution,
            effect: function.known_effect(),
            interval: function.change.map(|change| change.interval),
            q: function.q,
            verdict: function.verdict.word(),
            suspected: function.suspected.map(Verdict::word),
            calls_effect: function.calls_effect,
            per_call_effect: function.per_call_effect,
            waits_for: function.waits_for.as_deref(),
            change: match (&function.presence, former) {
                (Presence::New, _) => Some("new"),
                (Presence::Vanished, _) => Some("vanished"),
                (_, Some(Former::Called(_))) => Some("renamed"),
                _ => None,
            },
            renamed_from: match former {
                Some(Former::Called(name)) => Some(name),
                _ => None,
            },
            moved_from: match former {
                Some(Former::In(place)) => Some(place),
                _ => None,
            },
        }
    }
}
