//! Where the figures have to be.

use harness::{Bound, Goal, Results};

use crate::programs::Program;
use crate::{COST, FACTORS, who};

/// An experiment is so many points off the really changed program at most.
const MOST_POINTS: f64 = 5.0;
/// The critical path is so many percent off the wall at most.
const MOST_PATH: f64 = 1.0;
/// What a what-if predicts is so many percent off the time of the really changed program at most.
const MOST_PREDICTED: f64 = 10.0;
/// Beside its pauses it costs so many percent at most.
const MOST_COST: f64 = 20.0;

/// By how much the gain that was found differs from the real one.
pub(crate) fn points(results: &Results, program: &str, who: &str) -> Option<f64> {
    let median = |name| results.spread(program, who, name).map(|found| found.median);
    Some(median("tried")? - median("truth")?)
}

pub(crate) fn goals(results: &Results, chosen: &[&'static Program]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for program in chosen {
        let furthest = |of: &dyn Fn(&'static str) -> Option<f64>| {
            let mut rows = program.scopes.iter().flat_map(|scope| FACTORS.map(|factor| who(scope, factor)));
            rows.try_fold(0.0_f64, |most, who| Some(most.max(of(who)?))).ok_or_else(String::new)
        };
        let median = |name: &'static str| {
            move |who: &'static str| results.spread(program.name, who, name).map(|found| found.median)
        };
        let mut goal = |what: &str, unit, most, measured| {
            let what = format!("{}: {what}", program.name);
            goals.push(Goal { case: program.name, what, unit, bound: Bound::AtMost(most), measured });
        };
        let tried = |who| points(results, program.name, who).map(f64::abs);
        goal("points off the really changed program, at most", "", MOST_POINTS, furthest(&tried));
        goal(
            "what-if off the time of the changed program",
            "%",
            MOST_PREDICTED,
            furthest(&median("predicted")),
        );
        goal("critical path off the wall", "%", MOST_PATH, furthest(&median("path")));
    }
    for who in ["scopes", "waits"] {
        goals.push(Goal {
            case: COST,
            what: format!("cost of an experiment, {who}"),
            unit: "%",
            bound: Bound::AtMost(MOST_COST),
            measured: results.spread(COST, who, "cost").map(|found| found.median).ok_or_else(String::new),
        });
    }
    goals
}
