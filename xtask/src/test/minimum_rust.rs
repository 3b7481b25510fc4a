//! The oldest promised Rust builds what is shipped. It is tried where rustup has it: nothing here fetches a compiler.

use std::process::Command;

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "minimum-rust",
    about: "the oldest promised Rust builds it",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let manifest = std::fs::read_to_string(place.root.join("Cargo.toml"))?;
    let minimum = minimum(&manifest).unwrap_or_default();
    let output = Command::new("rustup").args(["toolchain", "list"]).output();
    let list =
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let Some(toolchain) = toolchain(&list, minimum) else {
        return Ok(StepOutcome::Skipped(format!(
            "there is no Rust {minimum} here; `rustup toolchain install {minimum}` brings it"
        )));
    };
    let mut check = Command::new("rustup");
    check.args(["run", toolchain, "cargo", "check", "--workspace", "--locked"]);
    check.current_dir(&place.root).env("CARGO_TARGET_DIR", place.target.join("minimum-rust"));
    // Those of the cargo that runs this chore lead to its own compiler.
    check.env_remove("RUSTC").env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    cargo::run(&mut check)?;
    Ok(StepOutcome::Passed)
}

fn minimum(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find(|line| line.starts_with("rust-version = "))?;
    line.split('"').nth(1)
}

/// The toolchain of that version, by the names that rustup gives them.
fn toolchain<'l>(list: &'l str, minimum: &str) -> Option<&'l str> {
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.into_iter().find(|name| {
        let rest = name.strip_prefix(minimum);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_is_that_of_the_manifest() {
        assert_eq!(minimum("[workspace.package]\nrust-version = \"1.94\"\n"), Some("1.94"));
        let list = "stable-x86_64-unknown-linux-gnu (default)\n1.94.1-x86_64-unknown-linux-gnu\n1.9-x86\n";
        assert_eq!(toolchain(list, "1.94"), Some("1.94.1-x86_64-unknown-linux-gnu"));
        assert_eq!(toolchain(list, "1.95"), None);
    }
}
