//! Two hundred functions: changed ones that are found, unchanged ones that are not, and a machine that is slow.

use calor_analysis::{
    DifferenceOptions, FunctionFigures, FunctionName, RunFigures, Verdict, difference, q_values,
};
use harness::{Bound, Goal, Table};

use crate::noise::Chance;
use crate::rules::{mean, welch_p};
use crate::{percent, trials};

const N_FUNCTIONS: usize = 200;
const N_RUNS: usize = 10;

/// What programs are like.
struct Kind {
    about: &'static str,
    /// By how much one function differs from run to run by itself.
    spread: f64,
    /// How many samples a run has, where that is how functions are known.
    n_samples: Option<f64>,
    /// The share of every twentieth function, and which of these change.
    share: f64,
    every: usize,
    /// How many times as long those take then.
    change: f64,
}

const KINDS: [Kind; 3] = [
    Kind {
        about: "each function off by 3 % a run",
        spread: 0.03,
        n_samples: None,
        share: 0.01,
        every: 20,
        change: 1.1,
    },
    Kind {
        about: "each function off by 5 % a run",
        spread: 0.05,
        n_samples: None,
        share: 0.01,
        every: 20,
        change: 1.1,
    },
    Kind {
        about: "known from 5,000 samples a run, most functions from fewer than 20",
        spread: 0.01,
        n_samples: Some(5_000.0),
        share: 0.05,
        every: 100,
        change: 1.3,
    },
];

struct Program<'k> {
    chance: Chance,
    costs: Vec<f64>,
    kind: &'k Kind,
}

impl<'k> Program<'k> {
    /// A few large functions and many small ones; every twentieth has the share of those that change.
    fn new(kind: &'k Kind, seed: u64) -> Self {
        let mut chance = Chance(seed);
        let costs: Vec<f64> = (0..N_FUNCTIONS).map(|_| chance.gauss().exp()).collect();
        let total: f64 = costs.iter().sum();
        let left = 1.0 - kind.share * (N_FUNCTIONS / 20) as f64;
        let cost = |(at, cost): (usize, &f64)| if at % 20 == 0 { kind.share } else { left * cost / total };
        Self { costs: costs.iter().enumerate().map(cost).collect(), chance, kind }
    }

    fn run(&mut self, machine: f64, changes: impl Fn(usize) -> f64) -> RunFigures {
        let (costs, chance, kind) = (&self.costs, &mut self.chance, self.kind);
        let functions = costs.iter().enumerate().map(|(at, cost)| {
            let took = cost * machine * changes(at) * (kind.spread * chance.gauss()).exp();
            let samples = kind.n_samples.map(|all| {
                let expected = all * took;
                (expected + expected.sqrt() * chance.gauss()).round().max(1.0)
            });
            let took = samples.zip(kind.n_samples).map_or(took, |(n, all)| n / all);
            FunctionFigures {
                function: FunctionName { name: at.to_string(), ..FunctionName::default() },
                value: 1e9 * took,
                calls: kind.n_samples.is_none().then_some(1_000),
                samples: samples.map(|n| n as u64),
                ..FunctionFigures::default()
            }
        });
        let run = RunFigures::new(functions.collect());
        RunFigures { canary_nanos: Some(5e6 * machine * (0.02 * self.chance.gauss()).exp()), ..run }
    }

    /// Runs of both sides in turns, on a machine that wanders.
    fn in_turns(&mut self, changes: impl Fn(usize) -> f64) -> [Vec<RunFigures>; 2] {
        let mut log = 0.0;
        let mut sides = [Vec::new(), Vec::new()];
        for turn in 0..2 * N_RUNS {
            log = 0.7 * log + 0.1 * self.chance.gauss();
            let is_after = turn % 2 == 1;
            sides[turn % 2].push(self.run(f64::exp(log), |at| if is_after { changes(at) } else { 1.0 }));
        }
        sides
    }
}

/// A rule: which functions it calls regressed, given runs of both sides and whether they took turns.
type Rule = (&'static str, fn(&[Vec<RunFigures>; 2], bool) -> Vec<usize>);

const RULES: [Rule; 4] = [
    ("Calor", calor),
    ("Welch at 5 %", |sides, _| {
        p_values(sides).iter().enumerate().filter(|(_, p)| **p < 0.05).map(|(at, _)| at).collect()
    }),
    ("Welch, cut off at 5 % by chance", |sides, _| {
        q_values(&p_values(sides)).iter().enumerate().filter(|(_, q)| **q < 0.05).map(|(at, _)| at).collect()
    }),
    ("means differ by 10 %", |sides, _| {
        (0..N_FUNCTIONS)
            .filter(|at| (mean(&values(&sides[1], *at)) / mean(&values(&sides[0], *at)) - 1.0).abs() >= 0.1)
            .collect()
    }),
];

fn values(runs: &[RunFigures], at: usize) -> Vec<f64> {
    runs.iter().map(|run| run.functions[at].value).collect()
}

fn p_values(sides: &[Vec<RunFigures>; 2]) -> Vec<f64> {
    (0..N_FUNCTIONS).map(|at| welch_p(&values(&sides[0], at), &values(&sides[1], at))).collect()
}

fn calor(sides: &[Vec<RunFigures>; 2], is_interleaved: bool) -> Vec<usize> {
    let options = DifferenceOptions { is_interleaved, ..DifferenceOptions::default() };
    let Ok(found) = difference(&sides[0], &sides[1], &options) else { return Vec::new() };
    let changed = found.functions.iter().filter(|function| function.verdict == Verdict::Regressed);
    changed.filter_map(|function| function.function.name.parse().ok()).collect()
}

pub(crate) fn run(part: f64) -> Vec<Goal> {
    let n = trials(200, part);
    let mut goals = Vec::new();
    for kind in &KINDS {
        let planted =
            format!("+{:.0} % at a share of {:.0} %", 100.0 * (kind.change - 1.0), 100.0 * kind.share);
        let found = format!("{planted} found");
        let n_planted = n * N_FUNCTIONS / kind.every;
        let mut table = Table::new([
            "share of the list that is there by chance",
            &found,
            "equal runs with any finding",
            "slow machine with any regression",
        ]);
        for (who, rule) in RULES {
            let (mut by_chance, mut n_found, mut n_any, mut n_slow) = (0.0, 0, 0, 0);
            for seed in 0..n as u64 {
                let mut program = Program::new(kind, seed);
                let sides = program.in_turns(|at| if at % kind.every == 0 { kind.change } else { 1.0 });
                let found = rule(&sides, true);
                let n_right = found.iter().filter(|at| **at % kind.every == 0).count();
                n_found += n_right;
                by_chance += (found.len() - n_right) as f64 / found.len().max(1) as f64;
                n_any += usize::from(!rule(&program.in_turns(|_| 1.0), true).is_empty());
                // What waits for memory is slowed more than what counts.
                let slowed: Vec<f64> = (0..N_FUNCTIONS).map(|_| 1.0 + 0.2 * program.chance.unit()).collect();
                let before = (0..N_RUNS).map(|_| program.run(1.0, |_| 1.0)).collect();
                let after = (0..N_RUNS).map(|_| program.run(1.1, |at| slowed[at])).collect();
                n_slow += usize::from(!rule(&[before, after], false).is_empty());
            }
            let share = 100.0 * by_chance / n as f64;
            let cells = [
                Some(format!("{share:.1} %")),
                percent(n_found, n_planted),
                percent(n_any, n),
                percent(n_slow, n),
            ];
            table.row(who, cells);
            if who == "Calor" && kind.spread < 0.05 {
                let sampled = if kind.n_samples.is_some() { "sampled: " } else { "" };
                let mut goal = |what: &str, bound: Bound, measured: f64| {
                    goals.push(Goal {
                        case: "functions",
                        what: format!("{sampled}{what}"),
                        unit: "%",
                        bound,
                        measured: Ok(measured),
                    });
                };
                goal("functions in the list by chance", Bound::AtMost(5.0), share);
                goal(
                    &format!("{found} in 10 runs"),
                    Bound::AtLeast(90.0),
                    100.0 * n_found as f64 / n_planted as f64,
                );
                let without = 100.0 * (n - n_slow) as f64 / n as f64;
                goal("slow machine without any regression", Bound::AtLeast(95.0), without);
            }
        }
        println!("\n## functions: 200, ten runs a side in turns, {}\n\n{table}", kind.about);
    }
    goals
}
