//! Sets up what the tests need and runs all of them. A step is one file; this one lists and times them.

mod build;
mod clippy;
mod compiled_out;
mod could_not_run;
mod doc_tests;
mod features;
mod format;
mod fuzz;
mod licences;
mod locks;
mod minimum_rust;
mod python_environment;
mod python_module;
mod python_package;
mod python_versions;
mod readers;
mod readme;
mod rust_tests;
mod step;
mod table;
mod tidy;
mod times;
mod tutorials;
mod web;

use std::time::Instant;

use crate::{Outcome, repository};
use step::{Place, Step, StepOutcome};
use table::Row;

/// In the order they run: the quick ones first.
const STEPS: &[Step] = &[
    tidy::STEP,
    format::STEP,
    locks::STEP,
    build::STEP,
    clippy::STEP,
    rust_tests::STEP,
    doc_tests::STEP,
    features::STEP,
    compiled_out::STEP,
    readme::STEP,
    python_module::STEP,
    python_package::STEP,
    python_versions::STEP,
    tutorials::STEP,
    readers::STEP,
    web::STEP,
    licences::STEP,
    minimum_rust::STEP,
    fuzz::STEP,
];

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    if has("--list") {
        for step in STEPS {
            println!("{:<16}{}", step.name, step.about);
        }
        return Ok(Outcome::Passed);
    }
    let named: Vec<&String> =
        arguments.iter().filter(|it| !["--quick", "--save"].contains(&it.as_str())).collect();
    if let Some(unknown) = named.iter().find(|name| !STEPS.iter().any(|step| step.name == name.as_str())) {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        eprintln!("error: there is no step called {unknown}, the steps are: {}", names.join(", "));
        return Ok(Outcome::Misused);
    }
    let is_quick = has("--quick");
    if has("--save") && (is_quick || !named.is_empty()) {
        eprintln!("error: --save keeps the times of a whole run: name no step, and leave --quick away");
        return Ok(Outcome::Misused);
    }
    let place = Place { is_quick, ..Place::new(repository::root()) };
    let chosen = STEPS.iter().filter(|step| match named.is_empty() {
        true => step.is_quick || !is_quick,
        false => named.iter().any(|name| name.as_str() == step.name),
    });
    let is_cold = !place.target.join("debug/calor").exists();
    let rows = run_steps(chosen, &place);
    if has("--save") {
        times::save(&place.root, &rows, is_cold)?;
    }
    Ok(if table::n_failed(&rows) == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn run_steps<'a>(steps: impl Iterator<Item = &'a Step>, place: &Place) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut is_built = true;
    for step in steps {
        if !is_built {
            rows.push(Row { name: step.name, outcome: StepOutcome::NotRun, time: None });
            continue;
        }
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)(place).unwrap_or_else(|error| StepOutcome::Failed(format!("{error:#}")));
        match &outcome {
            StepOutcome::Skipped(why) => println!("skipped: {why}"),
            StepOutcome::Failed(why) => eprintln!("failed: {why}"),
            StepOutcome::Passed | StepOutcome::Partly(_) | StepOutcome::NotRun => {}
        }
        // Without a build every later step would fail for the same reason and hide it.
        is_built = !(step.is_build && matches!(outcome, StepOutcome::Failed(_)));
        rows.push(Row { name: step.name, outcome, time: Some(start.elapsed()) });
    }
    print!("\n{}", table::render(&rows));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(_: &Place) -> anyhow::Result<StepOutcome> {
        Ok(StepOutcome::Passed)
    }

    fn fail(_: &Place) -> anyhow::Result<StepOutcome> {
        anyhow::bail!("broken")
    }

    fn unreachable(_: &Place) -> anyhow::Result<StepOutcome> {
        panic!("a step ran after the build had failed")
    }

    #[track_caller]
    fn check(steps: &[Step], expect: Outcome) {
        let rows = run_steps(steps.iter(), &Place::new(repository::root()));
        let outcome = if table::n_failed(&rows) == 0 { Outcome::Passed } else { Outcome::Failed };
        assert_eq!(outcome, expect);
    }

    const fn step(name: &'static str, run: step::Run) -> Step {
        Step { name, about: "", is_build: false, is_quick: false, run }
    }

    #[test]
    fn one_failed_step_fails_the_whole() {
        check(&[step("a", pass), step("b", pass)], Outcome::Passed);
        check(&[step("a", fail), step("b", pass)], Outcome::Failed);
    }

    #[test]
    fn nothing_runs_after_a_failed_build() {
        let build = Step { is_build: true, ..step("build", fail) };
        check(&[build, step("later", unreachable)], Outcome::Failed);
    }

    #[test]
    fn the_names_of_the_steps_differ() {
        let mut names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
