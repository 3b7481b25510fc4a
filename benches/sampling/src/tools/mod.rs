//! Who takes part: how each tool is started, why it cannot be where it cannot, and what is in its file.

mod bare;
mod calor;
mod calor_inside;
mod perf;
mod perf_script;
mod pprof;
mod samply;

use std::path::Path;
use std::process::Command;

use crate::child;
use crate::stacks::Recorded;
use crate::targets::Program;

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its name on the command line and in the tables.
    pub(crate) name: &'static str,
    /// Its version, or why it is not available here and what would make it so.
    pub(crate) version: fn() -> Result<String, String>,
    /// The command that samples a program at a rate in hertz into a file of the folder.
    pub(crate) record: fn(&Program, u32, &Path) -> Command,
    /// What it left in the folder; `None` for one that records nothing.
    pub(crate) read: Option<Read>,
    /// Its files in the folder, to be measured.
    pub(crate) files: &'static [&'static str],
}

/// Makes stacks of the files in a folder.
pub(crate) type Read = fn(&Path) -> Result<Recorded, String>;

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Tool] = &[
    bare::TOOL,
    calor::TOOL,
    perf::WITH_DWARF,
    perf::WITH_FRAME_POINTERS,
    samply::TOOL,
    calor_inside::TOOL,
    pprof::TOOL,
];

/// The first line that a program prints, or what it said instead; `hint` is for when there is no such program.
fn first_line(command: &mut Command, hint: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|_| format!("{name} is not installed; {hint}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.trim().to_owned()),
        _ => Err(format!("{name} does not start: {}", child::last_words(&output.stderr))),
    }
}

/// Whether a program that is there can also do its work here.
fn tried(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} refuses to record here: {}", child::last_words(&output.stderr))),
    }
}
