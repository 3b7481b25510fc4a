//! pprof-rs, which is built into the program it samples. Its own CPU is what comes after the program's end; what it
//! costs before is in the program's.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::sampled::{Recorded, Tool};
use harness::watched::{Program, beside};

const FILE: &str = "stacks.folded";

pub(super) const TOOL: Tool = Tool { name: "pprof-rs", version, record, read: Some(read), files: &[FILE] };

fn version() -> Result<String, String> {
    let version = harness::version_in(include_str!("../../Cargo.lock"), "pprof");
    version.map(str::to_owned).ok_or_else(|| "the lock file does not name it".to_owned())
}

fn record(program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new(beside("native-pprof"));
    command.args([&program.n_turns.to_string(), &rate.to_string()]).arg(folder.join(FILE));
    command
}

fn read(folder: &Path) -> Result<Recorded, String> {
    let text = fs::read_to_string(folder.join(FILE))
        .map_err(|error| format!("cannot read the stacks of pprof-rs: {error}"))?;
    Recorded::of_folded(&text)
}
