//! A report to a profile.

use calor_model::{
    DurationStats, Frame, FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSummary, KernelKey,
    LabelTable, Profile, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId, ThreadId,
    Warning,
};

use serde::Deserialize;

use super::document::{self, Document, HotPath};
use super::paths::{Details, Paths};
use super::run;
use crate::{Error, Format, Place, encoding, error, imported};

/// Said of what `calor bench --format json` wrote, whose other forms can be read.
const OF_BENCH: &str = "it has the figures of a bench and no profile; give the .calor file that the bench writes with `--profile \
                        run.calor`, or its page as .html or .md; only `calor compare --models` reads the JSON of `calor bench model`";

/// Reads a report.
///
/// # Errors
/// When the text is no JSON, or none of a report of version 1.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let text = encoding::utf8(bytes);
    if let Some(file) = carried(&text)? {
        return crate::native::read(&file);
    }
    let document: Document =
        serde_json::from_slice(&text).map_err(|error| error::json(Format::Json, &error))?;
    if document.schema == "calor/bench/1" {
        return Err(Error::NothingUsable { format: Format::Json, why: OF_BENCH.to_owned() });
    }
    if document.schema != "calor/report/1" {
        return Err(Error::Input {
            format: Format::Json,
            expected: "a report, \"calor/report/1\"".to_owned(),
            found: format!("{:?}", document.schema),
            place: Place::Line { line: 1, column: None },
        });
    }
    let mut profile = Profile::default();
    let thread = only_thread(&document, &mut profile);
    add_paths(&document, &mut profile, thread);
    add_kernels(&document, &mut profile);
    for warning in &document.warnings {
        let (code, message) = (warning.code.clone(), warning.message.clone());
        profile.warn(Warning { code, message, count: warning.count });
    }
    let message = "read from a report, which has no timeline, no labels, not the threads of each path and of \
                   percentiles only three: everything over time and by thread is missing; give the recording itself to \
                   see it";
    profile.warn(Warning::new("report_only", message));
    let run = document.run.map(run::read).unwrap_or_default();
    imported::finish(&mut profile, bytes, run);
    Ok(profile)
}

/// What a page about operations carries its profile in: `calor.export("x.json")` writes it.
#[derive(Deserialize)]
struct Carrying {
    schema: String,
    calor_profile: Option<Vec<String>>,
}

/// The `.calor` file inside a page about operations; `None` where it is another page.
fn carried(text: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let page =
        serde_json::from_slice::<Carrying>(text).ok().filter(|page| page.schema == "calor/profile_report/1");
    let Some(page) = page else { return Ok(None) };
    let Some(lines) = page.calor_profile else {
        return Err(Error::Input {
            format: Format::Json,
            expected: "a page that carries its profile, as calor.export(\"x.json\") writes it".to_owned(),
            found: "one that does not, as calor.profile_report(format=\"json\") returns it".to_owned(),
            place: Place::Line { line: 1, column: None },
        });
    };
    let lines = lines.join("\n") + "\n";
    Ok(Some(crate::embedded::unwrapped(lines.as_bytes())?.into_owned()))
}

/// The thread that all figures are put on: the only one there was, or one that stands for all.
fn only_thread(document: &Document, profile: &mut Profile) -> ThreadId {
    match document.threads.as_slice() {
        [thread] => profile.intern_thread(0, thread.tid.unwrap_or(0), &thread.name),
        _ => profile.intern_thread(0, 0, "all threads"),
    }
}

fn add_paths(document: &Document, profile: &mut Profile, thread: ThreadId) {
    let (mut scopes, mut sampled) = (Paths::default(), Paths::default());
    let (mut scope_rows, mut sample_rows) = (Vec::new(), Vec::new());
    for entry in &document.hot_paths {
        // Scopes whose calls nobody knows have neither.
        let is_scope = entry.calls.is_some() || entry.samples.is_none() || entry.kind == "scope";
        let (paths, rows) = match is_scope {
            true => (&mut scopes, &mut scope_rows),
            false => (&mut sampled, &mut sample_rows),
        };
        if let Some(node) = paths.insert(&entry.path) {
            let (module, file) = (entry.module.as_deref(), entry.file.as_deref());
            paths.describe(node, Details { kind: kind(&entry.kind), module, file, line: entry.line });
            rows.push((node, entry));
        }
    }
    // Who waited or allocated is a path of one or the other; where it is of neither, one of samples.
    let other_paths = document.off_cpu.iter().map(|entry| &entry.path);
    for path in other_paths.chain(document.allocators.iter().map(|entry| &entry.path)) {
        if scopes.find(path).is_none() {
            sampled.insert(path);
        }
    }
    let scope_stacks = scopes.stacks(profile, FrameKind::Scope);
    let sampled_stacks = sampled.stacks(profile, FrameKind::Native);
    let stack_of = |path: &[String]| {
        let scope = scopes.find(path).map(|node| scope_stacks[node]);
        scope.or_else(|| sampled.find(path).map(|node| sampled_stacks[node]))
    };

    let labels = LabelTable::none();
    add_scopes(profile, thread, &scopes, &scope_stacks, &scope_rows);
    for (node, entry) in sample_rows {
        let weight = SampleWeight { count: entry.samples.unwrap_or(0), nanos: entry.self_ns };
        let stack = sampled_stacks[node];
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, weight);
    }
    for entry in &document.off_cpu {
        if let Some(stack) = stack_of(&entry.path) {
            let key = SampleKey { kind: SampleKind::OffCpu, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count: entry.count, nanos: entry.blocked_ns });
        }
    }
    for entry in &document.allocators {
        if let Some(stack) = stack_of(&entry.path) {
            profile.heap.add(HeapKey { stack, thread, labels }, &site(entry));
        }
    }
    profile.heap.summary = document.heap.as_ref().map(|heap| {
        let mode = if heap.mode == "sampled" { HeapMode::Sampled } else { HeapMode::Exact };
        let leaked = heap.leaked_bytes.zip(heap.leaked_count);
        HeapSummary {
            leaked: leaked.map(|(bytes, count)| HeapBlocks { count, bytes }),
            sampling_bytes: heap.sampling_bytes,
            ..HeapSummary::new(mode, heap.peak_bytes, heap.peak_at_ns)
        }
    });
}

fn add_scopes(
    profile: &mut Profile,
    thread: ThreadId,
    paths: &Paths<'_>,
    stacks: &[StackId],
    rows: &[(usize, &HotPath)],
) {
    let mut of_children = vec![0_u64; stacks.len()];
    for &(node, entry) in rows {
        if let Some(parent) = paths.parent(node) {
            of_children[parent] = of_children[parent].saturating_add(entry.total_ns);
        }
    }
    let labels = LabelTable::none();
    let rest_name = profile.strings.intern("(not in the report)");
    let rest_frame = profile.frames.intern(Frame::new(rest_name, FrameKind::Synthetic));
    for &(node, entry) in rows {
        profile.scopes.add(ScopeKey { stack: stacks[node], thread, labels }, stats(entry));
        let shown = entry.self_ns.saturating_add(of_children[node]);
        let missing = entry.total_ns.saturating_sub(shown);
        // Less than a hundredth is what rounding and the subtracted cost of recording leave.
        if missing > entry.total_ns / 100 {
            let stack = profile.stacks.intern(Some(stacks[node]), rest_frame);
            let stats = ScopeStats { total_nanos: missing, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        }
    }
}

fn stats(entry: &HotPath) -> ScopeStats {
    let calls = entry.calls.unwrap_or(0);
    let spread = entry.stddev_ns.unwrap_or(0.0);
    let mut timed = DurationStats::default();
    if let (Some(min_nanos), Some(max_nanos), 1..) = (entry.min_ns, entry.max_ns, calls) {
        timed.count = calls;
        timed.total_nanos = entry.total_ns;
        (timed.min_nanos, timed.max_nanos) = (min_nanos, max_nanos);
        timed.squared_deviations = spread * spread * calls as f64;
        add_percentiles(&mut timed, entry);
    }
    let mut stats = ScopeStats { calls, timed, total_nanos: entry.total_ns, ..ScopeStats::default() };
    stats.open_calls = entry.open_calls.unwrap_or(0);
    let seconds = entry.total_ns as f64 / 1e9;
    let amount = |per_second: Option<f64>| (per_second.unwrap_or(0.0) * seconds).round() as u64;
    stats.work.flops = entry.flops.unwrap_or_else(|| amount(entry.flops_per_s));
    stats.work.bytes = entry.bytes.unwrap_or_else(|| amount(entry.bytes_per_s));
    stats
}

/// Fills the histogram so that it answers with the percentiles of the report: as many durations at each of them as lie
/// between it and the one before. What lies between is not known.
fn add_percentiles(timed: &mut DurationStats, entry: &HotPath) {
    let (Some(p50), Some(p95), Some(p99)) = (entry.p50_ns, entry.p95_ns, entry.p99_ns) else { return };
    let n = timed.count;
    let rank = |share: f64| ((share * n as f64).ceil().max(1.0) as u64).min(n);
    let mut below = 0;
    for (nanos, rank) in [(p50, rank(0.5)), (p95, rank(0.95)), (p99, rank(0.99)), (timed.max_nanos as f64, n)]
    {
        if rank > below {
            timed.add_to_histogram(nanos, rank - below);
        }
        below = rank;
    }
}

fn site(entry: &document::Allocator) -> HeapSite {
    // What is not known to be held counts as freed.
    let live_bytes = entry.live_bytes.unwrap_or(0);
    let freed_bytes = entry.allocated_bytes.saturating_sub(live_bytes);
    let live_count = entry.live_count.unwrap_or(if live_bytes == 0 { 0 } else { entry.allocated_count });
    HeapSite {
        allocated_bytes: entry.allocated_bytes,
        allocated_count: entry.allocated_count,
        freed_bytes,
        freed_count: entry.allocated_count.saturating_sub(live_count),
        peak_bytes: entry.peak_bytes.unwrap_or(0),
        peak_count: entry.peak_count.unwrap_or(0),
        temporary_count: entry.temporary_count.unwrap_or(0),
        temporary_bytes: entry.temporary_bytes.unwrap_or(0),
        samples: entry.samples.unwrap_or(0),
        allocated_variance: variance(entry.allocated_bytes, entry.interval),
        live_variance: variance(live_bytes, entry.live_interval),
        peak_variance: variance(entry.peak_bytes.unwrap_or(0), entry.peak_interval),
    }
}

/// The variance of an estimate, by how far its interval reaches above it: below, it may end at nothing.
fn variance(estimate: u64, interval: Option<[u64; 2]>) -> f64 {
    let reach = interval.map_or(0, |[_, high]| high.saturating_sub(estimate));
    (reach as f64 / 1.96).powi(2)
}

fn add_kernels(document: &Document, profile: &mut Profile) {
    for kernel in document.gpu.iter().flat_map(|gpu| &gpu.kernels) {
        let name = profile.strings.intern(&kernel.name);
        let key = KernelKey { name, device: kernel.device.unwrap_or(0), launched_from: None };
        let mean = kernel.total_ns.checked_div(kernel.count).unwrap_or(0);
        let mut durations = DurationStats::default();
        durations.count = kernel.count;
        durations.total_nanos = kernel.total_ns;
        (durations.min_nanos, durations.max_nanos) = (mean, mean);
        profile.gpu.add_kernel(key, &durations);
    }
}

fn kind(word: &str) -> FrameKind {
    match word {
        "scope" => FrameKind::Scope,
        "python" => FrameKind::Python,
        "kernel" => FrameKind::Kernel,
        "gpu" => FrameKind::Gpu,
        _ => FrameKind::Native,
    }
}
