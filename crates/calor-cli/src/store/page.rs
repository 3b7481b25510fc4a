//! Saved runs for scripts: `calor/store/1`.

use std::collections::BTreeMap;

use anyhow::Result;
use calor_report::utc;
use calor_store::{Machine, Revision, SavedRun};
use serde::Serialize;

/// A saved run.
#[derive(Serialize)]
pub(crate) struct Run<'r> {
    id: &'r str,
    saved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'r str>,
    recorders: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocated_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    not_seen: u64,
    #[serde(flatten)]
    source: Source<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Host<'r>>,
    labels: &'r BTreeMap<String, String>,
    settings: &'r BTreeMap<String, String>,
    baselines: &'r [String],
    bytes: u64,
}

/// The state of the sources.
#[derive(Serialize)]
pub(crate) struct Source<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<bool>,
}

#[derive(Serialize)]
struct Host<'r> {
    fingerprint: String,
    name: &'r str,
    os: &'r str,
    kernel: &'r str,
    arch: &'r str,
    cpu: &'r str,
    cores: Option<u32>,
    memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Page<'r> {
    schema: &'static str,
    calor: &'static str,
    warnings: [(); 0],
    store: String,
    runs: Vec<Run<'r>>,
}

/// Runs as JSON.
pub(super) fn json(folder: &std::path::Path, runs: &[SavedRun]) -> Result<String> {
    let page = Page {
        schema: "calor/store/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: [],
        store: folder.display().to_string(),
        runs: runs.iter().map(Run::of).collect(),
    };
    Ok(serde_json::to_string_pretty(&page)? + "\n")
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

impl<'r> Run<'r> {
    pub(crate) fn of(run: &'r SavedRun) -> Self {
        let totals = &run.totals;
        Self {
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
            host: run.machine.as_ref().map(Host::of),
            labels: &run.labels,
            settings: &run.settings,
            baselines: &run.baselines,
            bytes: run.bytes,
        }
    }
}

/// The state of the sources for scripts.
pub(crate) fn source(revision: &Revision) -> Source<'_> {
    Source {
        commit: revision.commit.as_deref(),
        branch: revision.branch.as_deref(),
        dirty: revision.is_dirty,
    }
}

impl<'r> Host<'r> {
    fn of(machine: &'r Machine) -> Self {
        Self {
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
}
