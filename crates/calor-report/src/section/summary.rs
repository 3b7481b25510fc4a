//! The profile in a few figures.

use calor_model::HeapMode;

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::{bytes, count, duration, percent};
use crate::selection;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let summary = &report.summary;
    let wall = summary.duration_nanos;
    let mut facts =
        vec![("wall time", if wall > 0 { duration(wall as f64) } else { "not known".to_owned() })];
    facts.push((
        "CPU time",
        match summary.cpu_nanos {
            Some(cpu) if wall > 0 => {
                format!("{} ({:.2} cores busy on average)", duration(cpu as f64), cpu as f64 / wall as f64)
            }
            Some(cpu) => duration(cpu as f64),
            None => "not measured".to_owned(),
        },
    ));
    if let (Some(recorded), Some(calls), Some(paths)) =
        (summary.recorded_nanos, summary.scope_calls, summary.scope_paths)
    {
        facts.push(("time in scopes", format!("{}, all threads together", duration(recorded as f64))));
        facts.push(("scopes", format!("{} calls on {} paths", count(calls), count(paths as u64))));
    }
    match summary.open_calls {
        0 => {}
        1 => facts.push(("still open", "1 call had not ended; its time so far is counted".to_owned())),
        open => facts.push((
            "still open",
            format!("{} calls had not ended; their time so far is counted", count(open)),
        )),
    }
    if let Some(samples) = summary.samples {
        let lost = summary.samples_lost.unwrap_or(0);
        let share = lost as f64 / (samples.saturating_add(lost)).max(1) as f64;
        let lost =
            if lost > 0 { format!(", {} lost ({})", count(lost), percent(share)) } else { String::new() };
        facts.push(("samples", format!("{}{lost}", count(samples))));
    }
    facts.push(("threads", count(summary.threads.len() as u64)));
    if let Some(events) = summary.timeline_events {
        facts.push(("timeline", format!("{} events", count(events as u64))));
    }
    facts.extend(heap(report));
    let body = Body::Facts(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    let section = Section::new("summary", "Summary", body);
    match selection::sentence(report.profile, &report.options) {
        Some(sentence) => section.with_intro(sentence),
        None => section,
    }
}

fn heap(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let Some(allocated) = report.summary.allocated_bytes else { return Vec::new() };
    let Some(heap) = report.summary.heap else { return vec![("allocated", bytes(allocated))] };
    let mark = if heap.mode == HeapMode::Sampled { "~" } else { "" };
    let at = heap.peak_at_nanos.map(|at| format!(" at {}", duration(at as f64))).unwrap_or_default();
    vec![
        (
            "allocated",
            format!("{mark}{} in {mark}{} allocations", bytes(allocated), count(heap.allocated_count)),
        ),
        ("peak", format!("{}{at}", bytes(heap.peak_bytes))),
        (
            "not freed",
            format!(
                "{mark}{} in {mark}{} blocks",
                bytes(allocated.saturating_sub(heap.freed_bytes)),
                count(heap.allocated_count.saturating_sub(heap.freed_count))
            ),
        ),
    ]
}
