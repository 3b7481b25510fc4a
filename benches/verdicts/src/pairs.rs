//! Two commands: the same runs, once in turns as Calor and nanobench take them, once all of A and then all of B as others do.

use calor_analysis::{Comparison, Experiment, ExperimentOptions, Step, Verdict};
use harness::{Bound, Goal, Table};

use crate::noise::{Chance, Noise, recorded};
use crate::rules::{criterion, hyperfine, rank_sum, sign};
use crate::{percent, trials};

/// Runs of an experiment of at most 100 pairs.
pub(crate) const N_RUNS: usize = 200;

/// What a rule said over many trials.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) all: usize,
    pub(crate) calor: Tally,
    /// By the order of [`OTHERS`].
    others: [usize; 6],
}

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) changed: usize,
    pub(crate) same: usize,
    covered: usize,
    pub(crate) pairs: usize,
}

const OTHERS: [&str; 6] = [
    "sign test of pairs (nanobench)",
    "hyperfine, ratio beyond its deviation",
    "hyperfine, its Welch script",
    "criterion",
    "benchstat",
    "asv compare",
];

/// A kind of noise, with as many stretches of runs as are wanted.
pub(crate) type Source<'n> = (&'n str, Vec<Vec<f64>>);

pub(crate) fn run(part: f64) -> Vec<Goal> {
    let mut chance = Chance(1);
    let n = trials(600, part);
    let mut sources: Vec<Source<'_>> = Noise::OF_RUNS
        .iter()
        .map(|(name, noise)| (*name, (0..n).map(|_| noise.series(N_RUNS, 0.1, &mut chance)).collect()))
        .collect();
    for (name, logs) in recorded() {
        let step = ((logs.len() - N_RUNS) / trials(100, part)).max(1);
        let from = (0..logs.len() - N_RUNS).step_by(step);
        sources.push((name, from.map(|from| logs[from..from + N_RUNS].to_vec()).collect()));
    }
    let mut goals = Vec::new();
    let equal: Vec<Counts> = sources.iter().map(|(_, list)| counts(list, 0.0)).collect();
    let slower: Vec<Counts> = sources.iter().map(|(_, list)| counts(list, 0.05)).collect();
    println!("\n## pairs: equal commands that are called changed\n\n{}", table(&sources, &equal));
    println!("\n## pairs: commands 5 % slower that are called changed\n\n{}", table(&sources, &slower));
    let mut own = Table::new([
        "trials",
        "equal: same within 5 %",
        "equal: interval holds the truth",
        "equal: pairs used",
        "+5 %: interval holds the truth",
        "+5 %: pairs used",
    ]);
    for ((name, _), (equal, slower)) in sources.iter().zip(equal.iter().zip(&slower)) {
        let pairs = |counts: &Counts| Some((counts.calor.pairs / counts.all.max(1)).to_string());
        own.row(
            name,
            [
                Some(equal.all.to_string()),
                percent(equal.calor.same, equal.all),
                percent(equal.calor.covered, equal.all),
                pairs(equal),
                percent(slower.calor.covered, slower.all),
                pairs(slower),
            ],
        );
    }
    println!("\n## pairs: more of Calor's\n\n{own}");
    let made_up = Noise::OF_RUNS.len();
    let share = |counts: &[Counts], of: fn(&Tally) -> usize| {
        let n: usize = counts.iter().map(|counts| counts.all).sum();
        100.0 * counts.iter().map(|counts| of(&counts.calor)).sum::<usize>() as f64 / n as f64
    };
    let mut goal = |what: &str, bound: Bound, measured: f64| {
        goals.push(Goal { case: "pairs", what: what.to_owned(), unit: "%", bound, measured: Ok(measured) });
    };
    goal(
        "equal commands called changed, made-up noise",
        Bound::AtMost(5.0),
        share(&equal[..made_up], |t| t.changed),
    );
    goal(
        "equal commands called changed, recorded noise",
        Bound::AtMost(5.0),
        share(&equal[made_up..], |t| t.changed),
    );
    goal("5 % slower found within 100 pairs", Bound::AtLeast(80.0), share(&slower[..made_up], |t| t.changed));
    goal(
        "intervals of equal commands hold the truth",
        Bound::Within(93.0, 97.0),
        share(&equal[..made_up], |t| t.covered),
    );
    goal(
        "intervals of 5 % slower hold the truth",
        Bound::Within(93.0, 97.0),
        share(&slower[..made_up], |t| t.covered),
    );
    goal(
        "equal commands called the same within 5 %",
        Bound::AtLeast(80.0),
        share(&equal[..made_up], |t| t.same),
    );
    goals
}

pub(crate) fn table(sources: &[Source<'_>], counts: &[Counts]) -> Table {
    let mut table = Table::new(sources.iter().map(|(name, _)| *name));
    table.row("Calor", counts.iter().map(|counts| percent(counts.calor.changed, counts.all)));
    for (place, other) in OTHERS.iter().enumerate() {
        table.row(other, counts.iter().map(|counts| percent(counts.others[place], counts.all)));
    }
    table
}

pub(crate) fn counts(list: &[Vec<f64>], effect: f64) -> Counts {
    let mut counts = Counts::default();
    let mut chance = Chance(2);
    for (seed, logs) in list.iter().enumerate() {
        let Some((found, differences)) = in_turns(logs, effect, seed as u64) else { continue };
        counts.all += 1;
        counts.calor.changed += usize::from(found.verdict.is_change());
        counts.calor.same += usize::from(found.verdict == Verdict::Same);
        counts.calor.pairs += found.n_pairs;
        let holds =
            found.change.is_some_and(|change| (change.interval[0]..=change.interval[1]).contains(&effect));
        counts.calor.covered += usize::from(holds);
        let (a, b) = logs.split_at(logs.len() / 2);
        let a: Vec<f64> = a.iter().map(|log| log.exp()).collect();
        let b: Vec<f64> = b.iter().map(|log| log.exp() * (1.0 + effect)).collect();
        let others = [
            sign::differs(&differences),
            hyperfine::ratio_differs(&a, &b),
            hyperfine::welch_differs(&a, &b),
            criterion::differs(&a, &b, &mut chance),
            rank_sum::benchstat_differs(&a, &b),
            rank_sum::asv_differs(&a, &b),
        ];
        for (count, is_changed) in counts.others.iter_mut().zip(others) {
            *count += usize::from(is_changed);
        }
    }
    counts
}

/// The runs as pairs in random order: what Calor says, and all differences for a rule that does not stop early.
fn in_turns(logs: &[f64], effect: f64, seed: u64) -> Option<(Comparison, Vec<f64>)> {
    let margin = if effect == 0.0 { 0.05 } else { 0.02 };
    let options =
        ExperimentOptions { max_rounds: logs.len() / 2, margin, seed, ..ExperimentOptions::default() };
    let mut experiment = Experiment::new(options).ok()?;
    let mut orders = Chance(seed ^ 0x5555);
    let mut differences = Vec::new();
    let mut is_running = true;
    for runs in logs.chunks_exact(2) {
        let order: [usize; 2] = if is_running {
            [experiment.order()[0], experiment.order()[1]]
        } else if orders.below(2) == 0 {
            [0, 1]
        } else {
            [1, 0]
        };
        let mut measurements = [0.0; 2];
        for (variant, log) in order.into_iter().zip(runs) {
            measurements[variant] = log.exp() * if variant == 1 { 1.0 + effect } else { 1.0 };
        }
        differences.push((measurements[1] / measurements[0]).ln());
        if is_running {
            is_running = experiment.add(&measurements, 0.0).ok()? == Step::GoOn;
        }
    }
    Some((experiment.comparisons().into_iter().next()?, differences))
}
