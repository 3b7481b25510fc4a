//! Calor's sampling built into the program it samples. The CPU of its thread is in the program's; its own CPU is what
//! comes after the program's end.

use std::path::Path;
use std::process::Command;

use harness::sampled::{self, Recorded, Tool};
use harness::watched::{Program, beside, calor};

pub(super) const TOOL: Tool =
    Tool { name: "calor-inside", version: calor::version, record, read: Some(read), files: &[calor::FILE] };

fn read(folder: &Path) -> Result<Recorded, String> {
    Ok(Recorded { is_inside: true, ..sampled::calor::read(folder)? })
}

fn record(program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new(beside("native-calor"));
    command.args([&program.n_turns.to_string(), &rate.to_string()]).arg(folder.join(calor::FILE));
    command
}
