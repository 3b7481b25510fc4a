//! How often verdicts are right: false alarms and findings of Calor and of the rules of its peers, on the same data.
//!
//! Most of it is made up from seeds and comes out the same on every machine; `live` measures this one.

mod functions;
mod live;
mod load;
mod noise;
mod pairs;
mod rules;
mod series;
mod speed;

use std::process::ExitCode;

use harness::{Arguments, Goal, choose};

const HELP: &str = "\
cargo xtask bench verdicts [--quick] [--only CASE,CASE] [--rounds N]

cases: pairs, functions, series, speed, live
--quick makes a tenth of the trials
--rounds N is how many live experiments there are of each kind, 67 otherwise
";

/// One part of the benchmark.
struct Case {
    name: &'static str,
    /// Prints its tables and gives its goals; the numbers are the part of the usual trials that is wanted, and how many
    /// live ones.
    run: fn(f64, Option<usize>) -> Vec<Goal>,
}

const CASES: [Case; 5] = [
    Case { name: "pairs", run: |part, _| pairs::run(part) },
    Case { name: "functions", run: |part, _| functions::run(part) },
    Case { name: "series", run: |part, _| series::run(part) },
    Case { name: "speed", run: |part, _| speed::run(part) },
    Case { name: "live", run: live::run },
];

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        if let Some(case) = &arguments.case {
            let load = load::Load::named(case).ok_or_else(|| format!("'{case}' is no case to measure"))?;
            load.be();
            return Ok(());
        }
        let chosen = choose(&CASES, arguments.only.as_deref(), "cases", |case| case.name)?;
        let part = if arguments.is_quick { 0.1 } else { 1.0 };
        let mut goals = Vec::new();
        for case in chosen {
            eprintln!("{} ...", case.name);
            goals.extend((case.run)(part, arguments.rounds));
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
