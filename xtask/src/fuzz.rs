//! Fuzzes what reads files: each target of `fuzz/` by libFuzzer, with the checks of a debug build. The compiler is the usual
//! one, without a sanitiser of addresses: the readers are safe code, and what they may not do is panic, hang or take memory.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::{Outcome, cargo, repository};

/// Seconds for each target.
const QUICK: u32 = 60;
const LONG: u32 = 3_600;

/// Input larger than this takes time and finds little.
const MOST_BYTES: u32 = 1 << 16;

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    let root = repository::root();
    let all = targets(
        &std::fs::read_to_string(root.join("fuzz/Cargo.toml")).context("cannot read fuzz/Cargo.toml")?,
    );
    let selection = match Selection::of(arguments, &all) {
        Ok(selection) => selection,
        Err(what) => {
            eprintln!("error: {what}");
            return Ok(Outcome::Misused);
        }
    };
    let seconds = if selection.is_quick { QUICK } else { LONG };
    let mut failed = Vec::new();
    for target in &selection.targets {
        println!("== {target}, {seconds} s");
        if let Err(error) = one(&root, target, seconds) {
            eprintln!("failed: {error:#}");
            failed.push(target.as_str());
        }
    }
    println!("{} passed, {} failed", selection.targets.len() - failed.len(), failed.len());
    Ok(if failed.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Selection {
    is_quick: bool,
    targets: Vec<String>,
}

impl Selection {
    fn of(arguments: &[String], all: &[String]) -> Result<Self, String> {
        let (mut is_quick, mut targets, mut turn) = (false, Vec::new(), None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => is_quick = true,
                "--turn" => {
                    let number = rest.next().and_then(|number| number.parse::<usize>().ok());
                    turn = Some(number.ok_or("--turn takes a number, such as that of the day")?);
                }
                name if all.iter().any(|target| target == name) => targets.push(name.to_owned()),
                name => {
                    return Err(format!(
                        "there is no target called {name}, the targets are: {}",
                        all.join(", ")
                    ));
                }
            }
        }
        if targets.is_empty() {
            targets = all.to_vec();
        }
        if let Some(turn) = turn {
            targets = vec![targets[turn % targets.len()].clone()];
        }
        Ok(Self { is_quick, targets })
    }
}

/// The names of the programs in a manifest.
fn targets(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != "[[bin]]");
    lines.filter_map(|line| Some(line.strip_prefix("name = \"")?.strip_suffix('"')?.to_owned())).collect()
}

fn one(root: &Path, target: &str, seconds: u32) -> anyhow::Result<()> {
    let folder = cargo::target_folder(root).join("fuzz");
    let corpus = folder.join("corpus").join(target);
    let artifacts = folder.join("artifacts").join(target);
    for path in [&corpus, &artifacts] {
        std::fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    }
    let host = host()?;
    let mut build = cargo::cargo(&root.join("fuzz"));
    // With the target named, the flags below are not for build scripts, which nothing covers.
    build.args(["build", "--release", "--locked", "--target", &host, "--bin", target]);
    build.env("CARGO_TARGET_DIR", &folder);
    // What cargo-fuzz passes, without the sanitiser that only the nightly compiler has: coverage for libFuzzer, and the
    // checks of a debug build.
    build.env(
        "RUSTFLAGS",
        "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
         -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
         -Cdebug-assertions -Ccodegen-units=1 -Cdebuginfo=1",
    );
    cargo::run(&mut build)?;
    let mut fuzz = Command::new(folder.join(&host).join("release").join(target));
    fuzz.arg(&corpus);
    let samples = root.join("tests/fixtures").join(target.replace('_', "-"));
    if samples.is_dir() {
        fuzz.arg(samples);
    }
    fuzz.arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={MOST_BYTES}"))
        .args(["-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0"])
        .arg(format!("-artifact_prefix={}/", artifacts.display()));
    cargo::run(&mut fuzz).with_context(|| format!("the input that did it is in {}", artifacts.display()))
}

/// What the compiler calls this machine.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say for which machine it compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expect: &str) {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let all = ["native", "pprof", "chrome"].map(str::to_owned);
        let selection = match Selection::of(&arguments, &all) {
            Ok(selection) => format!("{} {}", selection.is_quick, selection.targets.join(" ")),
            Err(what) => what,
        };
        assert!(selection.starts_with(expect), "{selection}");
    }

    #[test]
    fn targets_are_all_the_named_ones_or_one_in_turn() {
        check("", "false native pprof chrome");
        check("--quick pprof", "true pprof");
        check("--quick --turn 4", "true pprof");
        check("pdf", "there is no target called pdf, the targets are: native, pprof, chrome");
        check("--turn", "--turn takes a number");
    }

    #[test]
    fn the_targets_are_the_programs_of_the_manifest() {
        let manifest = "[package]\nname = \"calor-fuzz\"\n[[bin]]\nname = \"native\"\npath = \"x\"\n";
        assert_eq!(targets(manifest), ["native"]);
    }
}
