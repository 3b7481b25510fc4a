//! Where the scores have to be.

use calor_workloads::planted::Score;
use harness::{Bound, Goal, median_of_sorted};

use crate::gains::Held;

pub(crate) fn goals(score: &Score, held: &[&Held]) -> Vec<Goal> {
    let goal = |what: &str, unit, bound, measured: Option<f64>| Goal {
        case: "suite",
        what: what.to_owned(),
        unit,
        bound,
        measured: measured.ok_or_else(String::new),
    };
    let n_inside = held.iter().filter(|held| held.is_inside()).count();
    let inside = (!held.is_empty()).then(|| n_inside as f64 / held.len() as f64);
    let mut widths: Vec<f64> = held.iter().map(|held| held.width()).collect();
    widths.sort_unstable_by(f64::total_cmp);
    vec![
        goal("precision", "", Bound::AtLeast(0.9), Some(score.precision())),
        goal("recall", "", Bound::AtLeast(0.9), Some(score.recall())),
        goal("bottlenecks that are told first", "", Bound::AtLeast(0.8), Some(score.first())),
        goal("false findings on a healthy program", "", Bound::AtMost(0.2), Some(score.false_findings())),
        goal("gains that hold", "", Bound::AtLeast(0.8), inside),
        goal(
            "upper against lower bound of a gain, median",
            "x",
            Bound::AtMost(4.0),
            (!widths.is_empty()).then(|| median_of_sorted(&widths)),
        ),
    ]
}
