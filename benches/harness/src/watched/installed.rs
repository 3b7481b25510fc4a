//! Whether a tool is installed here, and works.

use std::process::Command;

use super::child::last_words;

/// The first line that a program prints, or what it said instead; `hint` is for when there is no such program.
pub fn first_line(command: &mut Command, hint: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|_| format!("{name} is not installed; {hint}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.trim().to_owned()),
        _ => Err(format!("{name} does not start: {}", last_words(&output.stderr))),
    }
}

/// Whether a program that is there can also do its work here.
pub fn tried(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} refuses to record here: {}", last_words(&output.stderr))),
    }
}
