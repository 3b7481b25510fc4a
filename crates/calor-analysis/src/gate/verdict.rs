//! What a gate makes of the verdict of a comparison.

use crate::{CommonCause, Difference, Verdict};

/// The part of a move of everything that the machine has to explain before a gate takes it for the machine's.
const EXPLAINED: f64 = 2.0 / 3.0;
/// The end of an interval that leaves out a twentieth on one side lies nearer than that of one that does so on both.
const NEARER: f64 = 1.644_854 / 1.959_964;
/// Who looks twice errs more often than who looks once, unless the first look asks for more: bounds of O'Brien and Fleming for
/// the first of two looks, over those of a single one. What the second look adds to an error of 5 % is then 0.2 %.
const FIRST_CHANGE: f64 = 2.797 / 1.960;
const FIRST_SAME: f64 = 2.373 / 1.645;

/// What a gate makes of a comparison.
pub(super) fn gate(difference: &Difference, is_interleaved: bool) -> Verdict {
    let is_doubtful = is_half_explained(difference) || (!is_interleaved && is_hidden_by_machine(difference));
    match difference.verdict {
        // Rounds of one run can tell that nothing changed.
        _ if difference.n_runs.contains(&1) && difference.n_rounds.is_none() => Verdict::Undecided,
        Verdict::Same | Verdict::Improved if is_doubtful => Verdict::Undecided,
        Verdict::Undecided if is_no_worse(difference) && !is_doubtful => Verdict::Same,
        verdict => verdict,
    }
}

/// By how much it is worse at most, with 95 % certainty: the end of an interval that leaves out as much has a twentieth beyond it
/// on one side and not on both, so it lies nearer. Of few runs it would be nearer still.
pub(super) fn worst(difference: &Difference) -> Option<f64> {
    let change = difference.change?;
    let (centre, end) = (change.effect.ln_1p(), change.interval[1].ln_1p());
    Some((centre + NEARER * (end - centre)).exp_m1())
}

/// Whether a verdict holds at the first of two looks.
pub(super) fn is_settled(difference: &Difference, verdict: Verdict) -> bool {
    let Some(change) = difference.change else { return true };
    let (centre, bound) = (change.effect.ln_1p(), difference.margin.ln_1p());
    let [low, high] = change.interval.map(|end| end.ln_1p() - centre);
    match verdict {
        Verdict::Regressed => centre + FIRST_CHANGE * low > 0.0,
        Verdict::Improved => centre + FIRST_CHANGE * high < 0.0,
        Verdict::Same if difference.verdict == Verdict::Same => {
            centre + NEARER * FIRST_SAME * low >= -bound && centre + NEARER * FIRST_SAME * high <= bound
        }
        Verdict::Same => centre + NEARER * FIRST_SAME * high <= bound,
        _ => false,
    }
}

/// Whether all that is possible is better, or worse by less than the margin, and nothing else speaks against it.
fn is_no_worse(difference: &Difference) -> bool {
    let is_below = worst(difference).is_some_and(|worst| worst <= difference.margin);
    is_below && difference.suspected.is_none() && difference.common.cause != CommonCause::Unknown
}

/// Whether everything became slower, and the machine explains no more than a part of it.
fn is_half_explained(difference: &Difference) -> bool {
    let common = &difference.common;
    let by_machine = common.canary.map_or(0.0, |canary| canary.effect);
    let is_worse = common.cause == CommonCause::Machine && common.change.effect > difference.margin;
    is_worse && by_machine.ln_1p() < EXPLAINED * common.change.effect.ln_1p()
}

/// Whether the machine became faster, and the program not by two thirds of that: it may have become slower meanwhile.
pub(super) fn is_hidden_by_machine(difference: &Difference) -> bool {
    let Some(canary) = difference.common.canary.filter(|canary| canary.interval[1] < 0.0) else {
        return false;
    };
    let (by_machine, bound) = (canary.effect.ln_1p(), difference.margin.ln_1p());
    // As it was measured: the change has lost what the machine did.
    let moved = (difference.after / difference.before).ln();
    by_machine < -bound && moved > EXPLAINED * by_machine && moved - by_machine > bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, DifferenceOptions, FunctionFigures, FunctionName, RunFigures, difference};

    /// Six runs of twenty functions a side; the program and the machine take so many times as long after.
    fn found(program: f64, machine: f64) -> Difference {
        let run = |number: usize, program: f64, machine: f64| {
            let wobble = |at: usize| 1.0 + ((at * 7 + number * 5) % 11) as f64 / 5_000.0;
            let functions = (0..20).map(|at| FunctionFigures {
                function: FunctionName { name: format!("f{at}"), ..FunctionName::default() },
                value: 1e6 * program * wobble(at),
                ..FunctionFigures::default()
            });
            let canary_nanos = Some(2e5 * machine * wobble(3));
            RunFigures { canary_nanos, ..RunFigures::new(functions.collect()) }
        };
        let before: Vec<_> = (0..6).map(|number| run(number, 1.0, 1.0)).collect();
        let after: Vec<_> = (6..12).map(|number| run(number, program, machine)).collect();
        difference(&before, &after, &DifferenceOptions::default()).expect("they can be compared")
    }

    #[test]
    fn a_machine_that_became_faster_does_not_hide_a_slower_program() {
        let hidden = found(1.0, 0.77);
        assert_eq!(hidden.verdict, Verdict::Same);
        assert_eq!(gate(&hidden, false), Verdict::Undecided);
        assert_eq!(gate(&hidden, true), Verdict::Same, "in turns both saw the same machine");
        assert_eq!(gate(&found(0.95, 0.77), false), Verdict::Undecided);
        // As much faster as the machine, nearly so, and a machine that is as before.
        for (program, machine) in [(0.77, 0.77), (0.82, 0.77), (1.0, 1.0), (0.8, 1.0), (1.0, 0.99)] {
            let verdict = gate(&found(program, machine), false);
            assert!(matches!(verdict, Verdict::Same | Verdict::Improved), "{program} {machine}: {verdict:?}");
        }
        assert_eq!(gate(&found(1.2, 0.77), false), Verdict::Regressed);
    }

    #[test]
    fn a_gate_asks_how_much_worse_it_may_be_and_not_how_much_better() {
        let mut found = found(1.0, 1.0);
        found.verdict = Verdict::Undecided;
        found.margin = 0.05;
        for (effect, interval, expected) in [
            (0.005, [-0.045, 0.055], Verdict::Same),
            (-0.05, [-0.2, 0.04], Verdict::Same),
            (0.02, [-0.02, 0.06], Verdict::Undecided),
            (0.03, [0.0, 0.055], Verdict::Undecided),
        ] {
            found.change = Some(Change { effect, interval });
            assert_eq!(gate(&found, false), expected, "{effect}");
        }
    }

    #[test]
    fn the_first_of_two_looks_asks_for_more() {
        let mut found = found(1.0, 1.0);
        found.margin = 0.05;
        for (verdict, effect, interval, is_enough) in [
            (Verdict::Regressed, 0.10, [0.02, 0.18], false),
            (Verdict::Regressed, 0.10, [0.05, 0.15], true),
            (Verdict::Improved, -0.10, [-0.18, -0.02], false),
            (Verdict::Improved, -0.10, [-0.15, -0.05], true),
            (Verdict::Same, 0.0, [-0.045, 0.045], false),
            (Verdict::Same, 0.0, [-0.03, 0.03], true),
            (Verdict::Undecided, 0.0, [-0.3, 0.3], false),
        ] {
            found.verdict = verdict;
            found.change = Some(Change { effect, interval });
            assert_eq!(is_settled(&found, verdict), is_enough, "{verdict:?} {interval:?}");
        }
        // Not worse, though perhaps better.
        found.verdict = Verdict::Undecided;
        for (high, is_enough) in [(0.045, false), (0.01, true)] {
            found.change = Some(Change { effect: -0.02, interval: [-0.09, high] });
            assert_eq!((gate(&found, true), is_settled(&found, Verdict::Same)), (Verdict::Same, is_enough));
        }
    }

    #[test]
    fn what_the_machine_half_explains_does_not_pass_however_sure_the_rest_is() {
        for (machine, expected) in [(1.08, Verdict::Undecided), (1.2, Verdict::Same)] {
            let mut found = found(1.2, machine);
            assert_eq!((found.common.cause, found.verdict), (CommonCause::Machine, Verdict::Same));
            assert_eq!(gate(&found, false), expected);
            // Somewhat better or the same, which need not be known.
            found.verdict = Verdict::Undecided;
            if let Some(change) = &mut found.change {
                change.interval = [-0.06, 0.01];
            }
            assert_eq!(gate(&found, false), expected);
        }
    }
}
