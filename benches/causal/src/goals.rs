//! Where the figures have to be.

use harness::{Bound, Goal, Results};

use crate::programs::Program;
use crate::{COST, FACTORS, who};

/// An experiment is so many points off the really changed program at most.
const MOST_POINTS: f64 = 5.0;
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
        let rows = program.scopes.iter().flat_map(|scope| FACTORS.map(|factor| who(scope, factor)));
        let mut furthest = rows.map(|who| points(results, program.name, who).map(f64::abs));
        goals.push(Goal {
            case: program.name,
            what: format!("{}: points off the really changed program, at most", program.name),
            unit: "",
            bound: Bound::AtMost(MOST_POINTS),
            measured: furthest
                .try_fold(0.0_f64, |most, points| Some(most.max(points?)))
                .ok_or_else(String::new),
        });
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
