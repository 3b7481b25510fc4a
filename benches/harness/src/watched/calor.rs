//! The `calor` command of this repository. `cargo xtask bench` builds it and says where it is.

use std::process::Command;

use super::first_line;

/// The variable in which the command's path is told.
const VARIABLE: &str = "CALOR_COMMAND";
/// What it leaves in the folder of a tool.
pub const FILE: &str = "profile.calor";

/// The command, without arguments yet.
#[must_use]
pub fn command() -> Command {
    Command::new(std::env::var_os(VARIABLE).unwrap_or_else(|| "calor".into()))
}

/// Its version, or why it cannot record.
pub fn version() -> Result<String, String> {
    let hint = format!("`cargo xtask bench` builds it, and {VARIABLE} says where one is");
    let version = first_line(command().arg("--version"), &hint)?;
    match first_line(command().args(["record", "--help"]), &hint) {
        Ok(_) => Ok(version),
        Err(_) => Err(format!("{version} has no `record`")),
    }
}
