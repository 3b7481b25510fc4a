//! Saved runs for scripts: `calor/store/1`.

use anyhow::Result;
use calor_store::{Machine, Revision, SavedRun};
use calor_wire::utc;
use calor_wire::{Envelope, store};

/// Runs as JSON.
pub(super) fn json(folder: &std::path::Path, runs: &[SavedRun]) -> Result<String> {
    let body = store::Store { store: folder.display().to_string(), runs: runs.iter().map(run).collect() };
    Ok(Envelope::unwarned(body).text()?)
}

/// Runs as a table for spreadsheets.
pub(super) fn csv(runs: &[SavedRun]) -> String {
    const HEADING: [&str; 23] = [
        "id",
        "saved_at",
        "started_at",
        "name",
        "recorders",
        "duration_ns",
        "cpu_ns",
        "samples",
        "scopes",
        "allocated_bytes",
        "peak_bytes",
        "commit",
        "branch",
        "dirty",
        "host",
        "cpu",
        "cores",
        "memory_bytes",
        "kernel",
        "labels",
        "baselines",
        "bytes",
        "command",
    ];
    let mut text = line(HEADING.map(str::to_owned));
    for run in runs {
        let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
        let word = |value: &Option<String>| value.clone().unwrap_or_default();
        let machine = run.machine.clone().unwrap_or_default();
        let labels: Vec<String> = run.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let totals = &run.totals;
        text += &line([
            run.id.to_string(),
            utc(run.saved_at_unix_nanos).unwrap_or_default(),
            run.started_at_unix_nanos.and_then(utc).unwrap_or_default(),
            run.name.clone(),
            run.recorders.join(" "),
            number(totals.duration_nanos),
            number(totals.cpu_nanos),
            number(totals.samples),
            number(totals.scopes),
            number(totals.allocated_bytes),
            number(totals.peak_bytes),
            word(&run.revision.commit),
            word(&run.revision.branch),
            run.revision.is_dirty.map(|is_dirty| is_dirty.to_string()).unwrap_or_default(),
            machine.name,
            machine.cpu,
            machine.cores.map(|cores| cores.to_string()).unwrap_or_default(),
            number(machine.memory_bytes),
            machine.kernel,
            labels.join(" "),
            run.baselines.join(" "),
            run.bytes.to_string(),
            word(&run.command),
        ]);
    }
    text
}

fn line(fields: [String; 23]) -> String {
    let quoted = |field: String| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    };
    fields.map(quoted).join(",") + "\r\n"
}

/// A saved run for scripts.
pub(crate) fn run(run: &SavedRun) -> store::SavedRun<'_> {
    let totals = &run.totals;
    store::SavedRun {
        id: run.id.as_str(),
        saved_at: utc(run.saved_at_unix_nanos),
        started_at: run.started_at_unix_nanos.and_then(utc),
        name: &run.name,
        command: run.command.as_deref(),
        recorders: &run.recorders,
        duration_ns: totals.duration_nanos,
        cpu_ns: totals.cpu_nanos,
        samples: totals.samples,
        scopes: totals.scopes,
        allocated_bytes: totals.allocated_bytes,
        peak_bytes: totals.peak_bytes,
        not_seen: totals.warnings,
        source: source(&run.revision),
        host: run.machine.as_ref().map(host),
        labels: &run.labels,
        settings: &run.settings,
        baselines: &run.baselines,
        bytes: run.bytes,
    }
}

/// The state of the sources for scripts.
pub(crate) fn source(revision: &Revision) -> store::Revision<'_> {
    store::Revision {
        commit: revision.commit.as_deref(),
        branch: revision.branch.as_deref(),
        dirty: revision.is_dirty,
    }
}

fn host(machine: &Machine) -> store::Host<'_> {
    store::Host {
        fingerprint: machine.fingerprint(),
        name: &machine.name,
        os: &machine.os,
        kernel: &machine.kernel,
        arch: &machine.arch,
        cpu: &machine.cpu,
        cores: machine.cores,
        memory_bytes: machine.memory_bytes,
    }
}
