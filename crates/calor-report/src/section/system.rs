//! Which program ran where and when.

use calor_analysis::quantity;
use calor_model::{Host, Run};

use crate::document::{Body, Section};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let runs = &report.answer.profile.runs;
    let unknown = || {
        let sentence = "The profile says nothing of the program, the machine or the time it is of.";
        Section::new("system", "System", Body::Lines(vec![sentence.to_owned()]))
    };
    let Some(run) = runs.first() else { return unknown() };
    let mut facts = run_facts(run);
    if runs.len() > 1 {
        facts.push(("runs", format!("{} added up; the first is described here", runs.len())));
    }
    facts.extend(host_facts(&run.host));
    let recorders: Vec<&str> = run.recorders.iter().map(|recorder| recorder.word()).collect();
    facts.push(("recorded", recorders.join(", ")));
    facts.retain(|(_, value)| !value.is_empty());
    if facts.is_empty() {
        return unknown();
    }
    Section::new(
        "system",
        "System",
        Body::Facts(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
    )
}

fn run_facts(run: &Run) -> Vec<(&'static str, String)> {
    let word = |text: &str| if text.is_empty() { "\"\"".to_owned() } else { text.to_owned() };
    let labels: Vec<String> =
        run.labels.iter().map(|(key, value)| format!("{}={}", word(key), word(value))).collect();
    vec![
        ("command", run.command.clone().unwrap_or_default()),
        ("commit", run.commit.clone().unwrap_or_default()),
        ("labels", labels.join(", ")),
        (
            "started",
            calor_wire::utc(run.started_at_unix_nanos)
                .unwrap_or_default()
                .replace('T', " ")
                .replace('Z', " UTC"),
        ),
    ]
}

fn host_facts(host: &Host) -> Vec<(&'static str, String)> {
    let system = [&host.os, &host.kernel, &host.arch].map(String::as_str);
    let cores = host.cores.map(|cores| quantity::counted(cores.into(), "core"));
    let processor = [Some(host.cpu.clone()).filter(|cpu| !cpu.is_empty()), cores];
    vec![
        ("host", host.name.clone()),
        ("system", system.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")),
        ("processor", processor.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("memory", host.memory_bytes.map(quantity::bytes).unwrap_or_default()),
    ]
}
