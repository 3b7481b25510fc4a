//! Where the figures have to be.

use harness::{Bound, Goal, median_of_sorted};

use crate::outcome::Outcome;

/// The middle error of the forecast at four times the size, in percent.
const MOST_ERROR: f64 = 15.0;
/// The worst error of peak memory.
const MOST_PEAK_ERROR: f64 = 5.0;

pub(crate) fn goals(outcomes: &[Outcome]) -> Vec<Goal> {
    let goal = |what: &str, unit, bound, measured: Option<f64>| Goal {
        case: "all",
        what: what.to_owned(),
        unit,
        bound,
        measured: measured.ok_or_else(String::new),
    };
    let errors = |of: fn(&Outcome) -> f64| -> Vec<f64> {
        let mut errors: Vec<f64> = outcomes.iter().map(|outcome| 100.0 * of(outcome).abs()).collect();
        errors.sort_unstable_by(f64::total_cmp);
        errors
    };
    let middle =
        |of| Some(errors(of)).filter(|errors| !errors.is_empty()).map(|errors| median_of_sorted(&errors));
    let ours = middle(|outcome| outcome.error);
    let over = |other: Option<f64>| Some(ours? / other?);
    let count = |of: fn(&Outcome) -> usize| Some(outcomes.iter().map(of).sum::<usize>() as f64);
    let untold = |outcome: &Outcome| outcome.left.iter().filter(|tier| !outcome.told.contains(tier)).count();
    let wrongly = |outcome: &Outcome| outcome.told.iter().filter(|tier| !outcome.left.contains(tier)).count();
    let inside = outcomes.iter().filter(|outcome| outcome.is_inside).count() as f64;
    vec![
        goal("programs", "", Bound::AtLeast(12.0), Some(outcomes.len() as f64)),
        goal("error of the time at 4 x, median", "%", Bound::AtMost(MOST_ERROR), ours),
        goal("that over a power law's", "x", Bound::AtMost(1.0), over(middle(|outcome| outcome.power_law))),
        goal(
            "that over the normal form's",
            "x",
            Bound::AtMost(1.0),
            over(middle(|outcome| outcome.normal_form)),
        ),
        goal(
            "times inside their interval",
            "%",
            Bound::AtLeast(80.0),
            (!outcomes.is_empty()).then(|| 100.0 * inside / outcomes.len() as f64),
        ),
        goal("tiers left and not told", "", Bound::AtMost(0.0), count(untold)),
        goal("tiers told and not left", "", Bound::AtMost(0.0), count(wrongly)),
        goal(
            "error of peak memory at 4 x, worst",
            "%",
            Bound::AtMost(MOST_PEAK_ERROR),
            errors(|outcome| outcome.peak_error).last().copied(),
        ),
    ]
}
