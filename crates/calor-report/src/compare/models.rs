//! Sides that ran different models: neither is a version of the other, so nothing that is beside each other there is judged.

use std::collections::BTreeSet;

use calor_analysis::{Difference, FunctionDifference, Verdict};
use calor_model::Warning;

use super::totals::Whole;
use super::work::Rates;
use super::{CompareMetric, ComparedRun};
use crate::bench::models::models;

/// The models of the sides, where they are of different ones.
pub(super) fn other_models(sides: [&[ComparedRun]; 2]) -> Option<[String; 2]> {
    let [before, after] = sides.map(|side| {
        let of_runs = side.iter().flat_map(|run| models(run.profile()));
        of_runs.map(|model| model.name).collect::<BTreeSet<String>>()
    });
    let is_other = !before.is_empty() && !after.is_empty() && before != after;
    is_other.then(|| [before, after].map(|names| names.into_iter().collect::<Vec<_>>().join(", ")))
}

/// How much longer the larger one takes is no regression.
pub(super) fn remark([before, after]: &[String; 2]) -> Warning {
    let message = format!(
        "{before} before and {after} after are different models and not two versions of one, so nothing here is a regression; \
         `calor compare --models A B` tells how time grows with their size"
    );
    Warning::new("other_models", message)
}

/// Takes back what was judged: that a larger one takes longer is no regression, and no number of runs makes it one.
pub(super) fn unjudge(difference: &mut Difference) {
    open(&mut difference.verdict, &mut difference.suspected);
    difference.needs_runs = None;
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
