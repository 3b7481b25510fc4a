//! How often verdicts are right: false alarms and findings of Calor and of the rules of its peers, on the same data.
//!
//! Most of it is made up from seeds and comes out the same on every machine; `live` measures this one.

mod functions;
mod live;
mod noise;
mod pairs;
mod rules;
mod series;
mod speed;

use std::process::ExitCode;

use harness::{Arguments, Goal, choose};

const HELP: &str = "\
cargo xtask bench verdicts [--quick] [--only CASE,CASE]

cases: pairs, functions, series, speed, live
--quick makes a tenth of the trials
";

/// One part of the benchmark.
struct Case {
    name: &'static str,
    /// Prints its tables and gives its goals; the number is the part of the usual trials that is wanted.
    run: fn(f64) -> Vec<Goal>,
}

const CASES: [Case; 5] = [
    Case { name: "pairs", run: pairs::run },
    Case { name: "functions", run: functions::run },
    Case { name: "series", run: series::run },
    Case { name: "speed", run: speed::run },
    Case { name: "live", run: live::run },
];

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        let chosen = choose(&CASES, arguments.only.as_deref(), "cases", |case| case.name)?;
        let part = if arguments.is_quick { 0.1 } else { 1.0 };
        let mut goals = Vec::new();
        for case in chosen {
            eprintln!("{} ...", case.name);
            goals.extend((case.run)(part));
        }
        println!("{}", Goal::markdown(&goals, |_| true));
        Ok(())
    });
    harness::exit(outcome)
}

/// A part of the usual number of trials, at least ten.
fn trials(usual: usize, part: f64) -> usize {
    ((usual as f64 * part) as usize).max(10)
}

/// A share in percent, for a table.
fn percent(n: usize, of: usize) -> Option<String> {
    (of > 0).then(|| format!("{:.1} %", 100.0 * n as f64 / of as f64))
}
