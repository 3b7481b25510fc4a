//! The outcome of a verification, for people and for scripts.

use std::ffi::OsString;

use anyhow::Result;
use calor_analysis::quantity::counted;
use calor_analysis::{Kept, Metric, Promise, Verdict};
use calor_model::Warning;
use calor_report::wrapped;
use calor_wire::Envelope;
use calor_wire::verify::{MeasuredGain, Verification, Where};

use super::prediction::Prediction;
use crate::ab::Compared;

pub(super) fn text(prediction: &Prediction, compared: &Compared, outcome: &Promise, width: usize) -> String {
    let finding = &prediction.finding;
    let of_process = prediction.is_of_memory() && compared.comparison.metric == Metric::Rss;
    let of_what = if of_process { " less memory of the process" } else { "" };
    let mut lines = vec![
        sentence(compared.comparison.metric, outcome),
        format!(
            "predicted: {}{of_what} by {} at {}",
            times(outcome.promised),
            finding.rule,
            prediction.place()
        ),
        measured(compared, outcome),
    ];
    lines.extend(warnings(compared).map(|warning| format!("warning: {}", warning.message)));
    if outcome.kept == Kept::Undecided && !outcome.is_bound {
        lines.push("more pairs may decide: give it more time with --max-time".to_owned());
    }
    lines.iter().flat_map(|line| wrapped(line, width.max(40))).map(|line| line + "\n").collect()
}

/// What was measured. An outcome may be sure of pairs that are too few for a verdict of their own, which would sound as if it
/// were not.
fn measured(compared: &Compared, outcome: &Promise) -> String {
    let comparison = &compared.comparison;
    let is_unsure = comparison.verdict == Verdict::Undecided && outcome.kept != Kept::Undecided;
    match comparison.change.filter(|_| is_unsure) {
        Some(change) => {
            let (n, metric) = (counted(comparison.n_pairs as u64, "pair"), comparison.metric.name());
            format!("measured: {change} by the command after the change, {n}, {metric}")
        }
        None => {
            format!("measured: {}", comparison.sentence("the command after the change", "the one before"))
        }
    }
}

/// What has to be known of what was measured; of metrics that were not asked for nothing has to.
fn warnings(compared: &Compared) -> impl Iterator<Item = &Warning> {
    const TOLD: [&str; 4] = ["outputs_differ", "too_short", "interrupted", "gain_is_a_bound"];
    compared.warnings.iter().filter(|warning| TOLD.contains(&warning.code.as_str()))
}

fn sentence(metric: Metric, outcome: &Promise) -> String {
    let [low, high] = outcome.promised;
    let Some(measured) = outcome.measured else {
        return "undecided: too few pairs were measured".to_owned();
    };
    let what = match (metric == Metric::Rss, measured.gain >= 1.0) {
        (false, true) => "faster",
        (false, false) => "as fast, which is slower",
        (true, true) => "less memory",
        (true, false) => "less memory, which is more",
    };
    let gain = match outcome.is_bound {
        true => format!("at least {:.2}x {what}", measured.interval[0]),
        false => format!("{:.2}x {what} ({})", measured.gain, times(measured.interval)),
    };
    match outcome.kept {
        Kept::Delivered => format!("delivered: the change gave {gain}, as predicted"),
        Kept::Less => {
            format!("less than predicted: the change gave {gain}, and at least {low:.2}x was promised")
        }
        Kept::More => {
            format!("more than predicted: the change gave {gain}, and at most {high:.2}x was promised")
        }
        Kept::Undecided => {
            format!("undecided: the change seems to give {gain}, which is not sure enough")
        }
    }
}

fn times([low, high]: [f64; 2]) -> String {
    format!("{low:.2}x to {high:.2}x")
}

pub(super) fn json(
    prediction: &Prediction,
    compared: &Compared,
    outcome: &Promise,
    commands: &[OsString; 2],
) -> Result<String> {
    let finding = &prediction.finding;
    let (comparison, place) = (&compared.comparison, &finding.place);
    let body = Verification {
        outcome: outcome.kept.word(),
        sentence: sentence(comparison.metric, outcome),
        rule: &finding.rule,
        version: finding.version,
        r#where: Where { function: &place.function, file: place.file.as_deref(), line: place.line },
        metric: comparison.metric.word(),
        predicted: outcome.promised.into(),
        measured: outcome.measured.map(|measured| MeasuredGain::new(measured.gain, measured.interval)),
        verdict: comparison.verdict.word(),
        pairs: comparison.n_pairs,
        commands: commands.each_ref().map(|line| line.to_string_lossy().into_owned()),
    };
    Ok(Envelope::new(warnings(compared), body).text_by_name()?)
}
