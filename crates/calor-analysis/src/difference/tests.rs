//! Comparisons of made-up programs whose functions are known, and what comes of them. The benchmark prints the rates of more.

mod parts;

use super::*;
use crate::chance::Chance;
use crate::noise::{gauss, unit};
use crate::verdict::{Metric, Verdict};

/// Programs whose functions are known.
struct Program {
    chance: Chance,
    /// What each function takes when nothing disturbs it.
    costs: Vec<f64>,
    /// By how much one function differs from run to run by itself.
    spread: f64,
}

impl Program {
    /// So many functions, a few large and most small, together 1.
    fn new(n: usize, spread: f64, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let costs: Vec<f64> = (0..n).map(|_| gauss(&mut chance).exp()).collect();
        let total: f64 = costs.iter().sum();
        Self { costs: costs.iter().map(|cost| cost / total).collect(), chance, spread }
    }

    /// A run on a machine that is slower by a factor now, of functions that take so many times what they took.
    fn run(&mut self, machine: f64, changes: impl Fn(usize) -> f64) -> RunFigures {
        let (costs, spread, chance) = (&self.costs, self.spread, &mut self.chance);
        let functions = costs.iter().enumerate().map(|(at, cost)| FunctionFigures {
            function: FunctionName { name: format!("f{at}"), ..FunctionName::default() },
            value: 1e9 * cost * machine * changes(at) * (spread * gauss(chance)).exp(),
            calls: Some(1_000),
            ..FunctionFigures::default()
        });
        let run = RunFigures::new(functions.collect());
        RunFigures { canary_nanos: Some(5e6 * machine * (0.02 * gauss(&mut self.chance)).exp()), ..run }
    }

    /// Runs of both sides in turns, on a machine that wanders.
    fn in_turns(&mut self, n: usize, changes: impl Fn(usize) -> f64) -> [Vec<RunFigures>; 2] {
        let mut log = 0.0;
        let mut sides = [Vec::new(), Vec::new()];
        for turn in 0..2 * n {
            log = 0.7 * log + 0.1 * gauss(&mut self.chance);
            let is_after = turn % 2 == 1;
            let run = self.run(f64::exp(log), |at| if is_after { changes(at) } else { 1.0 });
            sides[usize::from(is_after)].push(run);
        }
        sides
    }
}

const IN_TURNS: DifferenceOptions = DifferenceOptions {
    metric: Metric::Cpu,
    is_interleaved: true,
    given: Given::Runs,
    margin: 0.02,
    q: 0.05,
};

fn changed(found: &Difference) -> Vec<usize> {
    let list = found.functions.iter().filter(|function| function.verdict.is_change());
    list.map(|function| function.function.name[1..].parse().unwrap()).collect()
}

#[test]
fn of_two_hundred_functions_those_that_changed_are_found_and_few_others() {
    let (mut n_right, mut n_wrong, mut n_wanted) = (0, 0, 0);
    for seed in 0..15 {
        let mut program = Program::new(200, 0.03, seed);
        (0..200).step_by(20).for_each(|at| program.costs[at] = 0.01);
        let [before, after] = program.in_turns(10, |at| if at % 20 == 0 { 1.1 } else { 1.0 });
        let found = difference(&before, &after, &IN_TURNS).unwrap();
        let n_changed = changed(&found).iter().filter(|at| **at % 20 == 0).count();
        n_right += n_changed;
        n_wrong += changed(&found).len() - n_changed;
        n_wanted += 10;
        let sum: f64 = found.functions.iter().map(|function| function.contribution).sum();
        assert!((sum - (found.after / found.before - 1.0)).abs() < 1e-9);
    }
    assert!(n_right * 100 >= n_wanted * 97, "{n_right} of {n_wanted}");
    // 5 % of a list of 150 are 8; three standard deviations more are 16.
    assert!(n_wrong <= 16, "{n_wrong}");
}

#[test]
fn a_slow_machine_is_no_change_of_any_function() {
    for n in [200, 12] {
        let mut n_wrong = 0;
        for seed in 0..20 {
            let mut program = Program::new(n, 0.03, seed);
            let mut chance = Chance::new(1_000 + seed);
            // What is slowed waits for memory more or less.
            let slowed: Vec<f64> = (0..n).map(|_| 1.1 + 0.25 * unit(&mut chance)).collect();
            let before: Vec<_> = (0..10).map(|_| program.run(1.0, |_| 1.0)).collect();
            let after: Vec<_> = (0..10).map(|_| program.run(1.1, |at| slowed[at] / 1.1)).collect();
            let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
            assert_eq!(found.common.cause, CommonCause::Machine);
            assert!((0.12..0.35).contains(&found.common.change.effect), "{found}");
            n_wrong += usize::from(found.functions.iter().any(|row| row.verdict == Verdict::Regressed));
        }
        assert!(n_wrong <= 3, "{n_wrong} of 20 with {n} functions");
    }
}

#[test]
fn a_slow_machine_is_told_from_single_runs_only_beyond_what_its_canary_differs_by_itself() {
    let mut program = Program::new(100, 0.02, 6);
    let mut before = [program.run(1.0, |_| 1.0)];
    let mut after = [program.run(1.3, |_| 1.0)];
    let mut cause = |before_nanos: f64, after_nanos: f64, spread: f64| {
        (before[0].canary_nanos, before[0].canary_spread) = (Some(before_nanos), Some(0.01));
        (after[0].canary_nanos, after[0].canary_spread) = (Some(after_nanos), Some(spread));
        let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
        assert!(found.functions.iter().all(|function| function.suspected != Some(Verdict::Regressed)));
        found.common.cause
    };
    assert_eq!(cause(1e6, 1.25e6, 0.01), CommonCause::Machine);
    assert_eq!(cause(1e6, 1.25e6, 0.2), CommonCause::Build);
    assert_eq!(cause(1e6, 1.02e6, 0.01), CommonCause::Build);
}

#[test]
fn a_slow_machine_is_no_change_of_a_program_with_few_functions_either() {
    let mut program = Program::new(2, 0.01, 7);
    let before: Vec<_> = (0..6).map(|_| program.run(1.0, |_| 1.0)).collect();
    let mut after: Vec<_> = (0..6).map(|_| program.run(1.2, |_| 1.0)).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!((found.verdict, found.suspected), (Verdict::Undecided, Some(Verdict::Regressed)));
    assert!(found.common.canary.is_some_and(|canary| (canary.effect - 0.2).abs() < 0.05), "{found}");
    after.iter_mut().zip(&before).for_each(|(after, before)| after.canary_nanos = before.canary_nanos);
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Regressed);
}

#[test]
fn a_change_that_is_far_beyond_what_the_machine_did_stands() {
    let mut program = Program::new(2, 0.01, 8);
    let before: Vec<_> = (0..6).map(|_| program.run(1.0, |_| 1.0)).collect();
    let after: Vec<_> = (0..6).map(|_| program.run(1.2, |_| 3.0)).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Regressed, "{found}");
    // Of many functions it is known that only one moved, whatever the fixed piece of code did.
    let mut program = Program::new(20, 0.01, 9);
    let before: Vec<_> = (0..6).map(|_| program.run(1.0, |_| 1.0)).collect();
    let mut after: Vec<_> = (0..6).map(|_| program.run(1.0, |at| if at == 0 { 9.0 } else { 1.0 })).collect();
    after.iter_mut().for_each(|run| run.canary_nanos = run.canary_nanos.map(|nanos| nanos * 1.4));
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Regressed, "{found}");
}

#[test]
fn of_few_functions_one_that_changed_is_not_spread_over_the_others() {
    for (n, is_interleaved) in [(6, false), (6, true), (12, false)] {
        let mut program = Program::new(n, 0.01, 3);
        program.costs.iter_mut().for_each(|cost| *cost = 0.1);
        program.costs[0] = 0.7;
        let before: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.0)).collect();
        let after: Vec<_> = (0..8).map(|_| program.run(1.0, |at| if at == 0 { 1.3 } else { 1.0 })).collect();
        let options = DifferenceOptions { is_interleaved, ..DifferenceOptions::default() };
        let found = difference(&before, &after, &options).unwrap();
        assert_eq!((found.common.cause, changed(&found)), (CommonCause::Nothing, vec![0]), "{found}");
        assert!((found.functions[0].change.unwrap().effect - 0.3).abs() < 0.02, "{found}");
    }
    // Half of twelve are no move of all of them, by however much their median lies between.
    let mut program = Program::new(12, 0.01, 3);
    program.costs.iter_mut().for_each(|cost| *cost = 0.1);
    let before: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.0)).collect();
    let after: Vec<_> = (0..8).map(|_| program.run(1.0, |at| if at < 7 { 1.3 } else { 1.0 })).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!((found.common.cause, changed(&found).len()), (CommonCause::Nothing, 7), "{found}");
}

#[test]
fn what_functions_do_not_agree_on_is_exactly_nothing_and_left_in_them() {
    let (mut n_nothing, mut n_wrong) = (0, 0);
    for seed in 0..40 {
        let is_interleaved = seed % 2 == 0;
        let mut program = Program::new(12, 0.05, seed);
        program.costs.iter_mut().for_each(|cost| *cost = 0.1);
        let [before, after] = [0, 1].map(|_| (0..8).map(|_| program.run(1.0, |_| 1.0)).collect::<Vec<_>>());
        let options = DifferenceOptions { is_interleaved, ..DifferenceOptions::default() };
        let found = difference(&before, &after, &options).unwrap();
        n_wrong += usize::from(!changed(&found).is_empty());
        if found.common.change.interval == [0.0; 2] {
            n_nothing += 1;
            assert_eq!(found.waterfall(20).common, None);
            // The functions have the change that their figures have.
            for function in &found.functions {
                let plain = function.after / function.before - 1.0;
                assert!((function.change.unwrap().effect - plain).abs() < 0.03, "{}", function.function.name);
            }
        }
    }
    // 95 in 100, and 5.
    assert!(n_nothing >= 34 && n_wrong <= 5, "{n_nothing} of 40, {n_wrong} with a finding");
}

#[test]
fn what_all_functions_moved_by_is_taken_out_of_them_even_if_runs_differ_by_as_much() {
    let (mut n_moved, mut n_wrong) = (0, 0);
    for seed in 0..20 {
        let mut program = Program::new(100, 0.02, seed);
        program.costs[0] = 0.1;
        let [before, after] = program.in_turns(6, |at| if at == 0 { 1.5 } else { 1.0 });
        let found = difference(&before, &after, &IN_TURNS).unwrap();
        assert!(changed(&found).contains(&0), "{found}");
        n_wrong += changed(&found).len() - 1;
        let moved = found.common.change.effect;
        n_moved += usize::from(found.common.change.holds_none() && moved.abs() > 0.02);
        let waterfall = found.waterfall(10);
        assert_eq!(found.functions[waterfall.steps[0].function_idx].function.name, "f0");
        assert_eq!(waterfall.common.is_some(), moved.abs() >= found.margin);
        let steps: f64 = waterfall.steps.iter().map(|step| step.delta).sum();
        let sum = waterfall.before + waterfall.common.unwrap_or(0.0) + steps + waterfall.rest;
        assert!((sum - waterfall.after).abs() < 1e-3);
    }
    assert!(n_moved >= 5 && n_wrong <= 3, "{n_moved} of 20, {n_wrong} by chance");
}

#[test]
fn what_three_in_five_functions_moved_by_is_theirs_however_noisy_the_others_are() {
    let (mut n_taken_out, mut n_wrong) = (0, 0);
    for seed in 0..20 {
        let mut program = Program::new(100, 0.05, 900 + seed);
        program.costs.fill(0.01);
        let before: Vec<_> = (0..10).map(|_| program.run(1.0, |_| 1.0)).collect();
        let after: Vec<_> =
            (0..10).map(|_| program.run(1.0, |at| if at < 60 { 1.08 } else { 1.0 })).collect();
        let found = difference(&before, &after, &IN_TURNS).unwrap();
        n_taken_out += usize::from(found.common.change.effect != 0.0);
        n_wrong += changed(&found).iter().filter(|at| **at >= 60).count();
    }
    assert!(n_taken_out <= 6, "{n_taken_out} of 20");
    assert!(n_wrong <= 20, "{n_wrong} of 800 that did not change");
}

#[test]
fn what_the_machine_explains_of_few_functions_is_only_suspected() {
    let mut program = Program::new(4, 0.01, 5);
    let before: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.0)).collect();
    let after: Vec<_> = (0..8).map(|_| program.run(1.2, |at| if at == 0 { 2.0 } else { 1.0 })).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(changed(&found), [0], "twice as much is beyond the machine");
    let suspected = found.functions.iter().filter(|row| row.suspected == Some(Verdict::Regressed));
    assert_eq!(suspected.count(), 3);
}

#[test]
fn nothing_changed_against_the_way_that_it_moved() {
    let mut program = Program::new(40, 0.01, 6);
    program.costs.iter_mut().for_each(|cost| *cost = 0.025);
    let before: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.0)).collect();
    // What does not wait for memory is slowed by less.
    let slowed = |at: usize| if at == 0 { 1.03 / 1.15 } else { 1.0 };
    let after: Vec<_> = (0..8).map(|_| program.run(1.15, slowed)).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!((found.common.cause, changed(&found)), (CommonCause::Machine, vec![]), "{found}");
    let first = found.functions.iter().find(|row| row.function.name == "f0").unwrap();
    assert_eq!(first.suspected, Some(Verdict::Improved));
    let after: Vec<_> = (0..8).map(|_| program.run(1.15, |at| slowed(at).powi(3))).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(changed(&found), [0], "it is faster than it was");
}

#[test]
fn equal_sides_are_the_same() {
    let mut n_same = 0;
    for seed in 0..10 {
        let mut program = Program::new(50, 0.02, seed);
        let sides = [0, 1].map(|_| (0..10).map(|_| program.run(1.0, |_| 1.0)).collect::<Vec<_>>());
        let found = difference(&sides[0], &sides[1], &DifferenceOptions::default()).unwrap();
        assert!(!found.verdict.is_change());
        n_same += usize::from(found.verdict == Verdict::Same);
    }
    assert!(n_same >= 9, "{n_same} of 10");
}

#[test]
fn a_build_that_slows_everything_is_not_taken_for_the_machine() {
    let mut program = Program::new(100, 0.02, 3);
    let before: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.0)).collect();
    let mut after: Vec<_> = (0..8).map(|_| program.run(1.0, |_| 1.2)).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!((found.common.cause, found.verdict), (CommonCause::Build, Verdict::Regressed));
    assert!(found.to_string().contains("the build moved everything by"), "{found}");
    after[0].canary_nanos = None;
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(found.common.cause, CommonCause::Unknown);
    assert_eq!((found.verdict, found.suspected), (Verdict::Undecided, Some(Verdict::Regressed)));
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    assert_eq!((found.common.cause, found.verdict), (CommonCause::Build, Verdict::Regressed));
}

const BESIDE: [&str; 6] = ["parse", "output", "readfile", "split", "check", "sort"];

/// A chain of callers above one leaf, and functions beside it, all with what they call.
fn chain(chance: &mut Chance, machine: f64, inner: f64) -> RunFigures {
    const CHAIN: [&str; 6] = ["main", "run", "step", "solve", "kernel", "inner"];
    let mut figures = |name: &str, value: f64| FunctionFigures {
        function: FunctionName { name: name.to_owned(), ..FunctionName::default() },
        value: 1e6 * value * machine * (0.01 * gauss(chance)).exp(),
        ..FunctionFigures::default()
    };
    let mut own: Vec<FunctionFigures> = CHAIN[..5].iter().map(|name| figures(name, 2.0)).collect();
    own.push(figures("inner", 80.0 * inner));
    let beside = BESIDE.map(|name| figures(name, 2.0));
    own.extend(beside);
    let mut whole = own.clone();
    for at in (0..5).rev() {
        whole[at].value += whole[at + 1].value;
    }
    whole[0].value += own[6..].iter().map(|row| row.value).sum::<f64>();
    let canary_nanos = Some(5e6 * machine * (0.01 * gauss(chance)).exp());
    RunFigures { own: Some(own), canary_nanos, ..RunFigures::new(whole) }
}

#[test]
fn a_slow_leaf_moves_its_callers_with_it_and_what_it_is_not_called_by_stays() {
    for (machine, cause) in [(1.0, CommonCause::Nothing), (1.3, CommonCause::Machine)] {
        let mut chance = Chance::new(4);
        let before: Vec<_> = (0..10).map(|_| chain(&mut chance, 1.0, 1.0)).collect();
        let after: Vec<_> = (0..10).map(|_| chain(&mut chance, machine, 1.25)).collect();
        let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
        assert_eq!(found.common.cause, cause);
        for function in &found.functions {
            let name = &*function.function.name;
            let is_beside = BESIDE.contains(&name);
            let effect = function.change.unwrap().effect;
            match is_beside {
                true => assert!(!function.verdict.is_change() && effect.abs() < 0.02, "{name}: {effect}"),
                false => {
                    assert_eq!(function.verdict, Verdict::Regressed, "{name}: {effect}");
                    assert!((0.15..0.3).contains(&effect), "{name}: {effect}");
                }
            }
        }
    }
}

#[test]
fn one_run_a_side_is_at_most_suspected() {
    let mut program = Program::new(100, 0.02, 8);
    program.costs[0] = 0.2;
    let before = [program.run(1.0, |_| 1.0)];
    let after = [program.run(1.0, |at| if at == 0 { 1.5 } else { 1.0 })];
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(
        (found.verdict, found.suspected, found.change),
        (Verdict::Undecided, Some(Verdict::Regressed), None)
    );
    let first = &found.functions[0];
    assert_eq!((&*first.function.name, first.verdict), ("f0", Verdict::Undecided));
    assert_eq!(first.suspected, Some(Verdict::Regressed));
    assert!(
        found.functions.iter().filter(|function| function.suspected == Some(Verdict::Regressed)).count() < 4
    );
    assert!(found.to_string().starts_with("suspected to be "), "{found}");
    let several: Vec<_> = (0..5).map(|_| program.run(1.0, |at| if at == 0 { 1.5 } else { 1.0 })).collect();
    let one_sided = difference(&before, &several, &DifferenceOptions::default()).unwrap();
    assert_eq!(
        (one_sided.verdict, one_sided.suspected, changed(&one_sided).len()),
        (Verdict::Undecided, Some(Verdict::Regressed), 0)
    );
    assert!(found.to_string().ends_with("about 10 runs a side would tell"), "{found}");
    let waterfall = found.waterfall(5);
    assert_eq!(waterfall.steps[0].function_idx, 0);
    let steps: f64 = waterfall.steps.iter().map(|step| step.delta).sum();
    let common = waterfall.common.unwrap_or(0.0);
    assert!((waterfall.before + common + steps + waterfall.rest - waterfall.after).abs() < 1e-3);
    assert_eq!(waterfall.steps.len() + waterfall.n_rest, found.functions.len());
}

#[test]
fn a_change_is_split_into_calls_and_what_one_takes() {
    let mut program = Program::new(30, 0.01, 5);
    let [before, mut after] = program.in_turns(10, |at| if at == 7 { 1.32 } else { 1.0 });
    for run in &mut after {
        run.functions[7].calls = Some(1_100);
    }
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    let function = found.functions.iter().find(|function| function.function.name == "f7").unwrap();
    assert_eq!(function.verdict, Verdict::Regressed);
    let [calls, per_call] = [function.calls_effect, function.per_call_effect].map(Option::unwrap);
    assert!((calls - 0.1).abs() < 1e-9 && (per_call - 0.2).abs() < 0.03, "{calls} {per_call}");
    assert!(((1.0 + calls) * (1.0 + per_call) - 1.0 - function.change.unwrap().effect).abs() < 1e-9);
    // Where all do half as much again, that is no change of one call.
    for figures in after.iter_mut().flat_map(|run| &mut run.functions) {
        (figures.value, figures.calls) = (figures.value * 1.5, Some(1_500));
    }
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    assert!(found.functions.iter().filter(|row| row.per_call_effect.unwrap().abs() < 0.08).count() >= 28);
}

#[test]
fn what_is_new_and_what_vanished_count_in_the_waterfall() {
    let mut program = Program::new(20, 0.01, 2);
    let [before, mut after] = program.in_turns(4, |_| 1.0);
    for run in &mut after {
        run.functions.swap_remove(3);
        let mut new = run.functions[0].clone();
        new.function.name = "g".to_owned();
        run.functions.push(new);
    }
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    let presence =
        |name: &str| &found.functions.iter().find(|row| row.function.name == name).unwrap().presence;
    assert_eq!(
        (presence("f3"), presence("g"), presence("f1")),
        (&Presence::Vanished, &Presence::New, &Presence::Both)
    );
    assert_eq!(found.waterfall(10).steps.len(), 2);
    // A sample or two of something are no step.
    for run in &mut after {
        run.functions.last_mut().unwrap().value = 1e5;
    }
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    let steps = found.waterfall(10).steps;
    let names: Vec<&str> =
        steps.iter().map(|step| &*found.functions[step.function_idx].function.name).collect();
    assert_eq!(names, ["f3"], "{found}");
}

#[test]
fn a_caller_that_takes_time_of_its_own_now_is_not_new_and_a_large_step_is_told_whatever_is_known_of_it() {
    let mut program = Program::new(20, 0.01, 2);
    let [mut before, mut after] = program.in_turns(4, |_| 1.0);
    let named = |name: &str, module: &str| FunctionName {
        name: name.to_owned(),
        module: Some(module.to_owned()),
        ..FunctionName::default()
    };
    let took = |function: FunctionName, value: f64| FunctionFigures {
        function,
        value,
        ..FunctionFigures::default()
    };
    for run in &mut before {
        run.callers = vec![named("caller", "app"), named("moved", "old")];
        run.functions.push(took(named("former", "app"), 1e8));
    }
    for run in &mut after {
        run.callers = vec![named("former", "app")];
        run.functions.push(took(named("caller", "app"), 2e8));
        run.functions.push(took(named("moved", "new"), 1e7));
    }
    // In one of four runs: nobody can judge that.
    after[0].functions.push(took(named("rare", "app"), 3e8));
    let found = difference(&before, &after, &IN_TURNS).unwrap();
    let presence =
        |name: &str| &found.functions.iter().find(|row| row.function.name == name).unwrap().presence;
    assert_eq!((presence("caller"), presence("former")), (&Presence::Both, &Presence::Both));
    assert_eq!(presence("moved"), &Presence::RenamedFrom(named("moved", "old")));
    assert_eq!(presence("rare"), &Presence::New);
    let steps = found.waterfall(10).steps;
    let names: Vec<&str> =
        steps.iter().map(|step| &*found.functions[step.function_idx].function.name).collect();
    assert_eq!(names[..4], ["caller", "former", "rare", "moved"], "{found}");
}

#[test]
fn nobody_is_advised_to_make_fewer_runs_than_there_are_or_more_of_the_same() {
    let mut program = Program::new(20, 0.08, 2);
    let before: Vec<_> = (0..4).map(|_| program.run(1.0, |_| 1.0)).collect();
    let after: Vec<_> = (0..40).map(|_| program.run(1.0, |_| 1.0)).collect();
    let found = difference(&before, &after, &DifferenceOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Undecided);
    assert!(found.needs_runs > Some(40), "{found}");
    let same = difference(&before[..1], &before[..1], &DifferenceOptions::default()).unwrap();
    assert_eq!((same.verdict, same.needs_runs), (Verdict::Undecided, None));
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_reason() {
    let run = |names: &[&str], value: f64| {
        let row = |name: &&str| FunctionFigures {
            function: FunctionName { name: (*name).to_owned(), ..FunctionName::default() },
            value,
            ..FunctionFigures::default()
        };
        RunFigures::new(names.iter().map(row).collect())
    };
    let error = |before: &[RunFigures], after: &[RunFigures]| {
        difference(before, after, &DifferenceOptions::default()).unwrap_err().to_string()
    };
    let good = [run(&["a", "b"], 1.0)];
    assert!(error(&[], &good).contains("at least one run before"));
    assert!(error(&good, &[run(&["a"], 1.0), run(&["a"], 0.0)]).contains("in run 2 after"));
    assert!(error(&good, &[run(&["a"], f64::NAN)]).contains("in run 1 after"));
    assert!(error(&good, &[run(&["x"], 1.0)]).contains("two programs"));
}
