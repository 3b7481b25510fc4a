//! `calor record`, and what is in its file.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Recorded, Tool};
use crate::watched::calor::{FILE, command, version};
use crate::watched::{Program, child};

/// `calor record`.
pub const TOOL: Tool = Tool { name: "calor", version, record, read: Some(read), files: &[FILE] };

fn record(program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = command();
    command.args(["record", "--rate", &rate.to_string(), "-o"]).arg(folder.join(FILE)).arg("--");
    program.append_to(command)
}

/// Stacks by way of folded text; how many samples there are and were lost by way of the report.
pub fn read(folder: &Path) -> Result<Recorded, String> {
    let (file, folded) = (folder.join(FILE), folder.join("profile.folded"));
    child::run(command().arg("convert").arg(&file).arg(&folded))?;
    let text =
        fs::read_to_string(&folded).map_err(|error| format!("cannot read the folded stacks: {error}"))?;
    let report = report(folder)?;
    let samples = report["summary"]["samples"].as_u64();
    let n_samples = samples.ok_or("expected summary.samples in `calor report --format json`")?;
    let n_lost = report["summary"]["samples_lost"].as_u64();
    Ok(Recorded { n_samples, n_lost, ..Recorded::of_folded(&text)? })
}

/// What `calor report --format json` says of the file in a folder.
pub fn report(folder: &Path) -> Result<serde_json::Value, String> {
    let text = child::run(command().args(["report", "--format", "json"]).arg(folder.join(FILE)))?.stdout;
    serde_json::from_str(&text)
        .map_err(|error| format!("expected JSON from `calor report --format json`: {error}"))
}
