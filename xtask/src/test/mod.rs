//! Sets up what the tests need and runs all of them. A step is one file; this one lists and times them.

mod build;
mod clippy;
mod compiled_out;
mod doc_tests;
mod features;
mod format;
mod licences;
mod locks;
mod python_environment;
mod python_package;
mod readers;
mod readme;
mod rust_tests;
mod step;
mod table;
mod tidy;
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
    python_package::STEP,
    tutorials::STEP,
    readers::STEP,
    web::STEP,
    licences::STEP,
];

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    if arguments.iter().any(|argument| argument == "--list") {
        for step in STEPS {
            println!("{:<14}{}", step.name, step.about);
        }
        return Ok(Outcome::Passed);
    }
    if let Some(unknown) = arguments.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        eprintln!("error: there is no step called {unknown}, the steps are: {}", names.join(", "));
        return Ok(Outcome::Misused);
    }
    let chosen =
        STEPS.iter().filter(|step| arguments.is_empty() || arguments.iter().any(|name| name == step.name));
    Ok(run_steps(chosen, &Place::new(repository::root())))
}

fn run_steps<'a>(steps: impl Iterator<Item = &'a Step>, place: &Place) -> Outcome {
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
            StepOutcome::Passed | StepOutcome::NotRun => {}
        }
        // Without a build every later step would fail for the same reason and hide it.
        is_built = !(step.is_build && matches!(outcome, StepOutcome::Failed(_)));
        rows.push(Row { name: step.name, outcome, time: Some(start.elapsed()) });
    }
    print!("\n{}", table::render(&rows));
    if table::n_failed(&rows) == 0 { Outcome::Passed } else { Outcome::Failed }
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
        assert_eq!(run_steps(steps.iter(), &Place::new(repository::root())), expect);
    }

    const fn step(name: &'static str, run: step::Run) -> Step {
        Step { name, about: "", is_build: false, run }
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
