//! Experiments with made-up and recorded noise, and how often they are right.

use super::*;
use crate::noise::{self, Noise};

fn options(margin: f64, seed: u64) -> ExperimentOptions {
    ExperimentOptions { max_rounds: 100, margin, seed, ..ExperimentOptions::default() }
}

/// Times of runs one after the other, paired as an experiment pairs them, with the second variant slower by `effect`.
fn replay(options: ExperimentOptions, logs: &[f64], effect: f64) -> Comparison {
    let mut experiment = Experiment::new(options).unwrap();
    for runs in logs.chunks_exact(2) {
        let mut measurements = [0.0; 2];
        for (variant, log) in experiment.order().iter().zip(runs) {
            let slower = if *variant == 1 { 1.0 + effect } else { 1.0 };
            measurements[*variant] = log.exp() * slower;
        }
        if experiment.add(&measurements, 0.0).unwrap() == Step::Ended {
            break;
        }
    }
    let [found] = &experiment.comparisons()[..] else { panic!("two variants") };
    found.clone()
}

/// What many experiments came to.
#[derive(Default, Debug)]
struct Counts {
    all: usize,
    regressed: usize,
    improved: usize,
    same: usize,
    covered: usize,
}

impl Counts {
    fn add(&mut self, found: &Comparison, effect: f64) {
        self.all += 1;
        match found.verdict {
            Verdict::Regressed => self.regressed += 1,
            Verdict::Improved => self.improved += 1,
            Verdict::Same => self.same += 1,
            Verdict::Undecided => {}
        }
        let [low, high] = found.change.unwrap().interval;
        self.covered += usize::from((low..=high).contains(&effect));
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.all as f64
    }
}

/// Experiments of at most 100 pairs whose runs scatter by a tenth, as many for each kind of noise.
fn simulated(n: usize, effect: f64, margin: f64) -> Counts {
    let mut counts = Counts::default();
    let mut chance = Chance::new(11);
    for noise in Noise::ALL {
        for seed in 0..n as u64 {
            let logs = noise.series(200, 0.1, &mut chance);
            counts.add(&replay(options(margin, seed), &logs, effect), effect);
        }
    }
    counts
}

// The rates of thousands of experiments are printed by the benchmark of verdicts. Bounds here are three standard deviations
// of a count beyond what is promised.

#[test]
fn equal_variants_are_seldom_told_apart_and_mostly_called_the_same() {
    let counts = simulated(40, 0.0, 0.05);
    assert!(counts.share(counts.regressed + counts.improved) < 0.05 + 0.042, "{counts:?}");
    assert!(counts.share(counts.same) > 0.8, "{counts:?}");
    assert!((0.95 - counts.share(counts.covered)).abs() < 0.042, "{counts:?}");
}

#[test]
fn a_variant_five_percent_slower_is_found_and_its_interval_holds_the_truth() {
    let counts = simulated(40, 0.05, 0.02);
    assert!(counts.share(counts.regressed) > 0.8, "{counts:?}");
    assert_eq!(counts.improved, 0);
    assert!((0.95 - counts.share(counts.covered)).abs() < 0.042, "{counts:?}");
}

#[test]
fn what_is_called_the_same_within_a_margin_has_an_interval_within_it() {
    let (mut chance, mut n_wider) = (Chance::new(5), 0);
    for seed in 0..60 {
        let logs = Noise::Independent.series(200, 0.06, &mut chance);
        let found = replay(options(0.03, seed), &logs, 0.0);
        assert_eq!(found.same_interval.is_some(), found.verdict == Verdict::Same);
        let Some([low, high]) = found.same_interval else { continue };
        let change = found.change.unwrap();
        assert!((-0.03..change.effect).contains(&low) && (change.effect..=0.03).contains(&high), "{found}");
        n_wider += usize::from(change.interval[0] < -0.03 || change.interval[1] > 0.03);
    }
    assert!(n_wider > 0, "the usual interval, which asks for more, is not always");
}

/// The logarithms of one column of a file of recorded runs.
fn recorded(text: &str, column: usize) -> Vec<f64> {
    let rows = text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap());
    rows.map(|value| value.parse::<f64>().unwrap().ln()).collect()
}

#[test]
fn one_program_on_a_busy_machine_does_not_differ_from_itself() {
    let files = [
        include_str!("../../../tests/fixtures/noise/in-use.csv"),
        include_str!("../../../tests/fixtures/noise/steady.csv"),
        include_str!("../../../tests/fixtures/noise/on-off.csv"),
    ];
    let mut counts = Counts::default();
    for (file, column) in files.into_iter().flat_map(|file| [(file, 0), (file, 1)]) {
        let logs = recorded(file, column);
        for (seed, from) in (0..logs.len() - 200).step_by(26).enumerate() {
            counts.add(&replay(options(0.05, seed as u64), &logs[from..from + 200], 0.0), 0.0);
        }
    }
    assert!(counts.all > 200, "{counts:?}");
    // Windows overlap, so that there are fewer experiments in them than are counted.
    assert!(counts.share(counts.regressed + counts.improved) < 0.05 + 0.05, "{counts:?}");
    assert!(counts.share(counts.covered) > 0.9, "{counts:?}");
}

#[test]
fn looking_after_every_pair_at_the_usual_interval_would_find_what_is_not_there() {
    let mut chance = Chance::new(5);
    let mut n_found = 0;
    for seed in 0..40 {
        let options = ExperimentOptions { n_looks: 1, ..options(0.02, seed) };
        let mut experiment = Experiment::new(options).unwrap();
        let mut is_found = false;
        for _ in 0..100 {
            let measurements = [0, 1].map(|_| (0.1 * noise::gauss(&mut chance)).exp());
            let _ = experiment.add(&measurements, 0.0).unwrap();
            is_found |= experiment.n_rounds() >= 10
                && experiment.running(1).is_some_and(|change| !change.holds_none());
        }
        n_found += usize::from(is_found);
    }
    assert!(n_found >= 6, "{n_found} of 40");
}

#[test]
fn exact_counts_are_told_apart_by_a_few_pairs() {
    let run = |second: f64| {
        let mut experiment = Experiment::new(ExperimentOptions::default()).unwrap();
        while experiment.add(&[1_000_000.0, second], 0.0).unwrap() == Step::GoOn {}
        experiment.comparisons().remove(0)
    };
    let found = run(1_050_000.0);
    assert_eq!((found.verdict, found.n_pairs), (Verdict::Regressed, 100));
    assert!((found.change.unwrap().interval[0] - 0.05).abs() < 1e-9);
    assert_eq!(run(950_000.0).verdict, Verdict::Improved);
    assert_eq!(run(1_000_100.0).verdict, Verdict::Same, "it differs, by less than anybody cares for");
}

#[test]
fn a_difference_beyond_any_doubt_has_an_interval_as_wide_as_the_spread() {
    let options = ExperimentOptions { max_rounds: 20_000, ..ExperimentOptions::default() };
    let mut experiment = Experiment::new(options).unwrap();
    let mut chance = Chance::new(8);
    while experiment.add(&[1.0, 2.0 * (0.1 * noise::gauss(&mut chance)).exp()], 0.0).unwrap() == Step::GoOn {}
    let found = experiment.comparisons().remove(0);
    let [low, high] = found.change.unwrap().interval;
    assert_eq!((found.verdict, found.n_pairs), (Verdict::Regressed, 2_000));
    // 0.1 over the root of 2,000, for a trimmed mean a little more, to both sides, of twice as much.
    assert!((0.015..0.022).contains(&(high - low)), "{low} {high}");
}

#[test]
fn a_budget_of_time_ends_it_and_too_few_pairs_decide_nothing() {
    let mut experiment = Experiment::new(ExperimentOptions::default()).unwrap();
    assert_eq!(experiment.add(&[1.0, 2.0], 0.4).unwrap(), Step::GoOn);
    assert_eq!(experiment.add(&[1.0, 2.1], 0.8).unwrap(), Step::GoOn);
    assert_eq!(experiment.add(&[1.0, 2.0], 1.2).unwrap(), Step::Ended);
    let found = experiment.comparisons().remove(0);
    assert_eq!((found.verdict, found.doubt), (Verdict::Undecided, Some(Doubt::TooFewPairs)));
    assert!(found.needs_pairs.is_none() && found.change.is_some());
    let mut experiment = Experiment::new(ExperimentOptions::default()).unwrap();
    for (number, part) in (1..).zip([0.2, 0.4, 0.6, 0.8, 1.2]) {
        let step = experiment.add(&[1.0, 1.0 + 0.1 * f64::from(number % 3)], part).unwrap();
        assert_eq!(step == Step::Ended, number == 5);
    }
    let found = experiment.comparisons().remove(0);
    assert_eq!((found.n_pairs, found.doubt), (5, Some(Doubt::NotClear)));
    assert!(found.needs_pairs.is_some());
    let mut experiment = Experiment::new(ExperimentOptions::default()).unwrap();
    experiment.end();
    assert!(experiment.is_ended());
    assert_eq!(experiment.comparisons()[0].doubt, Some(Doubt::TooFewPairs));
}

#[test]
fn of_three_variants_each_is_compared_with_the_first() {
    let options = ExperimentOptions { n_variants: 3, ..options(0.05, 3) };
    let mut experiment = Experiment::new(options).unwrap();
    let mut chance = Chance::new(1);
    let mut orders = std::collections::BTreeSet::new();
    loop {
        orders.insert(experiment.order().to_vec());
        let measurements = [1.0, 1.0, 1.3].map(|time| time * (0.05 * noise::gauss(&mut chance)).exp());
        if experiment.add(&measurements, 0.0).unwrap() == Step::Ended {
            break;
        }
    }
    let verdicts: Vec<_> =
        experiment.comparisons().iter().map(|found| (found.variant, found.verdict)).collect();
    assert_eq!(verdicts, [(1, Verdict::Same), (2, Verdict::Regressed)]);
    assert_eq!(orders.len(), 6, "all orders come");
}

#[test]
fn a_machine_on_which_the_first_differs_from_itself_decides_nothing_small() {
    let run = |slower: f64| {
        let mut experiment = Experiment::new(options(0.01, 0)).unwrap();
        let mut chance = Chance::new(2);
        let mut round = 0;
        loop {
            let phase = if round % 2 == 0 { 1.0 } else { 1.2 };
            let noise = |chance: &mut Chance| (0.01 * noise::gauss(chance)).exp();
            let measurements = [phase * noise(&mut chance), phase * slower * noise(&mut chance)];
            round += 1;
            if experiment.add(&measurements, 0.0).unwrap() == Step::Ended {
                return experiment.comparisons().remove(0);
            }
        }
    };
    let found = run(1.05);
    assert_eq!((found.verdict, found.doubt), (Verdict::Undecided, Some(Doubt::UnstableMachine)));
    assert!(found.to_string().contains("too unstable"), "{found}");
    assert_eq!(run(1.5).verdict, Verdict::Regressed);
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_reason() {
    let error = |result: Result<Step, Error>| result.unwrap_err().to_string();
    let mut experiment = Experiment::new(ExperimentOptions::default()).unwrap();
    assert!(error(experiment.add(&[1.0], 0.0)).contains("each of 2 variants, found 1"));
    assert!(error(experiment.add(&[1.0, 0.0], 0.0)).contains("above 0 of variant 2, found 0"));
    assert!(error(experiment.add(&[f64::NAN, 1.0], 0.0)).contains("variant 1, found NaN"));
    assert_eq!(experiment.n_rounds(), 0);
    for (n_variants, margin) in [(1, 0.02), (2, 0.0), (2, f64::NAN), (2, 1.0)] {
        let options = ExperimentOptions { n_variants, margin, ..ExperimentOptions::default() };
        assert!(Experiment::new(options).is_err(), "{n_variants} {margin}");
    }
}
