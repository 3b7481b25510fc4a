//! What a part of this area is.

use std::process::Command;

use harness::{Arguments, Goal};

/// A part.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// What is measured, for the heading.
    pub(crate) about: &'static str,
    /// Measures, and says what was found.
    pub(crate) measure: fn(&Arguments) -> Result<Told, String>,
    /// Is one of the processes that the part starts: this program with `--case NAME:WHAT`. Parts that start none refuse.
    pub(crate) be: fn(&str, &Arguments) -> Result<(), String>,
}

/// What a part found.
#[derive(Default)]
pub(crate) struct Told {
    /// Markdown below the heading.
    pub(crate) page: String,
    pub(crate) goals: Vec<Goal>,
}

/// Of parts that start no process.
pub(crate) fn nobody(what: &str, _: &Arguments) -> Result<(), String> {
    Err(format!("there is no process `{what}` in this part"))
}

/// This program as a process of a part: of its own, so that nothing of other parts is in it.
pub(crate) fn process(part: &Part, what: &str, rounds: usize) -> Result<Command, String> {
    let this = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(this);
    command.args(["--case", &format!("{}:{what}", part.name), "--rounds", &rounds.to_string()]);
    Ok(command)
}

/// What a process prints, each line taken apart by `line`.
pub(crate) fn lines<T>(command: &mut Command, line: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let output =
        command.output().map_err(|error| format!("cannot start the process that measures: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the process that measures ended with {}: {}", output.status, said.trim()));
    }
    let told: Option<Vec<T>> = String::from_utf8_lossy(&output.stdout).lines().map(line).collect();
    told.filter(|told| !told.is_empty()).ok_or_else(|| "the process that measures told nothing".to_owned())
}

/// Two numbers of a line.
pub(crate) fn pair(line: &str) -> Option<[f64; 2]> {
    let (one, other) = line.split_once(' ')?;
    Some([one.parse().ok()?, other.parse().ok()?])
}

/// The quarters of some values, the median in the middle.
pub(crate) fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| {
        sorted.get((sorted.len().saturating_sub(1)) * quarter / 4).copied().unwrap_or(f64::NAN)
    })
}
