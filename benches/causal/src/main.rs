//! How close an experiment with a scope that is to be faster comes to the program with that scope really faster: generated
//! programs of threads, locks, channels and barriers, in rounds.

mod cost;
mod goals;
mod measure;
mod programs;
mod work;

use std::process::ExitCode;

use harness::{Arguments, Results, Table, choose, number, run_rounds, shuffled};

use cost::Turn;
use measure::Case;
use programs::{PROGRAMS, Program};

const HELP: &str = "\
cargo xtask bench causal [--quick] [--only PROGRAM,PROGRAM] [--rounds N]

programs: serial, nested, fork-join, near-critical, off-path, shared-scope, barrier, pipeline, bounded, fan-in, request,
lock, lock-bound, queue
--rounds N is how often each is measured, 5 otherwise
";

/// How many times as fast scopes are made.
pub(crate) const FACTORS: [f64; 2] = [2.0, 4.0];
/// The case of what experiments cost.
pub(crate) const COST: &str = "cost";

/// What is measured in a round.
enum Measured {
    Gain(Case),
    Cost(Turn),
}

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        let chosen = choose(&PROGRAMS, arguments.only.as_deref(), "programs", |program| program.name)?;
        let results = run_rounds(
            arguments.n_rounds(5),
            |round| shuffled(all(&chosen), round),
            |measured| match measured {
                Measured::Gain(case) => measure::measured(&case),
                Measured::Cost(turn) => cost::measured(turn),
            },
        );
        println!("Gain of the whole run in percent; medians of all rounds.\n");
        for program in &chosen {
            println!("## {}: {}\n\n{}", program.name, program.about, table(&results, program));
        }
        println!("## cost: what a turn takes, ns\n\n{}", costs(&results));
        println!("{}", harness::Goal::markdown(&goals::goals(&results, &chosen), |_| true));
        Ok(())
    });
    harness::exit(outcome)
}

fn all(chosen: &[&'static Program]) -> Vec<(&'static str, &'static str, Measured)> {
    let mut all =
        vec![(COST, "scopes", Measured::Cost(Turn::Scopes)), (COST, "waits", Measured::Cost(Turn::Waits))];
    for &program in chosen {
        for &scope in program.scopes {
            for factor in FACTORS {
                let case = Case { program, scope, factor };
                all.push((program.name, who(scope, factor), Measured::Gain(case)));
            }
        }
    }
    all
}

/// The name of a row.
pub(crate) fn who(scope: &str, factor: f64) -> &'static str {
    match (scope, factor == FACTORS[0]) {
        ("x", true) => "x 2x",
        ("x", false) => "x 4x",
        ("y", true) => "y 2x",
        ("y", false) => "y 4x",
        (_, true) => "z 2x",
        (_, false) => "z 4x",
    }
}

fn table(results: &Results, program: &Program) -> Table {
    let mut table = Table::new(["really", "tried", "replayed", "tried less really", "slowed by pauses"]);
    for scope in program.scopes {
        for factor in FACTORS {
            let who = who(scope, factor);
            let text = |name| results.spread(program.name, who, name).map(|found| found.text(1));
            let slowed = results.spread(program.name, who, "slowed").map(|found| number(found.median, 2));
            let off = goals::points(results, program.name, who).map(|points| number(points, 1));
            table.row(who, [text("truth"), text("tried"), text("replayed"), off, slowed]);
            if let Some(reason) = results.failure(program.name, who) {
                table.missing(who, reason);
            }
        }
    }
    table
}

fn costs(results: &Results) -> Table {
    let mut table = Table::new(["recorded", "in an experiment", "more, %"]);
    for who in ["scopes", "waits"] {
        let text = |name, digits| results.spread(COST, who, name).map(|found| found.text(digits));
        table.row(who, [text("recorded", 0), text("tried", 0), text("cost", 1)]);
    }
    table
}
