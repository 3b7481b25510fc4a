//! Call paths: hot ones, async ones, and who calls whom.

use std::collections::BTreeMap;

use calor_analysis::{CallEdge, CallTree, EventFigures, Function, HotPath as Entry};
use calor_model::{Frame, FrameId, FrameKind};
use calor_wire::Simd;
use serde::Serialize;

use super::whole;
use crate::report::Report;

#[derive(Serialize)]
pub(super) struct HotPath<'r> {
    name: &'r str,
    path: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    total_ns: u64,
    self_ns: u64,
    share: Option<f64>,
    /// The 95 % interval of a share that was counted in samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_interval: Option<[f64; 2]>,
    /// Whether times are estimated from some of the calls, and then the 95 % interval of the total.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_estimated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_interval_ns: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_calls: Option<i64>,
    #[serde(flatten)]
    durations: Durations,
    /// What the scope told of its work in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    flops: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flops_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements_per_s: Option<f64>,
    /// Events in the path itself, and with what it called.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    counters: BTreeMap<&'r str, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    counters_total: BTreeMap<&'r str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simd: Option<Simd>,
}

/// Statistics of the timed calls; absent when none was timed.
#[derive(Serialize)]
struct Durations {
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stddev_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p50_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p95_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_ns: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct AsyncScope<'r> {
    name: &'r str,
    path: Vec<&'r str>,
    completed: u64,
    cancelled: u64,
    polls: u64,
    busy_ns: u64,
    wall_ns: u64,
    wall_p50_ns: Option<u64>,
    wall_p95_ns: Option<u64>,
}

/// A function with all its paths added up.
#[derive(Serialize)]
pub(super) struct MostCalled<'r> {
    name: &'r str,
    calls: u64,
    self_ns: u64,
    share: Option<f64>,
    /// How many call paths end in it.
    paths: usize,
}

#[derive(Serialize)]
pub(super) struct Edge<'r> {
    caller: Option<&'r str>,
    callee: &'r str,
    calls: u64,
    total_ns: u64,
}

impl<'r> HotPath<'r> {
    pub(super) fn new(report: &'r Report<'_>, tree: &CallTree<'_>, entry: &Entry) -> Self {
        let (profile, node) = (report.answer.profile, entry.nodes[0]);
        let frame = tree.frame(node);
        let timed = &entry.stats.timed;
        let is_timed = timed.count > 0;
        let open = entry.nodes.iter().map(|node| tree.node(*node).open_calls).fold(0, i64::saturating_add);
        let total = entry.total_nanos as f64;
        let figures = report
            .answer
            .events
            .as_ref()
            .map(|events| events.of_nodes(tree, &entry.nodes))
            .unwrap_or_default();
        let events = || figures.iter();
        let name_of = |figures: &EventFigures| profile.strings.get(figures.name);
        Self {
            name: profile.strings.get(frame.name),
            path: profile.path_names(tree.node(node).stack),
            module: frame.module.map(|module| profile.strings.get(module)),
            file: frame.file.map(|file| profile.strings.get(file)),
            line: frame.line,
            kind: kind(frame),
            calls: entry.calls,
            samples: entry.samples,
            total_ns: entry.total_nanos,
            self_ns: entry.self_nanos,
            share: entry.share,
            share_interval: entry.share_interval.map(|(low, high)| [low, high]),
            is_estimated: entry.is_self_estimated,
            total_interval_ns: entry
                .margin_nanos()
                .map(|margin| [whole(total - margin), whole(total + margin)]),
            open_calls: Some(open).filter(|open| *open != 0 && !report.answer.summary.is_open_uncertain),
            durations: Durations {
                mean_ns: entry.stats.mean_nanos().map(whole),
                min_ns: is_timed.then_some(timed.min_nanos),
                max_ns: is_timed.then_some(timed.max_nanos),
                stddev_ns: timed.stddev_nanos().map(whole),
                p50_ns: timed.quantile_nanos(0.5).map(whole),
                p95_ns: timed.quantile_nanos(0.95).map(whole),
                p99_ns: timed.quantile_nanos(0.99).map(whole),
            },
            flops: Some(entry.stats.work.flops).filter(|flops| *flops > 0),
            bytes: Some(entry.stats.work.bytes).filter(|bytes| *bytes > 0),
            flops_per_s: entry.flops_per_second(),
            bytes_per_s: entry.bytes_per_second(),
            elements_per_s: entry.elements_per_second(),
            counters: events().filter(|it| it.own > 0).map(|it| (name_of(it), it.own)).collect(),
            counters_total: events().map(|it| (name_of(it), it.total)).collect(),
            simd: report
                .answer
                .verdict(tree, entry)
                .map(|verdict| Simd::new(&verdict, report.answer.offered)),
        }
    }
}

impl<'r> AsyncScope<'r> {
    pub(super) fn new(report: &'r Report<'_>, entry: &Entry) -> Option<Self> {
        let future = entry.stats.future.as_deref()?;
        let stack = report.answer.tree.node(entry.nodes[0]).stack;
        Some(Self {
            name: report.answer.profile.stack_name(stack),
            path: report.answer.profile.path_names(stack),
            completed: future.wall.count,
            cancelled: future.cancelled,
            polls: entry.stats.calls,
            busy_ns: entry.total_nanos,
            wall_ns: future.wall.total_nanos,
            wall_p50_ns: future.wall.quantile_nanos(0.5).map(whole),
            wall_p95_ns: future.wall.quantile_nanos(0.95).map(whole),
        })
    }
}

impl<'r> MostCalled<'r> {
    pub(super) fn new(report: &'r Report<'_>, function: &Function) -> Self {
        Self {
            name: report.answer.profile.stack_name(report.answer.tree.node(function.nodes[0]).stack),
            calls: function.totals.calls,
            self_ns: function.totals.self_nanos,
            share: report.answer.tree.share(function.totals.self_nanos),
            paths: function.nodes.len(),
        }
    }
}

impl<'r> Edge<'r> {
    pub(super) fn new(report: &'r Report<'_>, edge: &CallEdge) -> Self {
        let name =
            |frame: FrameId| report.answer.profile.strings.get(report.answer.profile.frames.get(frame).name);
        Self {
            caller: edge.caller.map(name),
            callee: name(edge.callee),
            calls: edge.calls,
            total_ns: edge.total_nanos,
        }
    }
}

fn kind(frame: Frame) -> &'static str {
    match frame.kind {
        FrameKind::Scope | FrameKind::Context => "scope",
        FrameKind::Kernel => "kernel",
        FrameKind::Python => "python",
        FrameKind::Gpu => "gpu",
        _ => "native",
    }
}
