//! What recording cost the program.

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::{bytes, duration, percent};

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut say = |name: &str, value: String| facts.push((name.to_owned(), value));
    let of_program = |nanos: u64| {
        let cpu = report.summary.cpu_nanos.filter(|cpu| *cpu > 0);
        let share = cpu.map(|cpu| format!(", {} of the CPU time", percent(nanos as f64 / cpu as f64)));
        format!("{}{}", duration(nanos as f64), share.unwrap_or_default())
    };
    let cost = report.recording;
    if let Some(nanos) = cost.cpu_nanos {
        say("CPU time", of_program(nanos));
    } else if let Some(nanos) = cost.estimated_nanos() {
        say("CPU time", format!("~{} (estimated: timed calls times the cost of one)", of_program(nanos)));
    }
    if let Some(one) = report.cost {
        let per_scope = one.per_scope_picos as f64 / 1000.0;
        let inside = one.inside_scope_picos as f64 / 1000.0;
        say(
            "one scope",
            format!("{}, of which {} inside its own time", duration(per_scope), duration(inside)),
        );
    }
    if let Some(nanos) = cost.scopes_nanos.filter(|_| cost.cpu_nanos.is_some()) {
        say("all scopes", duration(nanos as f64));
    }
    if report.options.subtract_overhead {
        let removed = report.tree.nodes().map(|(_, node)| node.corrected_nanos).fold(0, u64::saturating_add);
        say("subtracted", duration(removed as f64));
    }
    if let Some(memory) = cost.memory_bytes {
        say("memory", bytes(memory));
    }
    (!facts.is_empty()).then(|| Section::new("cost", "What recording cost", Body::Facts(facts)))
}
