//! The report for programs. Field names and meanings are a promise: more may be added, none goes away. Times
//! are whole nanoseconds, shares are fractions, and what was not measured is `null` or absent with its reason
//! among the warnings.

mod events;
mod gpu;
pub(crate) mod heap_page;
mod path;
mod run;
mod waiting;
mod work;

use std::collections::BTreeMap;
use std::io::Write;

use calor_model::SampleKind;
use calor_wire::Warning;
use calor_wire::heap::{Allocator, Heap, ScopeMemory};
use serde::Serialize;
use serde_json::Value;

pub(crate) use self::gpu::WireGpu;
use crate::Error;
use crate::operations::Operation;
use crate::report::Report;
use crate::section::sentence;

/// `calor report --format json`.
#[derive(Serialize)]
struct Page<'r> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Warning<'r>>,
    run: Option<run::WireRun<'r>>,
    #[serde(skip_serializing_if = "run::Selection::is_everything")]
    selection: run::Selection<'r>,
    summary: run::WireSummary,
    hot_paths: Vec<path::HotPath<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    off_cpu: Vec<waiting::Waiting<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counters: Vec<events::Counter<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Operation<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<WireGpu<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    async_scopes: Vec<path::AsyncScope<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    work: Vec<work::Work<'r>>,
    threads: Vec<run::WireThread<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scope_memory: Vec<ScopeMemory<'r>>,
    allocators: Vec<Allocator<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heap: Option<Heap<'r>>,
    most_called: Vec<path::MostCalled<'r>>,
    callers: Vec<path::Edge<'r>>,
    insights: Vec<String>,
    /// Remarks of the caller's own under their name.
    #[serde(flatten)]
    remarks: BTreeMap<&'static str, Value>,
}

pub(crate) fn write(report: &Report<'_>, out: &mut impl Write) -> Result<(), Error> {
    let mut hot_paths: Vec<_> = report
        .answer
        .hot
        .iter()
        .map(|entry| path::HotPath::new(report, &report.answer.tree, entry))
        .collect();
    for sampled in report.answer.sampled.iter().filter(|sampled| sampled.kind != SampleKind::OffCpu) {
        hot_paths.extend(sampled.hot.iter().map(|entry| path::HotPath::new(report, &sampled.tree, entry)));
    }
    let page = Page {
        schema: "calor/report/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: report.answer.warnings.iter().map(Warning::from).collect(),
        run: run::WireRun::new(report),
        selection: run::Selection::new(report),
        summary: run::WireSummary::new(report),
        hot_paths,
        off_cpu: report.answer.waits.iter().map(|wait| waiting::Waiting::new(report, wait)).collect(),
        counters: report
            .answer
            .counters
            .iter()
            .map(|counter| events::Counter::new(report, counter))
            .collect(),
        operations: report
            .answer
            .operations
            .iter()
            .take(report.options.top.unwrap_or(usize::MAX))
            .map(Operation::new)
            .collect(),
        gpu: report
            .answer
            .gpu
            .as_ref()
            .map(|gpu| WireGpu::new(report.answer.profile, gpu, report.options.top)),
        async_scopes: report
            .answer
            .futures
            .iter()
            .filter_map(|entry| path::AsyncScope::new(report, entry))
            .collect(),
        work: report.answer.work.iter().map(|entry| work::Work::new(report, entry)).collect(),
        threads: report
            .answer
            .summary
            .threads
            .iter()
            .map(|thread| run::WireThread::new(report, thread))
            .collect(),
        scope_memory: report
            .answer
            .scope_memory
            .iter()
            .map(|entry| ScopeMemory::new(report.answer.profile, entry))
            .collect(),
        allocators: report
            .answer
            .allocators
            .iter()
            .map(|entry| Allocator::new(report.answer.profile, entry))
            .collect(),
        heap: report
            .answer
            .heap
            .as_ref()
            .map(|heap| Heap::new(report.answer.profile, heap, report.options.top)),
        most_called: report
            .answer
            .most_called
            .iter()
            .map(|function| path::MostCalled::new(report, function))
            .collect(),
        callers: report
            .answer
            .call_edges()
            .iter()
            .take(report.options.top.unwrap_or(usize::MAX))
            .map(|edge| path::Edge::new(report, edge))
            .collect(),
        insights: report.answer.insights.iter().filter_map(|insight| sentence(report, insight)).collect(),
        remarks: report.options.remarks.iter().map(|remarks| (remarks.id, remarks.json())).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &page).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Whole nanoseconds of a figure that was worked out in fractions.
fn whole(nanos: f64) -> u64 {
    nanos.round().max(0.0) as u64
}
