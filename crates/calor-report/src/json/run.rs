//! The run, its summary and its threads.

use std::collections::BTreeMap;

use calor_analysis::{ThreadChoice, ThreadSummary};
use calor_model::{Host, Language};
use serde::Serialize;

use crate::report::Report;

#[derive(Serialize)]
pub(super) struct WireRun<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'r str>,
    started_at: Option<String>,
    duration_ns: u64,
    cpu_ns: Option<u64>,
    host: WireHost<'r>,
    labels: &'r BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'r str>,
    recorders: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<Overhead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<WireCanary>,
    /// How many runs were added up; the fields above describe the first, times are of all.
    runs: usize,
}

/// How long a fixed piece of code took beside the program.
#[derive(Serialize)]
struct WireCanary {
    #[serde(skip_serializing_if = "Option::is_none")]
    first_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ns: Option<u64>,
}

#[derive(Serialize)]
struct WireHost<'r> {
    name: Option<&'r str>,
    os: Option<&'r str>,
    kernel: Option<&'r str>,
    arch: Option<&'r str>,
    cpu: Option<&'r str>,
    /// What tells how wide the processor computes, as the system names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cpu_features: Vec<&'r str>,
    cores: Option<u32>,
    memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Overhead {
    own_cpu_ns: Option<u64>,
    /// Timed calls times the cost of one, where the CPU time was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_cpu_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_scope_ns: Option<u64>,
    /// The same without rounding to whole nanoseconds, of which a scope costs only a few.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_scope_ps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside_scope_ps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    /// Whether the times of this report have it subtracted.
    is_subtracted: bool,
}

/// What part of the profile is reported.
#[derive(Serialize)]
pub(super) struct Selection<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct WireSummary {
    scopes: Option<u64>,
    scope_paths: Option<usize>,
    recorded_ns: Option<u64>,
    /// `null` where a damaged file may have lost the ends.
    open_calls: Option<u64>,
    /// Calls that the recorder counted and could not follow, because they were too deep or on too many paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_too_deep: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_over_limit: Option<u64>,
    samples: Option<u64>,
    samples_lost: Option<u64>,
    /// How often threads waited and how long, all together; absent when waiting was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<WirePython>,
    threads: usize,
    allocated_bytes: Option<u64>,
    peak_bytes: Option<u64>,
}

/// Python's part; absent when none was sampled.
#[derive(Serialize)]
struct WirePython {
    samples: u64,
    /// The share in which the thread held the global interpreter lock, of samples for which that is known; `null` when
    /// there are none.
    held_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gil_wait_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified_waits: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct WireThread<'r> {
    tid: Option<u64>,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gil_held_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gil_wait_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<u64>,
}

impl<'r> WireRun<'r> {
    pub(super) fn new(report: &'r Report<'_>) -> Option<Self> {
        let runs = &report.answer.profile.runs;
        let run = runs.first()?;
        let cost = report.answer.recording;
        let is_known =
            cost.cpu_nanos.is_some() || report.answer.cost.is_some() || cost.memory_bytes.is_some();
        Some(Self {
            command: run.command.as_deref(),
            started_at: calor_wire::utc(run.started_at_unix_nanos),
            duration_ns: report.answer.summary.duration_nanos,
            cpu_ns: report.answer.summary.cpu_nanos,
            host: WireHost::new(&run.host),
            labels: &run.labels,
            commit: run.commit.as_deref(),
            recorders: run.recorders.iter().map(|recorder| recorder.word()).collect(),
            overhead: is_known.then(|| Overhead {
                own_cpu_ns: cost.cpu_nanos,
                estimated_cpu_ns: cost.estimated_nanos(),
                per_scope_ns: report
                    .answer
                    .cost
                    .map(|cost| super::whole(cost.per_scope_picos as f64 / 1000.0)),
                per_scope_ps: report.answer.cost.map(|cost| cost.per_scope_picos),
                inside_scope_ps: report.answer.cost.map(|cost| cost.inside_scope_picos),
                memory_bytes: cost.memory_bytes,
                is_subtracted: report.options.subtract_overhead,
            }),
            canary: run
                .canary
                .nanos()
                .map(|_| WireCanary { first_ns: run.canary.first_nanos, last_ns: run.canary.last_nanos }),
            runs: runs.len(),
        })
    }
}

impl<'r> WireHost<'r> {
    fn new(host: &'r Host) -> Self {
        let known = |text: &'r String| Some(text.as_str()).filter(|text| !text.is_empty());
        Self {
            name: known(&host.name),
            os: known(&host.os),
            kernel: known(&host.kernel),
            arch: known(&host.arch),
            cpu: known(&host.cpu),
            cpu_features: host.cpu_features.iter().map(String::as_str).collect(),
            cores: host.cores,
            memory_bytes: host.memory_bytes,
        }
    }
}

impl<'r> Selection<'r> {
    pub(super) fn new(report: &'r Report<'_>) -> Self {
        let profile = report.answer.profile;
        let thread = match &report.options.threads {
            ThreadChoice::All => None,
            ThreadChoice::Only(id) => Some(profile.strings.get(profile.threads.get(*id).name)),
            ThreadChoice::Named(name) => Some(name.as_str()),
        };
        let metric = report.options.metric.map(crate::Metric::word);
        let language = match report.options.language {
            Language::All => None,
            Language::Python => Some("python"),
            Language::Native => Some("native"),
        };
        Self { context: report.options.context.as_deref(), thread, metric, language }
    }

    pub(super) fn is_everything(&self) -> bool {
        self.context.is_none() && self.thread.is_none() && self.metric.is_none() && self.language.is_none()
    }
}

impl WireSummary {
    pub(super) fn new(report: &Report<'_>) -> Self {
        let summary = &report.answer.summary;
        Self {
            scopes: summary.scope_calls,
            scope_paths: summary.scope_paths,
            recorded_ns: summary.recorded_nanos,
            open_calls: (!summary.is_open_uncertain).then_some(summary.open_calls),
            calls_too_deep: Some(summary.too_deep_calls).filter(|calls| *calls > 0),
            calls_over_limit: Some(summary.over_limit_calls).filter(|calls| *calls > 0),
            samples: summary.samples,
            samples_lost: summary.samples_lost,
            waits: summary.waits,
            blocked_ns: summary.blocked_nanos,
            python: summary.python.as_ref().map(|python| WirePython {
                samples: python.samples,
                held_share: python.held_share,
                gil_wait_ns: python.gil_wait_nanos,
                unverified: Some(python.unverified).filter(|samples| *samples > 0),
                unverified_waits: Some(python.unverified_waits).filter(|waits| *waits > 0),
            }),
            threads: summary.threads.len(),
            allocated_bytes: summary.allocated_bytes,
            peak_bytes: summary.heap.map(|heap| heap.peak_bytes),
        }
    }
}

impl<'r> WireThread<'r> {
    pub(super) fn new(report: &'r Report<'_>, summary: &ThreadSummary) -> Self {
        let thread = report.answer.profile.threads.get(summary.thread);
        Self {
            tid: Some(thread.tid).filter(|tid| *tid != 0),
            name: report.answer.profile.strings.get(thread.name),
            cpu_ns: summary.cpu_nanos,
            samples: summary.samples,
            waits: summary.waits,
            blocked_ns: summary.blocked_nanos,
            gil_held_share: summary.gil_held_share(),
            gil_wait_ns: summary.gil_wait_nanos,
            recorded_ns: summary.recorded_nanos,
            scopes: summary.scope_calls,
        }
    }
}
