//! What a run makes and keeps for the next one: programs and folders beside its own program.

use std::path::PathBuf;
use std::process::Command;

use super::child::last_words;

/// A file or folder beside this program.
#[must_use]
pub fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name(name)
}

/// Has cargo build what else of a package is asked for, beside this program: `cargo run` has built that alone.
/// `change` may say more about how.
pub fn build(manifest_folder: &str, change: impl FnOnce(&mut Command) -> &mut Command) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // <target>/release/<program>
    let own = beside("");
    let target = own.parent().ok_or("expected this program in <target>/release")?;
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--locked", "--quiet", "--manifest-path"]);
    command.arg(format!("{manifest_folder}/Cargo.toml")).env("CARGO_TARGET_DIR", target);
    finished(change(&mut command), "")
}

/// Runs a command that makes something; `hint` says what to do when it fails.
pub fn finished(command: &mut Command, hint: &str) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}{hint}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed: {}{hint}", last_words(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_says_when_it_fails_is_told_with_what_to_do() {
        let error = finished(Command::new("sh").args(["-c", "echo no >&2; exit 1"]), "try again");
        assert_eq!(error, Err("sh failed: no; try again".to_owned()));
        assert_eq!(finished(&mut Command::new("true"), ""), Ok(()));
    }
}
