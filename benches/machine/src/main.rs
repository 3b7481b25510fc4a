//! How well what `calor machine` measures repeats: each measurement in a process of its own, once while the machine is left
//! alone and once beside four processes that are busy, in turns.

mod condition;
mod figure;
mod goals;

use std::process::{Command, ExitCode};

use harness::{Arguments, Figures, Results, Spread, Table, answer_of, choose, number, run_rounds};

use condition::{CONDITIONS, Condition};
use figure::FIGURES;

const HELP: &str = "\
cargo xtask bench machine [--quick] [--only CASE,CASE] [--rounds N]

cases: idle, busy, streaming
--rounds N is how many measurements there are of each, 10 otherwise
";

/// The one who measures.
const WHO: &str = "calor";

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        if let Some(case) = &arguments.case {
            return be(case);
        }
        let chosen = choose(&CONDITIONS, arguments.only.as_deref(), "cases", |case| case.name)?;
        let results = run_rounds(
            arguments.n_rounds(10),
            |_| chosen.iter().map(|condition| (condition.name, WHO, *condition)).collect(),
            measured,
        );
        for condition in &chosen {
            println!("\n## {}: {}\n\n{}", condition.name, condition.about, table(&results, condition));
        }
        let goals = goals::goals(&results);
        let is_asked_for = |case: &str| chosen.iter().any(|condition| condition.name == case);
        println!("{}", harness::Goal::markdown(&goals, is_asked_for));
        Ok(())
    });
    harness::exit(outcome)
}

/// Is one of the processes that this one starts.
fn be(case: &str) -> Result<(), String> {
    match case {
        "measure" => {
            println!("{}", figure::of_this_machine());
            Ok(())
        }
        other => condition::be(other),
    }
}

/// A measurement, beside the other work of the condition.
fn measured(condition: &Condition) -> Result<Figures, String> {
    let _running = condition.start()?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    answer_of(Command::new(own).args(["--case", "measure"]))
}

fn table(results: &Results, condition: &Condition) -> Table {
    let mut table = Table::new(["median (least to most)", "spread"]);
    for figure in FIGURES {
        let found = results.spread(condition.name, WHO, figure.name);
        let shown = found.map(|found| format!("{} {}", found.text(figure.digits), figure.unit));
        let spread =
            found.filter(|_| figure.is_rate).map(|found| format!("{} %", number(100.0 * spread(&found), 1)));
        table.row(figure.title, [shown, spread]);
    }
    if let Some(reason) = results.failure(condition.name, WHO) {
        table.missing(condition.name, reason);
    }
    table
}

/// How far apart the least and the most are, as a part of the median.
fn spread(found: &Spread) -> f64 {
    (found.max - found.min) / found.median
}
