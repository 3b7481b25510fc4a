//! Which program ran where and when.

use calor_model::{Host, Run};

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::{moment, quantity};

pub(crate) fn section(report: &Report<'_>) -> Section {
    let runs = &report.profile.runs;
    let Some(run) = runs.first() else {
        return Section::new("system", "System", Body::Lines(vec!["The profile names no run.".to_owned()]));
    };
    let mut facts = run_facts(run);
    if runs.len() > 1 {
        facts.push(("runs", format!("{} added up; the first is described here", runs.len())));
    }
    facts.extend(host_facts(&run.host));
    let recorders: Vec<&str> = run.recorders.iter().map(|recorder| recorder.word()).collect();
    facts.push(("recorded", recorders.join(", ")));
    facts.retain(|(_, value)| !value.is_empty());
    Section::new(
        "system",
        "System",
        Body::Facts(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
    )
}

fn run_facts(run: &Run) -> Vec<(&'static str, String)> {
    let labels: Vec<String> = run.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    vec![
        ("command", run.command.clone().unwrap_or_default()),
        ("commit", run.commit.clone().unwrap_or_default()),
        ("labels", labels.join(", ")),
        (
            "started",
            moment::utc(run.started_at_unix_nanos).unwrap_or_default().replace('T', " ").replace('Z', " UTC"),
        ),
    ]
}

fn host_facts(host: &Host) -> Vec<(&'static str, String)> {
    let system = [&host.os, &host.kernel, &host.arch].map(String::as_str);
    let cores = host.cores.map(|cores| format!("{cores} core{}", if cores == 1 { "" } else { "s" }));
    let processor = [Some(host.cpu.clone()).filter(|cpu| !cpu.is_empty()), cores];
    vec![
        ("host", host.name.clone()),
        ("system", system.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")),
        ("processor", processor.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("memory", host.memory_bytes.map(quantity::bytes).unwrap_or_default()),
    ]
}
