//! Whether `calor ab --why` names the planted cause first: mutants of one operation against a good version of it, and pairs
//! of numpy. Each case is explained anew in every round, with another seed.

mod case;
mod explained;

use std::process::ExitCode;

use harness::{Arguments, Bound, Goal, Table, choose};

use case::{CASES, Case};
use explained::{Explained, explain};

const HELP: &str = "\
cargo xtask bench why [--quick] [--only CASE,CASE] [--rounds N]

cases: scalar, copy, extra_pass, overhead, dispatch, strided, upcast, lock (mutants of one operation),
       product-scalar and so on (the same in another operation, in C; without a goal),
       waiting, threads, bandwidth, instructions, instructions-by-shell (without a goal; the last two by valgrind),
       numpy-loop, numpy-double, numpy-strided, numpy-temporaries (PYTHON names an interpreter that has numpy)
--rounds N is how often each is explained, 3 otherwise, 1 with --quick
";

/// Of eight mutants, so many in every round.
const LEAST_RIGHT: f64 = 7.0 / 8.0;

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        let chosen = choose(&CASES, arguments.only.as_deref(), "cases", |case| case.name)?;
        let n_rounds = arguments.rounds.unwrap_or(if arguments.is_quick { 1 } else { 3 });
        let folder = case::prepare()?;
        let mut found: Vec<(&Case, Vec<Result<Explained, String>>)> =
            chosen.iter().map(|case| (*case, Vec::new())).collect();
        for round in 0..n_rounds {
            for (case, all) in &mut found {
                eprintln!("round {} of {n_rounds}: {}", round + 1, case.name);
                all.push(explain(case, folder.path(), round as u64 + 1));
            }
        }
        println!("\n## causes\n\n{}", table(&found));
        println!("{}", Goal::markdown(&goals(&found), |_| true));
        Ok(())
    });
    harness::exit(outcome)
}

fn table(found: &[(&Case, Vec<Result<Explained, String>>)]) -> Table {
    let mut table = Table::new([
        "planted",
        "named first (part of the gap)",
        "right",
        "ratio",
        "at size",
        "unexplained",
        "took",
    ]);
    for (case, all) in found {
        let Some(last) = all.iter().rev().find_map(|one| one.as_ref().ok()) else {
            let reason = all.iter().find_map(|one| one.as_ref().err()).map_or("", String::as_str);
            table.missing(case.name, reason);
            continue;
        };
        let n_right = all.iter().filter(|one| is_right(case, one)).count();
        let named: Vec<String> =
            last.causes.iter().map(|(cause, share)| format!("{cause} {:.0} %", 100.0 * share)).collect();
        let named = if named.is_empty() { "nothing".to_owned() } else { named.join(", ") };
        let told = [case.planted.join(" or "), named, format!("{n_right} of {}", all.len())];
        let [ratio, size, unexplained] = match last.gap {
            Some((ratio, size)) => [
                Some(format!("{ratio:.2}")),
                Some(size.to_string()),
                Some(format!("{:.0} %", 100.0 * last.unexplained)),
            ],
            None => [Some("no gap".to_owned()), None, None],
        };
        let [planted, named, right] = told.map(Some);
        let took = Some(format!("{:.0} s", last.seconds));
        table.row(case.name, [planted, named, right, ratio, size, unexplained, took]);
    }
    table
}

fn is_right(case: &Case, one: &Result<Explained, String>) -> bool {
    let first = one.as_ref().ok().and_then(|one| one.causes.first());
    first.is_some_and(|(cause, _)| case.planted.contains(&cause.as_str()))
}

fn goals(found: &[(&Case, Vec<Result<Explained, String>>)]) -> Vec<Goal> {
    let share = |is_mutant: bool| {
        let all: Vec<bool> = found
            .iter()
            .filter(|(case, _)| case.is_mutant() == is_mutant)
            .flat_map(|(case, all)| all.iter().map(|one| is_right(case, one)))
            .collect();
        let n_right = all.iter().filter(|right| **right).count();
        if all.is_empty() { Err(String::new()) } else { Ok(n_right as f64 / all.len() as f64) }
    };
    vec![Goal {
        case: "mutants",
        what: "mutants whose planted cause is named first".to_owned(),
        unit: "of all",
        bound: Bound::AtLeast(LEAST_RIGHT),
        measured: share(true),
    }]
}
