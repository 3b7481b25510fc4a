//! Two sets of runs compared: `compare/1`.

use calor_analysis::comparison::{
    CompareMetric, ComparedUnit, Comparison, Former, Rate, Rates, RunTotals, Whole,
};
use calor_analysis::{Difference, FunctionDifference, Mismatch, Presence, Verdict};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;
use crate::{Schema, Warning};

/// Two sets of runs compared. Ratios are fractions: an effect of 0.05 is 5 % more. More fields may be added;
/// these stay.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Compare<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Verdict>"))]
    pub suspected: Option<&'static str>,
    /// The verdict for people.
    pub sentence: String,
    /// By how much the total changed, without what the machine did; null where one side has nothing.
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// What was compared: scopes, cpu, wall, off_cpu, gpu, allocated, or the name of a counter.
    pub metric: &'w str,
    #[cfg_attr(feature = "schema", schemars(with = "words::Unit"))]
    pub unit: &'static str,
    /// How many, before and after.
    pub runs: [usize; 2],
    /// How many rounds of one run a side were compared, the faster ones; absent where runs were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<[usize; 2]>,
    /// What the runs are called, before and after.
    pub names: [&'w [String]; 2],
    /// The machine's part in the difference: 1.1 is a machine that is 10 % slower after; null when not known.
    pub machine_factor: Option<f64>,
    pub common: Common,
    /// About how many runs a side would decide four times in five, if the change is as it seems; absent when
    /// decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_runs: Option<usize>,
    /// The command that would decide; absent when decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<&'w str>,
    pub before: Side<'w>,
    pub after: Side<'w>,
    /// Other numbers that all runs hold: what could have been compared, and duration, program_cpu, peak,
    /// allocated, scope_calls, allocations of whole runs.
    pub metrics: Vec<OtherMetric<'w>>,
    /// What the sides differ in besides the program, the most serious first.
    pub not_alike: Vec<NotAlike>,
    /// Scopes that told what they worked on, the one with the most time first.
    pub work: Vec<Work<'w>>,
    /// Whether figures of functions are of themselves, or with what they call.
    #[cfg_attr(feature = "schema", schemars(with = "words::Reckoning"))]
    pub by: &'static str,
    /// Every function, the largest difference first.
    pub functions: Vec<Function<'w>>,
}

/// What moved all functions together; it is taken out of their effects.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Common {
    pub effect: f64,
    pub interval: Option<[f64; 2]>,
    #[cfg_attr(feature = "schema", schemars(with = "words::CommonCause"))]
    pub cause: &'static str,
    /// By how much the fixed piece of code moved that recordings time; absent where a run did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary_effect: Option<f64>,
}

/// Means of the runs of a side; null what was not measured of every run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Side<'w> {
    /// What was compared, all functions together.
    pub total: f64,
    pub duration_ns: Option<u64>,
    pub cpu_ns: Option<u64>,
    pub allocated_bytes: Option<u64>,
    pub allocated_count: Option<u64>,
    pub peak_bytes: Option<u64>,
    /// Calls of scopes.
    pub scopes: Option<u64>,
    pub commits: &'w [String],
}

/// Another number that all runs hold.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OtherMetric<'w> {
    pub metric: &'w str,
    #[cfg_attr(feature = "schema", schemars(with = "words::Unit"))]
    pub unit: &'static str,
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Verdict>"))]
    pub suspected: Option<&'static str>,
    pub before: f64,
    pub after: f64,
    /// null where one side has nothing.
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NotAlike {
    pub what: String,
    pub before: String,
    pub after: String,
    /// Whether figures of the two are not of one kind.
    pub serious: bool,
}

/// Rates of a scope; null where it did not tell.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Work<'w> {
    pub name: &'w str,
    pub before_flops_per_s: Option<f64>,
    pub after_flops_per_s: Option<f64>,
    pub before_bytes_per_s: Option<f64>,
    pub after_bytes_per_s: Option<f64>,
    /// How much faster it works: of operations, or else of bytes.
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Verdict>"))]
    pub suspected: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Function<'w> {
    pub name: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    /// Mean of the runs, without what it calls, in the unit of the comparison.
    pub before: f64,
    pub after: f64,
    /// The same in whole nanoseconds; null where what is compared is no time.
    pub before_ns: Option<i64>,
    pub after_ns: Option<i64>,
    pub delta_ns: Option<i64>,
    /// The difference as a part of the total before: these add up to the change of the total.
    pub contribution: f64,
    /// Without what moved all functions together; null where it has nothing before or after.
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
    /// The share of chance findings in a list that goes down to this one; null where it is too small to be
    /// judged.
    pub q: Option<f64>,
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Verdict>"))]
    pub suspected: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_effect: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_call_effect: Option<f64>,
    /// What it waited for longest, where time waited is compared: io: read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Presence>"))]
    pub change: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<&'w str>,
    /// The file, library or program that it was in before under the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<&'w str>,
}

impl Schema for Compare<'_> {
    const NAME: &'static str = "calor/compare/1";
}

impl<'w> Compare<'w> {
    /// Its lists have at most `top` rows; `settle` is the command that would decide.
    #[must_use]
    pub fn new(compared: &'w Comparison, top: Option<usize>, settle: Option<&'w str>) -> Self {
        let difference = &compared.difference;
        let unit = compared.metric.unit();
        let machine_factor = compared.machine_factor();
        let [low, high] = difference.common.change.interval;
        let [before, after] = [0, 1].map(|side| {
            let total = [difference.before, difference.after][side];
            Side::new(total, &compared.totals[side], &compared.commits[side])
        });
        Self {
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
            settle,
            before,
            after,
            metrics: compared
                .others
                .iter()
                .map(OtherMetric::new)
                .chain(compared.wholes.iter().filter_map(OtherMetric::of_whole))
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

/// What the runs could not see, and why something of the page is null.
#[must_use]
pub fn warnings(compared: &Comparison, top: Option<usize>) -> Vec<Warning<'_>> {
    let mut warnings: Vec<Warning<'_>> =
        compared.remarks.iter().chain(&compared.warnings).map(Warning::from).collect();
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
    if compared.machine_factor().is_none() {
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

impl<'w> Side<'w> {
    fn new(total: f64, totals: &RunTotals, commits: &'w [String]) -> Self {
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

impl<'w> OtherMetric<'w> {
    fn new((metric, difference): &'w (CompareMetric, Difference)) -> Self {
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

impl<'w> OtherMetric<'w> {
    /// `None` of one that is nothing in some run.
    fn of_whole(whole: &'w Whole) -> Option<Self> {
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

impl<'w> Work<'w> {
    fn new(rates: &'w Rates) -> Self {
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

impl<'w> Function<'w> {
    fn new(function: &'w FunctionDifference, unit: ComparedUnit) -> Self {
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
