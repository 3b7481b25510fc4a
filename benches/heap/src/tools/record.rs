//! `calor record --heap`, from outside.

use std::path::Path;
use std::process::Command;

use harness::watched::{calor, tried};

use super::{CLOSE, Job, Tool};

pub(super) const EXACT: Tool = Tool {
    name: "calor-record-exact",
    version: || version("--heap=exact"),
    effort: CLOSE,
    record: |job| record("--heap=exact", job),
    report: Some(report),
    seen: Some(seen),
};

pub(super) const SAMPLED: Tool = Tool {
    name: "calor-record-sampled",
    version: || version("--heap=sampled"),
    effort: CLOSE,
    record: |job| record("--heap=sampled", job),
    report: Some(report),
    seen: None,
};

fn version(heap: &str) -> Result<String, String> {
    let version = calor::version()?;
    let scratch = std::env::temp_dir().join(format!("calor-heap-{}.calor", std::process::id()));
    let tried = tried(calor::command().args(["record", heap, "--no-cpu", "-o"]).arg(&scratch).args(["--", "true"]));
    // It may have refused before it made the file.
    let _ = std::fs::remove_file(&scratch);
    tried.map(|()| version)
}

fn record(heap: &str, job: &Job) -> Command {
    let mut command = calor::command();
    command.args(["record", heap, "--no-cpu", "-o"]).arg(job.folder.join(calor::FILE)).arg("--");
    job.program.append_to(command)
}

pub(super) fn report(folder: &Path) -> Command {
    let mut command = calor::command();
    command.arg("report").arg(folder.join(calor::FILE));
    command
}

/// How many blocks the profile counts.
fn seen(folder: &Path) -> Result<f64, String> {
    const FIELD: &str = "\"allocated_count\":";
    let mut command = calor::command();
    command.args(["heap", "--format", "json"]).arg(folder.join(calor::FILE));
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let digits = text.split_once(FIELD).map(|(_, rest)| rest.trim_start());
    let digits = digits.and_then(|rest| rest.split(|character: char| !character.is_ascii_digit()).next());
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("{command:?} tells no number of blocks"))
}
