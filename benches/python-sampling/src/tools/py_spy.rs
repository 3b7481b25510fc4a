//! py-spy in its three ways: with compiled code, as it is by itself (it stops the program for every sample), and without
//! stopping it.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::sampled::{Recorded, Tool};
use harness::watched::{Program, first_line};

use crate::environment;

const FILE: &str = "py-spy.folded";

pub(super) const NATIVE: Tool = Tool {
    name: "py-spy-native",
    version,
    record: |program, rate, folder| record(&["--native"], program, rate, folder),
    read: Some(read),
    files: &[FILE],
};

pub(super) const PAUSING: Tool = Tool {
    name: "py-spy",
    version,
    record: |program, rate, folder| record(&[], program, rate, folder),
    read: Some(read),
    files: &[FILE],
};

pub(super) const NONBLOCKING: Tool = Tool {
    name: "py-spy-nonblocking",
    version,
    record: |program, rate, folder| record(&["--nonblocking"], program, rate, folder),
    read: Some(read),
    files: &[FILE],
};

fn version() -> Result<String, String> {
    first_line(Command::new(environment::PEERS.program("py-spy")).arg("--version"), "pip installs it: py-spy")
}

fn record(options: &[&str], program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new(environment::PEERS.program("py-spy"));
    command.args(["record", "--rate", &rate.to_string(), "--format", "raw"]).args(options);
    command.arg("--output").arg(folder.join(FILE)).arg("--");
    program.append_to(command)
}

fn read(folder: &Path) -> Result<Recorded, String> {
    let text = fs::read_to_string(folder.join(FILE))
        .map_err(|error| format!("cannot read the stacks of py-spy: {error}"))?;
    Recorded::of_folded(&text)
}
