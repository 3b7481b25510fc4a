//! Chores of this repository, run as `cargo xtask <chore>`.
//!
//! Plain std and anyhow, so that the first chore of a fresh clone starts in seconds. The exit code is 0 when all is
//! well, 1 when a check failed, 2 when the chore was asked for wrongly or could not run.

mod bench;
mod cargo;
mod date;
mod fuzz;
mod machine;
mod numpy_tests;
mod readme;
mod repository;
mod test;
mod tidy;
mod wheel;

use std::process::ExitCode;

const USAGE: &str = "\
Chores of this repository

Usage: cargo xtask <chore>

  tidy                      check the rules of the repository
  test [--quick] [--save] [--list] [STEP...]
                            set up what is needed and run every test, or only the named steps;
                            --quick runs what takes minutes: rules, lints and unit tests;
                            --save keeps the times of the steps in benches/runs/ci.md
  fuzz [--quick] [--turn N] [TARGET...]
                            fuzz what reads files, for an hour each, or with --quick a minute;
                            --turn takes one of the targets, by a number that changes
  bench [AREA] [--save] [ARGUMENT...]
                            run the benchmarks in benches/AREA; without an area, list them;
                            --save also writes the result to benches/runs/
  numpy-tests [PYTHON]      run NumPy's own tests with profiling on and off, and compare
  wheel                     build the wheel of the Python package for release, and try it out
  help                      show this text
";

/// How a chore that could run at all came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// The arguments were wrong; the chore has said how.
    Misused,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Ok(Outcome::Misused) => ExitCode::from(2),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    let Some((chore, rest)) = arguments.split_first() else {
        eprint!("{USAGE}");
        return Ok(Outcome::Misused);
    };
    match (chore.as_str(), rest) {
        ("help" | "--help" | "-h", _) => {
            print!("{USAGE}");
            Ok(Outcome::Passed)
        }
        ("tidy", []) => tidy::run(),
        ("test", steps) => test::run(steps),
        ("bench", arguments) => bench::run(arguments),
        ("fuzz", arguments) => fuzz::run(arguments),
        ("numpy-tests", arguments) => numpy_tests::run(arguments),
        ("wheel", []) => wheel::run(),
        ("tidy" | "wheel", [unexpected, ..]) => {
            Ok(misused(&format!("{chore} takes no argument, got {unexpected}")))
        }
        _ => Ok(misused(&format!("there is no chore called {chore}"))),
    }
}

fn misused(what: &str) -> Outcome {
    eprintln!("error: {what}\n\n{USAGE}");
    Outcome::Misused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], expect: Outcome) {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        assert_eq!(run(&arguments).unwrap(), expect);
    }

    #[test]
    fn wrong_arguments_are_told_apart_from_failures() {
        check(&["help"], Outcome::Passed);
        check(&[], Outcome::Misused);
        check(&["polish"], Outcome::Misused);
        check(&["tidy", "src"], Outcome::Misused);
        check(&["wheel", "fast"], Outcome::Misused);
        check(&["test", "no-such-step"], Outcome::Misused);
        check(&["test", "--no-such-flag"], Outcome::Misused);
        check(&["bench", "no-such-area"], Outcome::Misused);
        check(&["fuzz", "no-such-target"], Outcome::Misused);
        check(&["fuzz", "--turn", "next"], Outcome::Misused);
    }
}
