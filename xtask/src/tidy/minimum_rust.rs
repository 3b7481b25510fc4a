//! The minimum Rust version is stated once, in the workspace's manifest, where cargo and clippy read it.

use super::Problem;
use super::manifest::Manifest;
use crate::repository::{File, Repository};

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    let Some(root) = repository.file("Cargo.toml") else { return };
    let root = Manifest::parse(root);
    let stated: Vec<_> = root.entries_called("rust-version").collect();
    let [only] = stated.as_slice() else {
        let what = format!(
            "`rust-version` is stated {} times: state it once, under [workspace.package]",
            stated.len()
        );
        problems.push(Problem::new("Cargo.toml", 1, what));
        return;
    };
    let version = only.value.trim_matches('"');
    for file in repository.files.iter().filter(|file| may_not_state(file)) {
        for (number, _) in file.lines().filter(|(_, line)| states(line, version)) {
            let what = "states the minimum Rust version again: refer to `rust-version` in Cargo.toml";
            problems.push(Problem::new(&file.path, number, what));
        }
    }
}

/// A changelog and a saved benchmark run state versions as history.
fn may_not_state(file: &File) -> bool {
    let is_history = file.path == "CHANGELOG.md" || file.path.starts_with("benches/runs/");
    !is_history && file.path != "Cargo.toml" && !file.is_lock() && !file.is_sample_data()
}

fn states(line: &str, version: &str) -> bool {
    let line = line.to_lowercase();
    let is_key = ["rust-version = \"", "msrv = \"", "channel = \"1"]
        .iter()
        .any(|key| line.trim_start().starts_with(key));
    let is_prose = ["rust ", "rustc ", "msrv ", "rust-version ", "toolchain "]
        .iter()
        .any(|word| line.contains(&format!("{word}{version}")));
    is_key || is_prose
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    const ROOT: (&str, &str) = ("Cargo.toml", "[workspace.package]\nrust-version = \"1.70\"\n");

    #[test]
    fn one_statement_in_the_workspace_is_fine() {
        let files = [
            ROOT,
            ("crates/a/Cargo.toml", "[package]\nrust-version.workspace = true\n"),
            ("docs/a.md", "it takes 1.70 ms\n"),
            ("CHANGELOG.md", "now needs Rust 1.70\n"),
            ("rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n"),
        ];
        check_rule(check, &files, &[]);
    }

    #[test]
    fn a_second_statement_is_told_in_any_form() {
        for (path, line) in [
            ("crates/a/Cargo.toml", "rust-version = \"1.70\""),
            ("clippy.toml", "msrv = \"1.70\""),
            ("rust-toolchain.toml", "channel = \"1.70\""),
            ("docs/a.md", "You need Rust 1.70 or newer."),
        ] {
            let expect = format!("{path}:2: states the minimum Rust version again");
            check_rule(check, &[ROOT, (path, &format!("\n{line}\n"))], &[&expect]);
        }
    }

    #[test]
    fn no_statement_at_all_is_told() {
        check_rule(
            check,
            &[("Cargo.toml", "[workspace]\n")],
            &["Cargo.toml:1: `rust-version` is stated 0 times"],
        );
    }
}
