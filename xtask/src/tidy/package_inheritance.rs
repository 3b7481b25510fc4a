//! Every package takes its version, edition, minimum Rust, licence and lints from the workspace, so that each of
//! these is decided in one place.

use super::Problem;
use super::manifest::Manifest;
use crate::repository::Repository;

const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for manifest in Manifest::all(repository) {
        for key in INHERITED {
            if !manifest.inherits("package", key) {
                let line = manifest.entry("package", key).map_or(1, |entry| entry.line);
                let what = format!("`{key}` is not the workspace's: write `{key}.workspace = true`");
                problems.push(Problem::new(manifest.path, line, what));
            }
        }
        if manifest.entry("lints", "workspace").is_none_or(|entry| entry.value != "true") {
            let what = "the workspace's lints are not on: add `[lints]` with `workspace = true`";
            problems.push(Problem::new(manifest.path, 1, what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
                        rust-version.workspace = true\nlicense.workspace = true\n[lints]\nworkspace = true\n";

    #[test]
    fn a_package_that_inherits_everything_is_fine() {
        check_rule(check, &[("crates/a/Cargo.toml", GOOD)], &[]);
    }

    #[test]
    fn what_is_not_inherited_is_told_where_it_stands() {
        let own = GOOD.replace("version.workspace = true\ne", "version = \"2.0.0\"\ne");
        check_rule(check, &[("crates/a/Cargo.toml", &own)], &["crates/a/Cargo.toml:3: `version` is not"]);
        let (without_lints, _) = GOOD.split_once("[lints]").unwrap();
        check_rule(
            check,
            &[("crates/a/Cargo.toml", without_lints)],
            &["crates/a/Cargo.toml:1: the workspace's lints"],
        );
    }

    #[test]
    fn packages_outside_the_workspace_are_not_asked() {
        check_rule(check, &[("benches/a/Cargo.toml", "[package]\n"), ("Cargo.toml", "[workspace]\n")], &[]);
    }
}
