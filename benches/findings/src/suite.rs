//! All planted programs over several seeds: what was found, what was told of healthy ones, and what the fixes gave.

use std::collections::BTreeMap;
use std::path::Path;

use calor_workloads::planted::{Round, Told, Trial, Workshop};
use harness::{Goal, Table};

use crate::gains::{Held, held};
use crate::{Asked, goals};

/// What came of one case over all seeds.
#[derive(Default)]
struct Row {
    rule: &'static str,
    trials: Vec<Trial>,
    held: Vec<Held>,
}

pub(crate) fn run(asked: &Asked, folder: &Path) -> Result<Vec<Goal>, String> {
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    let mut all = Round::default();
    for seed in 1..=asked.n_seeds {
        eprintln!("seed {seed} of {}", asked.n_seeds);
        let workshop = Workshop::new(&folder.join("suite"), &asked.calor)?;
        if seed == 1 {
            println!("Python: {}", without_folders(workshop.python().unwrap_or("none")));
        }
        let round = Round::of(&workshop, seed, |name| asked.is_wanted(name))?;
        for trial in &round.trials {
            let row = rows.entry(trial.case.name).or_default();
            row.rule = trial.case.rule;
            match held(&workshop, trial, seed, asked.n_pairs) {
                Ok(held) => row.held.extend(held),
                Err(problem) => eprintln!("{}: {problem}", trial.case.name),
            }
            row.trials.push(trial.clone());
        }
        if seed == 1 {
            all.left_out = round.left_out;
        }
        all.problems.extend(round.problems);
        all.trials.extend(round.trials);
        all.healthy.extend(round.healthy);
    }
    println!("\n## planted programs, {} seeds\n\n{}", asked.n_seeds, table(&rows));
    println!("\n## what was told of healthy programs\n\n{}", of_healthy(&all));
    for (name, reason) in &all.left_out {
        println!("{name} was not recorded: {reason}");
    }
    for problem in &all.problems {
        println!("**problem** {}", without_folders(problem));
    }
    let held: Vec<&Held> = rows.values().flat_map(|row| &row.held).collect();
    Ok(goals::goals(&all.score(), &held))
}

fn table(rows: &BTreeMap<&'static str, Row>) -> Table {
    let mut table =
        Table::new(["rule", "found", "told first", "in its twin", "gain told", "gain measured", "holds"]);
    for (name, row) in rows {
        let n = row.trials.len();
        let count = |is: fn(&Trial) -> bool| {
            Some(format!("{} of {n}", row.trials.iter().filter(|trial| is(trial)).count()))
        };
        let each = |text: &dyn Fn(&Held) -> String| {
            let texts: Vec<String> = row.held.iter().map(text).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        let n_held = row.held.iter().filter(|held| held.is_inside()).count();
        table.row(
            name,
            [
                Some(row.rule.to_owned()),
                count(|trial| trial.found().is_some()),
                count(Trial::is_first),
                count(Trial::is_found_in_twin),
                each(&|held| format!("{:.2}–{:.2}", held.told.0, held.told.1)),
                each(&|held| format!("{:.2}", held.measured)),
                (!row.held.is_empty()).then(|| format!("{n_held} of {}", row.held.len())),
            ],
        );
    }
    table
}

/// What was told of healthy programs and is false, by program.
fn of_healthy(round: &Round) -> Table {
    let mut table = Table::new(["findings"]);
    let twins = round.trials.iter().map(|trial| (trial.case.name, &trial.healthy));
    let others = round.healthy.iter().map(|(name, told)| (*name, told));
    for (name, told) in twins.chain(others).filter(|(_, told)| !told.is_empty()) {
        let one = |told: &Told| {
            format!("{} in `{}` ({:.2}–{:.2})", told.rule, told.function, told.gain.0, told.gain.1)
        };
        table.row(name, [Some(told.iter().map(one).collect::<Vec<_>>().join(", "))]);
    }
    table
}

/// A text whose paths are their last names: where things lie on this machine says nothing to anybody else.
fn without_folders(text: &str) -> String {
    let shorter = |word: &str| match word.rsplit_once('/') {
        Some((folders, name)) if folders.is_empty() || folders.contains('/') => name.to_owned(),
        _ => word.to_owned(),
    };
    text.split(' ').map(shorter).collect::<Vec<_>>().join(" ")
}
