//! The licences and versions of the dependencies: by cargo-deny where it is installed, and otherwise the licences and where
//! dependencies come from, by what cargo itself says of them.

mod expression;

use std::collections::BTreeSet;

use anyhow::Context as _;

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "licences",
    about: "licences and versions of the dependencies",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let program = installed(place);
    if let Some(program) = &program {
        let mut check = std::process::Command::new(program);
        check.args(["--all-features", "check", "licenses", "bans", "sources"]).current_dir(&place.root);
        cargo::run(&mut check)?;
        return Ok(StepOutcome::Passed);
    }
    let policy = std::fs::read_to_string(place.root.join("deny.toml")).context("deny.toml cannot be read")?;
    let allowed = allowed(&policy);
    anyhow::ensure!(!allowed.is_empty(), "deny.toml allows no licence");
    let mut tree = place.cargo(&[
        "tree",
        "--workspace",
        "--all-features",
        "--edges",
        "normal,build,dev",
        "--target",
        "all",
    ]);
    tree.args(["--prefix", "none", "--locked", "--format", "{l}\t{p}"]);
    println!("$ {}", cargo::describe(&tree));
    let output = tree.output().context("cargo cannot be started")?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout);
    // A package that was listed before is marked.
    let packages: BTreeSet<&str> = lines
        .lines()
        .map(|line| line.trim_end().trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    let problems: Vec<String> = packages.iter().filter_map(|line| problem(line, &allowed)).collect();
    println!(
        "{} dependencies, {} problems; cargo-deny is not installed, so versions are not looked at",
        packages.len(),
        problems.len()
    );
    Ok(match problems.is_empty() {
        true => StepOutcome::Passed,
        false => StepOutcome::Failed(problems.join("\n")),
    })
}

/// cargo-deny: the one on the path, or one of our own, built once into the target folder; `None` where it cannot be built.
fn installed(place: &Place) -> Option<std::path::PathBuf> {
    let folder = place.target.join("tools");
    let own = folder.join("bin/cargo-deny");
    if cargo::has_subcommand(&place.root, "deny") {
        return Some("cargo-deny".into());
    }
    if !own.exists() {
        let mut install = place.cargo(&["install", "cargo-deny", "--locked", "--debug", "--quiet", "--root"]);
        // Beside the artefacts of the workspace, which have other flags.
        install
            .arg(&folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        let outcome = cargo::run(&mut install);
        let _ = std::fs::remove_dir_all(folder.join("target"));
        outcome.ok()?;
    }
    Some(own)
}

/// The licences that a policy allows: the strings of its list `allow`.
fn allowed(policy: &str) -> BTreeSet<String> {
    let lines = policy.lines().skip_while(|line| !line.starts_with("allow = [")).skip(1);
    lines
        .take_while(|line| !line.starts_with(']'))
        .filter_map(|line| Some(line.trim().strip_prefix('"')?.split_once('"')?.0.to_owned()))
        .collect()
}

/// What is wrong with a package, of which cargo says its licence, and its name, version and place.
fn problem(line: &str, allowed: &BTreeSet<String>) -> Option<String> {
    let (licence, package) = line.split_once('\t').unwrap_or(("", line));
    // A package of the registry that cargo uses by default has no place, one of this repository a folder.
    if ["(http", "(git", "(ssh", "(registry"].iter().any(|place| package.contains(place)) {
        return Some(format!("{package} comes from elsewhere than the registry"));
    }
    match expression::is_met(licence, &|name| allowed.contains(name)) {
        Some(true) => None,
        Some(false) => Some(format!("{package} is under {licence}, which deny.toml does not allow")),
        None => Some(format!("{package} has no licence that can be read: {licence:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_the_list_of_what_it_allows() {
        let policy = "[licenses]\n# why\nallow = [\n    \"MIT\",\n    \"Apache-2.0 WITH LLVM-exception\",\n]\nx = [\"GPL-3.0\"]\n";
        let names: Vec<String> = allowed(policy).into_iter().collect();
        assert_eq!(names, ["Apache-2.0 WITH LLVM-exception", "MIT"]);
    }

    #[test]
    fn packages_are_held_against_it() {
        let allowed = BTreeSet::from(["MIT".to_owned()]);
        assert_eq!(problem("MIT OR GPL-3.0\ta v1.0.0", &allowed), None);
        assert_eq!(problem("MIT\tcalor v0.1.0 (/src/calor)", &allowed), None);
        for line in
            ["GPL-3.0\ta v1.0.0", "\ta v1.0.0", "MIT\ta v1.0.0 (https://example.org/a#1)", "MIT AND\ta v1"]
        {
            assert!(problem(line, &allowed).is_some(), "{line}");
        }
    }
}
