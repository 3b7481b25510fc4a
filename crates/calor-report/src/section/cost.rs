//! What recording cost the program: each figure with what it is a part of and where it comes from.

use calor_analysis::quantity::{bytes, counted, duration, percent};
use calor_model::{Recorder, Run};

use crate::document::{Body, Section};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut say = |name: &str, value: String| facts.push((name.to_owned(), value));
    let cost = report.answer.recording;
    if let Some(nanos) = cost.cpu_nanos {
        say("CPU time", format!("{}{}", duration(nanos as f64), of_program(report, nanos)));
    } else if let Some(nanos) = cost.estimated_nanos() {
        let how = "estimated: timed calls times the cost of one";
        say("CPU time", format!("~{}{} ({how})", duration(nanos as f64), of_program(report, nanos)));
    }
    if let (Some(one), Some(nanos)) = (report.answer.cost, cost.scopes_nanos) {
        let per_scope = one.per_scope_picos as f64 / 1000.0;
        let inside = one.inside_scope_picos as f64 / 1000.0;
        say(
            "in scopes",
            format!(
                "{}: {} that {} timed, {} each",
                duration(nanos as f64),
                counted(cost.timed_calls, "call"),
                if cost.timed_calls == 1 { "was" } else { "were" },
                duration(per_scope)
            ),
        );
        say(
            "one scope",
            format!(
                "{} when empty, measured at the start: {} show up as its own time, {} as its caller's",
                duration(per_scope),
                duration(inside),
                duration(per_scope - inside)
            ),
        );
        let rest = cost.cpu_nanos.and_then(|cpu| cpu.checked_sub(nanos)).filter(|rest| *rest > 0);
        if let Some(rest) = rest.filter(|_| is_whole(report)) {
            let what = "collecting and writing, on a thread of the recorder's own";
            say("the rest", format!("{}: {what}", duration(rest as f64)));
        }
    }
    if report.options.subtract_overhead {
        let removed = report.answer.corrected_nanos();
        say("subtracted", format!("{} from the times of this report", duration(removed as f64)));
    }
    if let Some(memory) = cost.memory_bytes {
        say("memory", bytes(memory));
    }
    (!facts.is_empty()).then(|| Section::new("cost", "What recording cost", Body::Facts(facts)))
}

/// A cost beside the CPU time of the program, which holds it where the program recorded itself.
fn of_program(report: &Report<'_>, nanos: u64) -> String {
    let Some(cpu) = report.answer.summary.cpu_nanos.filter(|cpu| *cpu > 0) else { return String::new() };
    let share = percent(nanos as f64 / cpu as f64);
    let whole = duration(cpu as f64);
    match is_inside(report) {
        true => format!(", {share} of the {whole} of CPU time that the program used, this included"),
        false => format!(" beside the {whole} of CPU time that the program used: {share} of it"),
    }
}

/// Whether the recorder ran in the program: only there are scopes, and what opens them is always ready to.
fn is_inside(report: &Report<'_>) -> bool {
    let is_own = |run: &Run| run.recorders.contains(&Recorder::Scopes) || run.cost.per_scope_picos.is_some();
    report.answer.profile.runs.iter().any(is_own)
}

/// Whether nothing was left out by a context or a thread: then the parts add up.
fn is_whole(report: &Report<'_>) -> bool {
    crate::selection::sentence(report.answer.profile, report.options).is_none()
}
