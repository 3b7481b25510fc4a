//! Where the figures have to be.

use harness::{Bound, Goal, Results};

use crate::condition::CONDITIONS;
use crate::figure::FIGURES;
use crate::{WHO, spread};

/// Ten measurements differ by at most so many percent.
const MOST_SPREAD: f64 = 5.0;
/// A measurement takes about half a second.
const MOST_MILLIS: f64 = 600.0;
/// What all cores do at once can be measured only while they are free, and has no goal beside other work.
const OF_ONE_CORE: [&str; 8] = ["f32", "f32_scalar", "f32_sse", "f64", "l1", "l2", "l3", "dram"];

pub(crate) fn goals(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    for condition in CONDITIONS.iter().filter(|condition| condition.has_goals) {
        for figure in FIGURES.iter().filter(|figure| OF_ONE_CORE.contains(&figure.name)) {
            let found = results.spread(condition.name, WHO, figure.name);
            goals.push(Goal {
                case: condition.name,
                what: format!("{}, {}: spread", condition.name, figure.title),
                unit: "%",
                bound: Bound::AtMost(MOST_SPREAD),
                measured: found.map(|found| 100.0 * spread(&found)).ok_or_else(String::new),
            });
        }
        goals.push(Goal {
            case: condition.name,
            what: format!("{}: time of a measurement, median", condition.name),
            unit: "ms",
            bound: Bound::AtMost(MOST_MILLIS),
            measured: results
                .spread(condition.name, WHO, "took")
                .map(|took| took.median)
                .ok_or_else(String::new),
        });
    }
    goals
}
