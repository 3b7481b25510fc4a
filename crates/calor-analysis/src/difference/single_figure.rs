//! Figures of whole runs that are no sums over functions: how long a run took, the peak of its heap, the time that a kernel
//! takes for a unit of its work. Each is judged by itself, by the rule of the total.

use super::common_factor::CommonFactor;
use super::judgement::{nearest, total_verdict};
use super::outcome::DifferenceOptions;
use super::shift::Shift;
use crate::discovery::q_values;
use crate::verdict::{Change, Verdict};

/// A figure of the runs before and of those after.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FigureDifference {
    /// By how much it changed; `None` where a side has a single run.
    pub change: Option<Change>,
    /// What that comes to.
    pub verdict: Verdict,
    /// What it seems to be, where there are too few runs to decide, or where it may be the machine.
    pub suspected: Option<Verdict>,
}

/// Compares figures of runs, each given for the runs before and for those after. Of a list of them no more than the usual part
/// is called changed by chance. `machine` has what moved everything, where the figures are times and the machine may be in them.
/// `None` for a figure that is nothing in some run: it has no ratio.
#[must_use]
pub fn figure_differences(
    figures: &[[Vec<f64>; 2]],
    machine: Option<&CommonFactor>,
    options: &DifferenceOptions,
) -> Vec<Option<FigureDifference>> {
    let shifts: Vec<Option<Shift>> = figures.iter().map(|sides| shift(sides, options)).collect();
    let p_values: Vec<f64> = shifts.iter().flatten().filter_map(Shift::p_value).collect();
    let mut q_values = q_values(&p_values).into_iter();
    let judged = figures.iter().zip(shifts).map(|(sides, shift)| {
        let shift = shift?;
        let is_chance = shift.p_value().and_then(|_| q_values.next()).is_some_and(|q| q > options.q);
        let is_interleaved = options.is_interleaved && sides[0].len() == sides[1].len();
        let change = shift.change(0.05);
        let verdict = match total_verdict(&shift, options.margin, is_interleaved) {
            verdict if verdict.is_change() && is_chance => Verdict::Undecided,
            verdict => verdict,
        };
        let is_single = sides.iter().any(|side| side.len() == 1);
        let may_be_machine = !is_interleaved && verdict.is_change();
        let is_machine =
            may_be_machine && machine.is_some_and(|machine| machine.explains(nearest(shift.centre, change)));
        Some(match is_single || is_machine {
            true => FigureDifference {
                change,
                verdict: Verdict::Undecided,
                suspected: Some(verdict).filter(|verdict| *verdict != Verdict::Undecided),
            },
            false => FigureDifference { change, verdict, suspected: None },
        })
    });
    judged.collect()
}

fn shift(sides: &[Vec<f64>; 2], options: &DifferenceOptions) -> Option<Shift> {
    let is_figure = |value: &f64| *value > 0.0 && value.is_finite();
    let are_figures = sides.iter().all(|side| !side.is_empty() && side.iter().all(is_figure));
    let logs = |side: &Vec<f64>| side.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    are_figures.then(|| Shift::of(&logs(&sides[0]), &logs(&sides[1]), options.is_interleaved))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(before: &[f64], after: &[f64], is_interleaved: bool) -> Option<FigureDifference> {
        let options = DifferenceOptions { is_interleaved, ..DifferenceOptions::default() };
        figure_differences(&[[before.to_vec(), after.to_vec()]], None, &options)[0]
    }

    #[test]
    fn figures_of_several_runs_have_a_verdict_and_those_of_one_are_suspected() {
        let steady = [100.0, 101.0, 99.5, 100.5, 100.2];
        let verdict = |factor: f64| {
            let after: Vec<f64> = steady.iter().map(|value| value * factor).collect();
            judged(&steady, &after, false).unwrap().verdict
        };
        assert_eq!([1.2, 0.8, 1.0].map(verdict), [Verdict::Regressed, Verdict::Improved, Verdict::Same]);
        // Exact counts have no spread.
        let exact = judged(&[500.0; 3], &[600.0; 3], false).unwrap();
        assert_eq!(
            (exact.verdict, exact.change.map(|it| it.interval[0] > 0.19)),
            (Verdict::Regressed, Some(true))
        );
        let one = judged(&[100.0], &[120.0], false).unwrap();
        assert_eq!(
            (one.change, one.verdict, one.suspected),
            (None, Verdict::Undecided, Some(Verdict::Regressed))
        );
        assert_eq!(judged(&[100.0, 0.0], &[120.0, 1.0], false), None);
    }

    #[test]
    fn of_a_long_list_one_that_is_far_off_by_chance_is_open() {
        let quiet =
            [vec![100.0, 110.0, 105.0, 95.0, 90.0, 101.0], vec![101.0, 108.0, 104.0, 97.0, 91.0, 99.0]];
        let loud =
            [vec![100.0, 101.0, 99.0, 98.0, 103.0, 100.0], vec![104.0, 112.0, 101.0, 103.0, 104.0, 106.0]];
        let options = DifferenceOptions { is_interleaved: true, ..DifferenceOptions::default() };
        let verdict = |list: &[[Vec<f64>; 2]]| figure_differences(list, None, &options)[0].unwrap().verdict;
        assert_eq!(verdict(std::slice::from_ref(&loud)), Verdict::Regressed);
        let mut list = vec![loud];
        list.extend(std::iter::repeat_n(quiet, 40));
        assert_eq!(verdict(&list), Verdict::Undecided);
    }
}
