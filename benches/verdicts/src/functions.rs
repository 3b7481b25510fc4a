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

struct Program {
    chance: Chance,
    costs: Vec<f64>,
    spread: f64,
}

impl Program {
    /// A few large functions and many small ones; every twentieth has a share of one percent.
    fn new(spread: f64, seed: u64) -> Self {
        let mut chance = Chance(seed);
        let costs: Vec<f64> = (0..N_FUNCTIONS).map(|_| chance.gauss().exp()).collect();
        let total: f64 = costs.iter().sum();
        let cost = |(at, cost): (usize, &f64)| if at % 20 == 0 { 0.01 } else { cost / total };
        Self { costs: costs.iter().enumerate().map(cost).collect(), chance, spread }
    }

    fn run(&mut self, machine: f64, changes: impl Fn(usize) -> f64) -> RunFigures {
        let (costs, chance, spread) = (&self.costs, &mut self.chance, self.spread);
        let functions = costs.iter().enumerate().map(|(at, cost)| FunctionFigures {
            function: FunctionName { name: at.to_string(), ..FunctionName::default() },
            value: 1e9 * cost * machine * changes(at) * (spread * chance.gauss()).exp(),
            calls: Some(1_000),
            ..FunctionFigures::default()
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
    for spread in [0.03, 0.05] {
        let mut table = Table::new([
            "share of the list that is there by chance",
            "+10 % at a share of 1 % found",
            "equal runs with any finding",
            "slow machine with any regression",
        ]);
        for (who, rule) in RULES {
            let (mut by_chance, mut n_found, mut n_any, mut n_slow) = (0.0, 0, 0, 0);
            for seed in 0..n as u64 {
                let mut program = Program::new(spread, seed);
                let sides = program.in_turns(|at| if at % 20 == 0 { 1.1 } else { 1.0 });
                let found = rule(&sides, true);
                let n_right = found.iter().filter(|at| **at % 20 == 0).count();
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
                percent(n_found, n * 10),
                percent(n_any, n),
                percent(n_slow, n),
            ];
            table.row(who, cells);
            if who == "Calor" && spread == 0.03 {
                let mut goal = |what: &str, bound: Bound, measured: f64| {
                    goals.push(Goal {
                        case: "functions",
                        what: what.to_owned(),
                        unit: "%",
                        bound,
                        measured: Ok(measured),
                    });
                };
                goal("functions in the list by chance", Bound::AtMost(5.0), share);
                goal(
                    "+10 % at a share of 1 % found in 10 runs",
                    Bound::AtLeast(90.0),
                    10.0 * n_found as f64 / n as f64,
                );
                let without = 100.0 * (n - n_slow) as f64 / n as f64;
                goal("slow machine without any regression", Bound::AtLeast(95.0), without);
            }
        }
        println!(
            "\n## functions: 200, ten runs a side in turns, each function off by {:.0} % a run\n\n{table}",
            spread * 100.0
        );
    }
    goals
}
