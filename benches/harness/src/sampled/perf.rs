//! `perf record`, with copies of the stack that are unwound afterwards, and with frame pointers. Both take the clock
//! of the CPU as their event, which every machine has; cycles are missing in most virtual ones.

use std::path::Path;
use std::process::Command;

use super::{Recorded, Tool, perf_script};
use crate::watched::{Program, child, first_line, tried};

const FILE: &str = "perf.data";
const HINT: &str = "Debian has it in the package linux-perf, Ubuntu in linux-tools-generic";

/// Copies of the stack.
pub const WITH_DWARF: Tool = Tool {
    name: "perf-dwarf",
    version,
    record: |program, rate, folder| record(&["--call-graph", "dwarf"], program, rate, folder),
    read: Some(read),
    files: &[FILE],
};

/// Frame pointers.
pub const WITH_FRAME_POINTERS: Tool = Tool {
    name: "perf-fp",
    version,
    record: |program, rate, folder| record(&["-g"], program, rate, folder),
    read: Some(read),
    files: &[FILE],
};

fn version() -> Result<String, String> {
    let version = first_line(Command::new("perf").arg("--version"), HINT)?;
    tried(Command::new("perf").args(["record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"]))?;
    Ok(version)
}

fn record(stacks: &[&str], program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new("perf");
    command.args(["record", "-q", "-e", "cpu-clock", "-F", &rate.to_string()]).args(stacks);
    command.arg("-o").arg(folder.join(FILE)).arg("--");
    program.append_to(command)
}

fn read(folder: &Path) -> Result<Recorded, String> {
    let mut command = Command::new("perf");
    command.args(["script", "--no-inline", "--show-lost-events", "-F", "comm,tid,time,event,ip,sym", "-i"]);
    Ok(perf_script::read(&child::run(command.arg(folder.join(FILE)))?.stdout))
}
