//! How a chore starts cargo: the same cargo that started it, in the same target folder, without the variables that
//! describe the xtask package to itself and that would make build scripts run again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

/// Cargo, in the root of the repository.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(describes_this_package) {
            command.env_remove(name);
        }
    }
    command
}

fn describes_this_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| variable.starts_with(prefix))
}

/// The one folder that everything is built into.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Whether `cargo <subcommand>` is installed.
pub(crate) fn has_subcommand(root: &Path, subcommand: &str) -> bool {
    let mut command = cargo(root);
    command.args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Shows the command, runs it with its output visible, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let text = describe(command);
    println!("$ {text}");
    let status = command.status().with_context(|| format!("cannot start `{text}`"))?;
    anyhow::ensure!(status.success(), "`{text}` ended with {status}");
    Ok(())
}

/// The command as one would type it.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_stem().unwrap_or(program.as_os_str());
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_described_as_one_would_type_it() {
        let mut command = Command::new("bin/cargo");
        command.args(["test", "--doc"]);
        assert_eq!(describe(&command), "cargo test --doc");
    }

    #[test]
    fn a_command_that_fails_is_an_error_that_names_it() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().contains("`sh -c exit 3` ended with exit status: 3"), "{error}");
    }
}
