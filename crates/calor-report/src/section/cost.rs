//! What recording cost the program.

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::{bytes, duration, percent};

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let runs = &report.profile.runs;
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut say = |name: &str, value: String| facts.push((name.to_owned(), value));
    let own_cpu = runs.iter().filter_map(|run| run.cost.own_cpu_nanos).reduce(u64::saturating_add);
    if let Some(own_cpu) = own_cpu {
        let share = report.summary.cpu_nanos.filter(|cpu| *cpu > 0).map(|cpu| own_cpu as f64 / cpu as f64);
        let share = share.map(|share| format!(", {} of the CPU time", percent(share))).unwrap_or_default();
        say("CPU time", format!("{}{share}", duration(own_cpu as f64)));
    }
    if let Some(cost) = report.cost {
        let per_scope = cost.per_scope_picos as f64 / 1000.0;
        let inside = cost.inside_scope_picos as f64 / 1000.0;
        say(
            "one scope",
            format!("{}, of which {} inside its own time", duration(per_scope), duration(inside)),
        );
        if let Some(calls) = report.summary.scope_calls {
            let whole = cost.whole_nanos(calls);
            say("all scopes", duration(whole as f64));
        }
        let removed = report.tree.nodes().map(|(_, node)| node.corrected_nanos).fold(0, u64::saturating_add);
        if report.options.subtract_overhead {
            say("subtracted", duration(removed as f64));
        }
    }
    if let Some(memory) = runs.iter().filter_map(|run| run.cost.memory_bytes).max() {
        say("memory", bytes(memory));
    }
    if facts.is_empty() {
        return None;
    }
    Some(Section::new("cost", "What recording cost", Body::Facts(facts)))
}
