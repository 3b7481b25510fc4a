//! `calor ab --format json`: fields that scripts may rely on. Those at the top are of B against A; `comparisons` has all.

use anyhow::Result;
use calor_analysis::{Comparison, Doubt, ExperimentOutcome, MeasuredRow, MeasuredSeries, Metric};
use calor_wire::ab::{self as wire, Ab};
use calor_wire::why::Why;
use calor_wire::{Envelope, Warning};
use serde_json::Number;

/// The page, with an explanation where there is one.
pub(super) fn page(outcome: &ExperimentOutcome, why: Option<Why>) -> Result<String> {
    let named = ('B'..).zip(&outcome.comparisons);
    let comparisons: Vec<wire::Comparison> = named.map(|(name, found)| comparison(name, found)).collect();
    let mut warnings: Vec<Warning<'_>> = outcome.warnings.iter().map(Warning::from).collect();
    if comparisons.iter().any(|comparison| comparison.null_control.is_none()) {
        let message =
            "fewer than eight runs of A cannot be compared with each other: there is no null control";
        warnings.push(Warning::of("too_few_runs", message));
    }
    let metrics = outcome.series.iter().map(|series| (series.metric.word(), metric(outcome, series)));
    let body = Ab {
        first: comparisons.first(),
        metric: outcome.plan.metric.word(),
        margin: outcome.plan.margin,
        commands: outcome.commands.iter().map(String::as_str).collect(),
        comparisons: &comparisons,
        metrics: metrics.collect(),
        warmup: outcome.plan.warmup,
        rounds: outcome.n_pairs,
        seed: outcome.plan.seed,
        duration_ns: u64::try_from(outcome.elapsed.as_nanos()).unwrap_or(u64::MAX),
        advice: &outcome.advice,
        why,
    };
    Ok(Envelope::new(warnings, body).text()?)
}

fn comparison(name: char, found: &Comparison) -> wire::Comparison {
    wire::Comparison {
        variant: name.to_string(),
        verdict: found.verdict.word(),
        sentence: found.to_string(),
        effect: found.change.map(|change| change.effect),
        interval: found.change.map(|change| change.interval),
        pairs: found.n_pairs,
        null_control: found.null_control.map(|control| control.word()),
        smallest_detectable: found.smallest_detectable,
        needs_pairs: found.needs_pairs,
        doubt: found.doubt.map(|doubt| match doubt {
            Doubt::TooFewPairs => "too_few_pairs",
            Doubt::NotClear => "not_clear",
            Doubt::UnstableMachine => "unstable_machine",
        }),
    }
}

/// `None` where no run of it could be measured.
fn metric(outcome: &ExperimentOutcome, series: &MeasuredSeries) -> Option<wire::Metric> {
    let rows = outcome.rows_of(series);
    if rows.iter().all(|row| row.middle.is_none()) {
        return None;
    }
    let change = rows.get(1).and_then(|row| row.change);
    Some(wire::Metric {
        unit: match series.metric {
            Metric::Rss => "bytes",
            Metric::Instructions => "count",
            _ => "ns",
        },
        effect: change.map(|change| change.effect),
        interval: change.map(|change| change.interval),
        variants: rows.iter().map(entry).collect(),
    })
}

fn entry(row: &MeasuredRow) -> wire::Variant {
    let number = |value: Option<f64>| value.map(|value| Number::from(value.round().max(0.0) as u64));
    wire::Variant {
        name: row.name.to_string(),
        runs: row.middle.map_or(0, |middle| middle.n),
        median: number(row.middle.map(|middle| middle.median)),
        low: number(row.middle.map(|middle| middle.low)),
        high: number(row.middle.map(|middle| middle.high)),
        min: number(row.middle.map(|middle| middle.min)),
        max: number(row.middle.map(|middle| middle.max)),
        effect: row.change.map(|change| change.effect),
        interval: row.change.map(|change| change.interval),
    }
}
