//! Sides of which neither is a version of the other: nothing that stands beside each other there is judged.

use super::CompareMetric;
use super::totals::Whole;
use super::work::Rates;
use crate::{CommonCause, Difference, FunctionDifference, Verdict};

/// Takes back what was judged: that a larger one takes longer is no regression, and no number of runs makes it one.
pub(super) fn unjudge(difference: &mut Difference) {
    open(&mut difference.verdict, &mut difference.suspected);
    difference.needs_runs = None;
    // That all of it takes longer is what it had to do: neither the machine nor a build did it.
    difference.common.cause = CommonCause::Nothing;
    unjudge_functions(&mut difference.functions);
}

/// The same of functions.
pub(super) fn unjudge_functions(functions: &mut [FunctionDifference]) {
    functions.iter_mut().for_each(|function| open(&mut function.verdict, &mut function.suspected));
}

/// The same of other numbers of the runs.
pub(super) fn unjudge_others(
    others: &mut [(CompareMetric, Difference)],
    wholes: &mut [Whole],
    work: &mut [Rates],
) {
    others.iter_mut().for_each(|(_, difference)| unjudge(difference));
    for judged in wholes.iter_mut().filter_map(|whole| whole.judged.as_mut()) {
        open(&mut judged.verdict, &mut judged.suspected);
    }
    for rate in work.iter_mut().flat_map(|rates| [&mut rates.flops, &mut rates.bytes]).flatten() {
        open(&mut rate.verdict, &mut rate.suspected);
    }
}

fn open(verdict: &mut Verdict, suspected: &mut Option<Verdict>) {
    (*verdict, *suspected) = (Verdict::Undecided, None);
}
