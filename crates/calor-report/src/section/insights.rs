//! What stands out, one sentence each.

use calor_analysis::{Insight, NodeId};

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::{bytes, count, duration, percent};

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let lines: Vec<String> = report.insights.iter().filter_map(|insight| sentence(report, insight)).collect();
    (!lines.is_empty()).then(|| Section::new("insights", "Insights", Body::Lines(lines)))
}

/// An insight in words; `None` for one this version has no words for.
pub(crate) fn sentence(report: &Report<'_>, insight: &Insight) -> Option<String> {
    let name = |node: NodeId| report.tree.name(node);
    Some(match *insight {
        Insight::Concentration { n_paths: 1, n_all, share } => {
            format!("The hottest of {n_all} paths accounts for {} of the time", percent(share))
        }
        Insight::Concentration { n_paths, n_all, share } => {
            format!(
                "The top {n_paths} of {} paths account for {} of the time",
                count(n_all as u64),
                percent(share)
            )
        }
        Insight::HeavyAllocator { stack, allocated_bytes, share } => format!(
            "`{}` allocates {} of all bytes ({}): reuse its buffers or allocate once outside",
            report.profile.stack_name(stack),
            percent(share),
            bytes(allocated_bytes)
        ),
        Insight::CostlyRecording { node, calls, cost_nanos, share } => format!(
            "Recording `{}` {} times cost {}, {} of its time: time one call in N, or see --subtract-overhead",
            name(node),
            count(calls),
            duration(cost_nanos as f64),
            percent(share)
        ),
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
        Insight::Cancelled { node, cancelled: 1, completed } => {
            format!(
                "1 future of `{}` was dropped before it completed, {} completed",
                name(node),
                count(completed)
            )
        }
        Insight::Cancelled { node, cancelled, completed } => format!(
            "{} futures of `{}` were dropped before they completed, {} completed",
            count(cancelled),
            name(node),
            count(completed)
        ),
        _ => return None,
    })
}
