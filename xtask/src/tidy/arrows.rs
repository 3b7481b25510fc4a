//! The arrows between the crates: a crate uses only crates with a smaller number, so that each can be understood,
//! tested and built without what stands above it. What tests use is free.

use super::Problem;
use super::manifest::Manifest;
use crate::repository::Repository;

/// Every crate that has a place in the order.
const NUMBERS: &[(&str, u8)] = &[
    ("calor-model", 0),
    ("calor-demangle", 0),
    ("calor-paths", 0),
    ("calor-web", 0),
    ("calor-formats", 1),
    ("calor-analysis", 1),
    ("calor-gpu", 1),
    ("calor-heap", 1),
    ("calor-host", 1),
    ("calor-machine", 2),
    ("calor-symbols", 2),
    ("calor-wire", 2),
    ("calor-store", 2),
    ("calor-preload", 2),
    ("calor-report", 3),
    ("calor-record", 3),
    ("calor", 4),
    ("calor-project", 4),
    ("calor-server", 5),
    ("calor-cli", 6),
    ("calor-python", 7),
];

/// A crate beside the order: what it may use, and who may use it.
struct Aside {
    name: &'static str,
    uses: &'static [&'static str],
    /// Also of third parties.
    uses_nothing_else: bool,
    used_by: &'static [&'static str],
}

const ASIDES: &[Aside] = &[
    Aside {
        name: "calor-cpython",
        uses: &[],
        uses_nothing_else: true,
        used_by: &["calor-paths", "calor-preload", "calor-python", "calor-record"],
    },
    Aside { name: "calor-macros", uses: &[], uses_nothing_else: true, used_by: &["calor"] },
    Aside {
        name: "calor-workloads",
        uses: &[
            "calor",
            "calor-analysis",
            "calor-host",
            "calor-machine",
            "calor-model",
            "calor-record",
            "calor-report",
        ],
        uses_nothing_else: false,
        used_by: &["calor-cli"],
    },
    // Tests of all crates use it, and nothing else does but what counts for them.
    Aside { name: "calor-testing", uses: &[], uses_nothing_else: true, used_by: &["xtask"] },
    Aside { name: "xtask", uses: &["calor-testing"], uses_nothing_else: false, used_by: &[] },
];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for manifest in Manifest::all(repository) {
        let name = manifest.name();
        if number(name).is_none() && aside(name).is_none() {
            let what =
                format!("{name} has no number: decide what it may use, and add it to NUMBERS in {}", file!());
            problems.push(Problem::new(manifest.path, 1, what));
            continue;
        }
        for dependency in manifest.dependencies() {
            if let Some(what) = objection(name, &dependency.package) {
                problems.push(Problem::new(manifest.path, dependency.line, what));
            }
        }
    }
}

/// Why the crate `user` may not use `used`, if so.
fn objection(user: &str, used: &str) -> Option<String> {
    let is_ours = number(used).is_some() || aside(used).is_some();
    if let Some(aside) = aside(user) {
        let is_allowed = aside.uses.contains(&used) || !(is_ours || aside.uses_nothing_else);
        return (!is_allowed).then(|| format!("{user} may not use {used}: remove the dependency"));
    }
    if let Some(aside) = aside(used) {
        let is_allowed = aside.used_by.contains(&user);
        let only = aside.used_by.join(", ");
        return (!is_allowed).then(|| format!("{user} may not use {used}, only {only} and tests may"));
    }
    let (own, other) = (number(user)?, number(used)?);
    (other >= own).then(|| {
        format!(
            "{user} ({own}) may not use {used} ({other}), which does not have a smaller number: \
             move the shared code down, or call from above"
        )
    })
}

fn number(name: &str) -> Option<u8> {
    NUMBERS.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

fn aside(name: &str) -> Option<&'static Aside> {
    ASIDES.iter().find(|aside| aside.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[track_caller]
    fn check_crate(name: &str, dependencies: &str, expect: &[&str]) {
        let text = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependencies}");
        check_rule(check, &[("crates/it/Cargo.toml", &text)], expect);
    }

    #[test]
    fn a_crate_may_use_what_has_a_smaller_number() {
        check_crate(
            "calor-report",
            "calor-model.workspace = true\ncalor-analysis.workspace = true\nserde = \"1\"",
            &[],
        );
        check_crate("calor-cli", "calor.workspace = true\ncalor-workloads.workspace = true", &[]);
        check_crate(
            "calor",
            "calor-macros.workspace = true\ncalor-record = { workspace = true, optional = true }",
            &[],
        );
    }

    #[test]
    fn an_equal_or_larger_number_is_refused_at_its_line() {
        check_crate(
            "calor-analysis",
            "calor-model.workspace = true\ncalor-formats.workspace = true",
            &["crates/it/Cargo.toml:5: calor-analysis (1) may not use calor-formats (1)"],
        );
        check_crate(
            "calor-model",
            "calor-cli.workspace = true",
            &["crates/it/Cargo.toml:4: calor-model (0) may"],
        );
    }

    #[test]
    fn the_macros_use_nothing_and_the_workloads_the_sdk_and_below() {
        check_crate("calor-macros", "syn = \"2\"", &["crates/it/Cargo.toml:4: calor-macros may not use syn"]);
        check_crate("calor-workloads", "calor.workspace = true\nsnap = \"1\"", &[]);
        check_crate(
            "calor-workloads",
            "calor-store.workspace = true",
            &["crates/it/Cargo.toml:4: calor-workloads may"],
        );
        check_crate(
            "calor-server",
            "calor-workloads.workspace = true",
            &["crates/it/Cargo.toml:4: calor-server may"],
        );
    }

    #[test]
    fn what_tests_use_is_free() {
        check_crate("calor-model", "[dev-dependencies]\ncalor-cli.workspace = true", &[]);
    }

    #[test]
    fn a_crate_without_a_number_is_told() {
        check_crate("calor-extra", "", &["crates/it/Cargo.toml:1: calor-extra has no number"]);
    }
}
