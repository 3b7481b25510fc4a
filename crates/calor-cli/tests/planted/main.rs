//! The suite of planted bottlenecks, built and recorded by the real command: what the rules find in each, and that they find
//! nothing in the healthy twins. A loaded machine may hide one or another, so those have a second look, and the scores are of the
//! whole suite.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fmt::Write as _;
use std::path::Path;

use calor_testing::{Need, aloud, cannot};
use calor_workloads::planted::{Round, Told, Trial, Workshop};

/// The programs of one seed; the benchmark takes others.
const SEED: u64 = 1;
/// What the findings have to reach.
const LEAST_RECALL: f64 = 0.9;
const LEAST_PRECISION: f64 = 0.9;
const MOST_FALSE: f64 = 0.2;
/// The part of the twins in which the rule may find what is not there.
const MOST_IN_TWINS: f64 = 0.05;

#[test]
fn planted_bottlenecks_are_found_and_healthy_programs_left_alone() {
    if let Err(refusal) = calor_record::probe() {
        cannot(Need::Perf, refusal);
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let workshop =
        Workshop::new(&folder, Path::new(env!("CARGO_BIN_EXE_calor"))).expect("a folder can be made");
    aloud(format_args!(
        "programs in Python run with {}",
        workshop.python().unwrap_or("nothing: there is no python3")
    ));
    let mut round = Round::of(&workshop, SEED, |_| true).expect("planted programs can be built");
    for (name, reason) in &round.left_out {
        cannot(Need::Tool, format_args!("{name} is not recorded here: {reason}"));
    }
    look_again(&workshop, &mut round);
    assert!(round.problems.is_empty(), "{:#?}", round.problems);

    let score = round.score();
    let page = page(&round);
    let in_twins = round.trials.iter().filter(|trial| trial.is_found_in_twin()).count();
    assert!(score.recall() >= LEAST_RECALL, "recall {:.2}\n{page}", score.recall());
    assert!(score.precision() >= LEAST_PRECISION, "precision {:.2}\n{page}", score.precision());
    assert!(score.false_findings() <= MOST_FALSE, "false findings {:.2}\n{page}", score.false_findings());
    let most = (MOST_IN_TWINS * round.trials.len() as f64).ceil() as usize;
    assert!(in_twins <= most, "{in_twins} healthy twins have the bottleneck of the other\n{page}");
}

/// Records those programs once more in which something was missed or found by mistake: threads that have no core to wait on
/// each other do not, and a machine that is busy with other tests has none to spare.
fn look_again(workshop: &Workshop, round: &mut Round) {
    let is_doubtful = |trial: &Trial| trial.found().is_none() || trial.is_found_in_twin();
    let doubtful: Vec<&str> =
        round.trials.iter().filter(|trial| is_doubtful(trial)).map(|trial| trial.case.name).collect();
    if doubtful.is_empty() {
        return;
    }
    aloud(format_args!("recorded once more: {}", doubtful.join(", ")));
    let again = Round::of(workshop, SEED, |name| doubtful.contains(&name)).expect("they were built before");
    round.problems.extend(again.problems);
    for trial in again.trials {
        round.trials.retain(|known| known.case.name != trial.case.name);
        round.trials.push(trial);
    }
}

/// What was found in each program, for whoever has to find out why a score is low.
fn page(round: &Round) -> String {
    let list = |told: &[Told]| {
        let told: Vec<String> =
            told.iter().map(|told| format!("{} in {}", told.rule, told.function)).collect();
        told.join(", ")
    };
    let mut page = String::new();
    for trial in &round.trials {
        let verdict = if trial.found().is_some() { "found" } else { "MISSED" };
        let (planted, healthy) = (list(&trial.planted), list(&trial.healthy));
        let _ = writeln!(
            page,
            "{verdict} {} ({}): planted [{planted}] healthy [{healthy}]",
            trial.case.name, trial.case.rule
        );
    }
    for (name, told) in round.healthy.iter().filter(|(_, told)| !told.is_empty()) {
        let _ = writeln!(page, "healthy {name}: [{}]", list(told));
    }
    page
}
