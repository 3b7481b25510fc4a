//! What stands out, one sentence each. Whether it is worth a change is for rules to say, which know what it costs: a path that
//! allocates most of all bytes may take next to no time for it.

use calor_analysis::quantity::{bytes, count, counted, duration, percent};
use calor_analysis::{Class, Insight, NodeId};
use calor_model::SampleKind;

use crate::document::{Body, Section};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let lines: Vec<String> =
        report.answer.insights.iter().filter_map(|insight| sentence(report, insight)).collect();
    (!lines.is_empty()).then(|| Section::new("insights", "Insights", Body::Lines(lines)))
}

/// What shares of paths are shares of.
fn whole(report: &Report<'_>) -> &'static str {
    match report.answer.sampled.first().filter(|_| report.answer.tree.is_empty()) {
        Some(sampled) if sampled.kind == SampleKind::OffCpu => "time waited",
        Some(sampled) if !sampled.is_sum => "samples",
        _ => "time",
    }
}

/// An insight in words; `None` for one this version has no words for.
pub(crate) fn sentence(report: &Report<'_>, insight: &Insight) -> Option<String> {
    let name = |node: NodeId| report.answer.tree.name(node);
    // What stands before an estimate of the heap.
    let mark = if super::heap::is_sampled(report.answer.profile) { "~" } else { "" };
    Some(match *insight {
        Insight::Concentration { n_paths: 1, n_all, share } => {
            format!("The hottest of {n_all} paths accounts for {} of the {}", percent(share), whole(report))
        }
        Insight::Concentration { n_paths, n_all, share } => {
            format!(
                "The top {n_paths} of {} paths account for {} of the {}",
                count(n_all as u64),
                percent(share),
                whole(report)
            )
        }
        Insight::HeavyAllocator { stack, allocated_bytes, share } => format!(
            "`{}` allocates {mark}{} of all bytes ({mark}{})",
            report.answer.profile.stack_name(stack),
            percent(share),
            bytes(allocated_bytes)
        ),
        Insight::GrowingHeap { stack, bytes_per_second, last_bytes } => format!(
            "`{}` holds {mark}{} more every second, up to {mark}{} in the end: free what is not needed, or bound it",
            report.answer.profile.stack_name(stack),
            bytes(bytes_per_second.round() as u64),
            bytes(last_bytes)
        ),
        Insight::ShortLived { stack, count: allocations, share } => format!(
            "`{}` makes {} allocations that the next event on the heap frees, {} of all: reuse its buffers",
            report.answer.profile.stack_name(stack),
            count(allocations),
            percent(share)
        ),
        Insight::MemoryBeyondHeap { rss_bytes, beyond_bytes, grown_bytes } => format!(
            "{mark}{} of {} of memory lie beyond the heap in the end, {mark}{} more than at the start: free blocks scattered \
             between used ones, what the allocator and Calor need for their tables, or memory that is not watched",
            bytes(beyond_bytes),
            bytes(rss_bytes),
            bytes(grown_bytes)
        ),
        Insight::VeryFrequent { node, calls, share, per_call_nanos } => format!(
            "`{}` makes {} of all calls: {}, each with {} of self time",
            name(node),
            percent(share),
            count(calls),
            duration(per_call_nanos)
        ),
        Insight::CostlyRecording { node, calls, timed_calls, cost_nanos, share } => {
            costly(report, name(node), [calls, timed_calls], cost_nanos, share)
        }
        Insight::LongTail { node, p50_nanos, p99_nanos, max_nanos } => format!(
            "`{}` is uneven: half of its calls take at most {}, one in a hundred {} or more, the longest {}",
            name(node),
            duration(p50_nanos),
            duration(p99_nanos),
            duration(max_nanos as f64)
        ),
        Insight::Waiting { node, wall_nanos, busy_nanos } => format!(
            "Futures of `{}` wait: of {} wall time they were busy for {} ({})",
            name(node),
            duration(wall_nanos as f64),
            duration(busy_nanos as f64),
            percent(busy_nanos as f64 / wall_nanos.max(1) as f64)
        ),
        Insight::OffProcessor { scope_nanos, cpu_nanos, share } => format!(
            "Threads waited for a processor or something else for at least {} of the time inside scopes ({} of CPU time, {} \
             in scopes): medians are more telling than means",
            percent(share),
            duration(cpu_nanos as f64),
            duration(scope_nanos as f64)
        ),
        Insight::GilContention { n_threads, wait_nanos, share } => format!(
            "{} waited for Python's global interpreter lock for {}, {} of the time in which {} could have run: move \
             work into processes, or into compiled code that lets go of the lock",
            counted(n_threads as u64, "thread"),
            duration(wait_nanos as f64),
            percent(share),
            if n_threads == 1 { "it" } else { "they" }
        ),
        Insight::NarrowVectors { function, share, class, offered } => {
            narrow(report.answer.profile.strings.get(function), share, class, offered)
        }
        Insight::Cancelled { node, cancelled, completed } => format!(
            "{} of `{}` {} completed, {} completed",
            counted(cancelled, "future"),
            name(node),
            if cancelled == 1 { "was dropped before it" } else { "were dropped before they" },
            count(completed)
        ),
        _ => return None,
    })
}

/// That a function could compute with more, and where to look.
fn narrow(name: &str, share: f64, class: Class, offered: Class) -> String {
    let bits = |class: Class| class.bits().map_or_else(String::new, |bits| format!("{bits}-bit "));
    let does = match class {
        Class::Scalar => "computes with one floating-point number at a time".to_owned(),
        class => format!("computes with {}vectors ({})", bits(class), class.label()),
    };
    let offer = format!("{}{}", bits(offered), offered.label());
    format!("`{name}` ({} of samples) {does}; the CPU offers {offer}: see `calor annotate`", percent(share))
}

/// What recording a scope cost, and what of it can still be done.
fn costly(
    report: &Report<'_>,
    name: &str,
    [calls, timed_calls]: [u64; 2],
    cost_nanos: u64,
    share: f64,
) -> String {
    let said = format!(
        "Recording `{name}` {} times cost {}, {} of its time",
        count(calls),
        duration(cost_nanos as f64),
        percent(share)
    );
    let is_counted = timed_calls < calls;
    match (report.options.subtract_overhead, is_counted) {
        (true, false) => {
            format!("{said}, which is subtracted here: timing one call in N would save most of it")
        }
        (true, true) => format!("{said}, which is subtracted here"),
        (false, false) => format!("{said}: time one call in N, or see --subtract-overhead"),
        (false, true) => {
            let one_in = (calls as f64 / timed_calls.max(1) as f64).round() as u64;
            format!("{said}, although one call in {} was timed: see --subtract-overhead", count(one_in))
        }
    }
}
