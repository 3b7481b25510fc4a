//! A table for spreadsheets: one row for each call path, all statistics in columns. Only written: a table cannot
//! carry a profile.
//!
//! The columns are a promise: more may come at the end, these stay. Rows are sorted by path. What was not recorded is
//! an empty field, never 0. Fields are quoted as RFC 4180 says, and lines end as it says, in CR LF. In `path` the
//! names are separated by semicolons.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use calor_model::{FrameKind, HeapSite, Profile, SampleKind, SampleWeight, ScopeStats, StackId, Work};

use crate::Error;

const COLUMNS: [&str; 40] = [
    "path",
    "name",
    "kind",
    "module",
    "file",
    "line",
    "calls",
    "total_ns",
    "self_ns",
    "mean_ns",
    "min_ns",
    "max_ns",
    "stddev_ns",
    "p50_ns",
    "p95_ns",
    "p99_ns",
    "open_calls",
    "elements",
    "bytes",
    "flops",
    "cpu_samples",
    "cpu_ns",
    "off_cpu_count",
    "off_cpu_ns",
    "wall_samples",
    "wall_ns",
    "allocated_bytes",
    "allocated_count",
    "live_bytes",
    "peak_bytes",
    "temporary_count",
    "gpu_count",
    "gpu_ns",
    "elements_per_s",
    "bytes_per_s",
    "flops_per_s",
    "live_count",
    "peak_count",
    "temporary_bytes",
    "allocated_samples",
];

/// What is known of one call path, threads and labels added up. Samples and allocations are its own, without those
/// of what it called.
#[derive(Default)]
struct Row {
    scope: Option<(ScopeStats, u64)>,
    samples: BTreeMap<SampleKind, SampleWeight>,
    heap: Option<HeapSite>,
    gpu: Option<(u64, u64)>,
}

/// Writes the table.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write(profile: &Profile, out: impl Write) -> Result<(), Error> {
    let mut rows: Vec<_> = rows(profile).into_iter().collect();
    rows.sort_by_cached_key(|(stack, _)| profile.path_names(*stack));
    write_rows(profile, rows, out)
}

/// Writes the table with these paths alone, in this order. Paths of which nothing was recorded have no row.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_paths(
    profile: &Profile,
    paths: impl IntoIterator<Item = StackId>,
    out: impl Write,
) -> Result<(), Error> {
    let mut rows = rows(profile);
    let chosen = paths.into_iter().filter_map(|stack| rows.remove_entry(&stack));
    write_rows(profile, chosen, out)
}

fn rows(profile: &Profile) -> BTreeMap<StackId, Row> {
    let mut rows: BTreeMap<StackId, Row> = BTreeMap::new();
    for ((key, stats), self_nanos) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
        let (sum, self_sum) = rows.entry(key.stack).or_default().scope.get_or_insert_default();
        sum.add(stats);
        *self_sum = self_sum.saturating_add(self_nanos);
    }
    for (key, weight) in profile.samples.iter() {
        rows.entry(key.stack).or_default().samples.entry(key.kind).or_default().add(weight);
    }
    for (key, site) in profile.heap.iter() {
        rows.entry(key.stack).or_default().heap.get_or_insert_default().add(site);
    }
    let kernels = profile.gpu.kernels.iter().map(|(key, durations)| (key.launched_from, durations));
    let copies = profile.gpu.copies.iter().map(|(key, copies)| (key.launched_from, &copies.durations));
    for (launched_from, durations) in kernels.chain(copies) {
        let Some(stack) = launched_from else { continue };
        let (count, nanos) = rows.entry(stack).or_default().gpu.get_or_insert_default();
        *count = count.saturating_add(durations.count);
        *nanos = nanos.saturating_add(durations.total_nanos);
    }
    rows
}

fn write_rows(
    profile: &Profile,
    rows: impl IntoIterator<Item = (StackId, Row)>,
    out: impl Write,
) -> Result<(), Error> {
    let mut out = BufWriter::new(out);
    write!(out, "{}\r\n", COLUMNS.join(","))?;
    for (stack, row) in rows {
        let fields = fields(profile, &profile.path_names(stack), stack, &row);
        debug_assert_eq!(fields.len(), COLUMNS.len());
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            write_field(field, &mut out)?;
        }
        out.write_all(b"\r\n")?;
    }
    out.flush()?;
    Ok(())
}

fn fields(profile: &Profile, path: &[&str], stack: StackId, row: &Row) -> Vec<String> {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let text = |id: Option<calor_model::StringId>| id.map_or("", |id| profile.strings.get(id)).to_owned();
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let nanos = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
    let scope = row.scope.as_ref().map(|(stats, _)| stats);
    let timed = scope.map(|stats| &stats.timed).filter(|timed| timed.count > 0);
    let work = scope.map(|stats| &stats.work).filter(|work| !work.is_empty());
    // Of the scope's time with all that it called, as what it tells of its work is.
    let seconds =
        scope.map(|stats| ScopeStats::inclusive_nanos(stats) as f64 / 1e9).filter(|seconds| *seconds > 0.0);
    let rate = |amount: fn(&Work) -> u64| {
        let rate = work.map(amount).filter(|amount| *amount > 0).zip(seconds);
        rate.map_or(String::new(), |(amount, seconds)| format!("{:.0}", amount as f64 / seconds))
    };
    let sampled = |kind| row.samples.get(&kind);
    let heap = row.heap.as_ref();
    vec![
        path.join(";"),
        profile.stack_name(stack).to_owned(),
        kind(frame.kind).to_owned(),
        text(frame.module),
        text(frame.file),
        number(frame.line.map(u64::from)),
        number(scope.filter(|stats| is_counted(stats)).map(|stats| stats.calls)),
        number(scope.map(ScopeStats::inclusive_nanos)),
        number(row.scope.as_ref().map(|(_, self_nanos)| *self_nanos)),
        nanos(scope.and_then(ScopeStats::mean_nanos)),
        number(timed.map(|timed| timed.min_nanos)),
        number(timed.map(|timed| timed.max_nanos)),
        nanos(timed.and_then(|timed| timed.stddev_nanos())),
        nanos(timed.and_then(|timed| timed.quantile_nanos(0.5))),
        nanos(timed.and_then(|timed| timed.quantile_nanos(0.95))),
        nanos(timed.and_then(|timed| timed.quantile_nanos(0.99))),
        scope.map_or(String::new(), |stats| stats.open_calls.to_string()),
        number(work.map(|work| work.elements)),
        number(work.map(|work| work.bytes)),
        number(work.map(|work| work.flops)),
        number(sampled(SampleKind::Cpu).map(|weight| weight.count)),
        number(sampled(SampleKind::Cpu).map(|weight| weight.nanos)),
        number(sampled(SampleKind::OffCpu).map(|weight| weight.count)),
        number(sampled(SampleKind::OffCpu).map(|weight| weight.nanos)),
        number(sampled(SampleKind::Wall).map(|weight| weight.count)),
        number(sampled(SampleKind::Wall).map(|weight| weight.nanos)),
        number(heap.map(|site| site.allocated_bytes)),
        number(heap.map(|site| site.allocated_count)),
        number(heap.map(HeapSite::live_bytes)),
        number(heap.map(|site| site.peak_bytes)),
        number(heap.map(|site| site.temporary_count)),
        number(row.gpu.map(|(count, _)| count)),
        number(row.gpu.map(|(_, nanos)| nanos)),
        rate(|work| work.elements),
        rate(|work| work.bytes),
        rate(|work| work.flops),
        number(heap.map(HeapSite::live_count)),
        number(heap.map(|site| site.peak_count)),
        number(heap.map(|site| site.temporary_bytes)),
        number(heap.map(|site| site.samples).filter(|samples| *samples > 0)),
    ]
}

fn kind(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Scope | FrameKind::Context => "scope",
        FrameKind::Kernel => "kernel",
        FrameKind::Python => "python",
        FrameKind::Gpu => "gpu",
        FrameKind::Synthetic => "synthetic",
        _ => "native",
    }
}

/// A field is put in quotes where it has to be, and quotes inside are doubled.
fn write_field(field: &str, out: &mut impl Write) -> std::io::Result<()> {
    if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        write!(out, "\"{}\"", field.replace('"', "\"\""))
    } else {
        out.write_all(field.as_bytes())
    }
}

/// Whether calls were counted: time without a call, ended or not, is of a file that holds sums alone.
fn is_counted(stats: &ScopeStats) -> bool {
    stats.calls > 0 || stats.open_calls != 0 || stats.total_nanos == 0
}
