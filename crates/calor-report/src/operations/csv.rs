//! Operations, scopes and functions as one table for spreadsheets. The columns are a promise: more may come at the end.
//! What was not measured is an empty field, never 0.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;

use calor_analysis::{LabelledSum, OperationRow, SampledFunction, ScopeCalls, ScopeSum, spread_of_calls};
use calor_model::ScopeStats;
use serde::Serialize;

use super::OperationsReport;
use super::labelled;
use super::wire::{whole, word};
use super::work::Work;
use crate::Error;

const N_COLUMNS: usize = 33;
const COLUMNS: [&str; N_COLUMNS] = [
    "kind",
    "operation",
    "library",
    "count",
    "total_ns",
    "mean_ns",
    "min_ns",
    "max_ns",
    "stddev_ns",
    "p95_ns",
    "backend",
    "share",
    "bytes",
    "flops",
    "bytes_per_s",
    "flops_per_s",
    "roof_share",
    "shapes",
    "dtypes",
    "result_dtype",
    "file",
    "line",
    "context",
    "parent",
    "is_nested",
    "is_estimated",
    "allocated_bytes",
    "peak_bytes",
    "elements",
    "counters",
    "labels",
    "gpu_ns",
    "device",
];

pub(super) fn write(report: &OperationsReport<'_>, out: &mut impl Write) -> Result<(), Error> {
    let most = report.options.top.unwrap_or(usize::MAX);
    let mut page = COLUMNS.join(",") + "\r\n";
    let operations = report.answer.operations.iter().take(most).map(operation);
    let scopes = report.answer.scopes.iter().take(most).chain(report.answer.functions.iter().take(most));
    let scopes = scopes.flat_map(|sum| {
        let work = Work::of(report.answer.profile, &sum.stats, sum.total_nanos);
        let sets = labelled::sets(sum).iter().map(|set| labelled(report, sum, set));
        std::iter::once(scope(sum, &work)).chain(sets).collect::<Vec<_>>()
    });
    let sampled = report.answer.sampled.iter().take(most).map(sampled);
    for fields in operations.chain(scopes).chain(sampled) {
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        page.push_str(&fields.join(","));
        page.push_str("\r\n");
    }
    Ok(out.write_all(page.as_bytes())?)
}

fn operation(row: &OperationRow<'_>) -> [String; N_COLUMNS] {
    let told = |amount: u64| shown(Some(amount).filter(|amount| *amount > 0));
    let [count, total, mean, min, max, stddev, p95] = durations(&row.stats, row.total_nanos);
    [
        "operation".to_owned(),
        row.name.to_owned(),
        row.library.to_owned(),
        count,
        total,
        mean,
        min,
        max,
        stddev,
        p95,
        row.backend.to_owned(),
        shown(row.share),
        told(row.stats.work.bytes),
        told(row.stats.work.flops),
        shown(row.bytes_per_second()),
        shown(row.flops_per_second()),
        shown(row.roof_share()),
        shown(row.shape),
        row.dtypes().join(","),
        shown(row.result_dtype()),
        shown(row.file),
        shown(row.line),
        shown(row.context),
        shown(row.parent),
        row.is_nested.to_string(),
        row.stats.is_estimated().to_string(),
        shown(row.stats.memory.map(|memory| memory.allocated_bytes)),
        shown(row.stats.memory.map(|memory| memory.peak_bytes)),
        told(row.stats.work.elements),
        String::new(),
        String::new(),
        shown(row.gpu_nanos),
        shown(row.device),
    ]
}

fn scope(sum: &ScopeSum<'_>, work: &Work<'_>) -> [String; N_COLUMNS] {
    let [count, total, mean, min, max, stddev, p95] = durations(&sum.stats, sum.total_nanos);
    let mut fields: [String; N_COLUMNS] = std::array::from_fn(|_| String::new());
    let [kind, name, _, n, whole, middle, least, most, spread, late, ..] = &mut fields;
    *kind = word(sum.kind).to_owned();
    *name = sum.name.to_owned();
    (*n, *whole, *middle, *least, *most, *spread, *late) = (count, total, mean, min, max, stddev, p95);
    fields[10] = shown(work.backend());
    fields[11] = shown(sum.share);
    fields[12] = shown(work.bytes);
    fields[13] = shown(work.flops);
    fields[14] = shown(work.bytes_per_s);
    fields[15] = shown(work.flops_per_s);
    fields[20] = shown(sum.file);
    fields[21] = shown(sum.line);
    fields[25] = sum.is_estimated.to_string();
    fields[26] = shown(sum.stats.memory.map(|memory| memory.allocated_bytes));
    fields[27] = shown(sum.stats.memory.map(|memory| memory.peak_bytes));
    fields[28] = shown(work.elements);
    // Names may have any letter in them, so they stand as they do in JSON.
    fields[29] = pairs(&work.counters);
    fields[30] = labelled::common(sum).map(|labels| pairs(&labels)).unwrap_or_default();
    fields[31] = shown(sum.gpu_nanos);
    fields
}

/// Those scopes of a name that have these labels. They are in the row of their name, too, so they are of another kind.
fn labelled(report: &OperationsReport<'_>, sum: &ScopeSum<'_>, set: &LabelledSum<'_>) -> [String; N_COLUMNS] {
    let part = ScopeSum {
        total_nanos: set.total_nanos,
        // It is known of the name alone.
        gpu_nanos: None,
        share: set.share,
        stats: set.stats.clone(),
        is_estimated: set.stats.is_estimated(),
        by_labels: Vec::new(),
        ..sum.clone()
    };
    let mut fields = scope(&part, &Work::of(report.answer.profile, &set.stats, set.total_nanos));
    fields[0] = "labelled".to_owned();
    fields[30] = pairs(&labelled::labels(set));
    fields
}

/// A function that samples found: how often, and its own time as a part of that of all samples.
fn sampled(function: &SampledFunction) -> [String; N_COLUMNS] {
    let mut fields: [String; N_COLUMNS] = std::array::from_fn(|_| String::new());
    fields[0] = "sampled".to_owned();
    fields[1].clone_from(&function.name);
    fields[3] = shown(function.samples);
    fields[4] = function.total_nanos.to_string();
    fields[11] = shown(function.share);
    fields[20] = shown(function.file.as_ref());
    fields[21] = shown(function.line);
    fields[25] = true.to_string();
    fields
}

/// Names and what belongs to them; nothing where there are none.
fn pairs(named: &BTreeMap<&str, impl Serialize>) -> String {
    Some(named)
        .filter(|named| !named.is_empty())
        .and_then(|named| serde_json::to_string(named).ok())
        .unwrap_or_default()
}

/// The figures of time that all rows have.
fn durations(stats: &ScopeStats, total_nanos: u64) -> [String; 7] {
    let calls = ScopeCalls::of(stats, total_nanos);
    [
        calls.count.to_string(),
        total_nanos.to_string(),
        shown(calls.mean_nanos.map(whole)),
        shown(calls.min_nanos().map(whole)),
        shown(calls.max_nanos().map(whole)),
        shown(calls.timed.and_then(spread_of_calls).map(whole)),
        shown(calls.quantile(0.95).map(whole)),
    ]
}

fn shown(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A field as RFC 4180 has it.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
