//! Sides that ran different models: neither is a version of the other, so nothing that is beside each other there is judged.

use std::collections::{BTreeMap, BTreeSet};

use calor_analysis::{CommonCause, Difference, FunctionDifference, Verdict};
use calor_model::Warning;

use super::totals::Whole;
use super::work::Rates;
use super::{CompareMetric, ComparedRun};
use crate::bench::models::{ModelRun, SIZES, models};
use crate::quantity::count;

/// The models of the sides, where they are of different ones.
pub(super) fn other_models(sides: [&[ComparedRun]; 2]) -> Option<[String; 2]> {
    let [before, after] = sides.map(|side| {
        let of_runs = side.iter().flat_map(|run| models(run.profile()));
        of_runs.map(Model::of).collect::<BTreeSet<Model>>()
    });
    if before.is_empty() || after.is_empty() || are_same([&before, &after]) {
        return None;
    }
    let sides = [before, after];
    let [former, latter] = sides.each_ref().map(|side| told(side, |model| model.name.clone()));
    // Models of one name are told by their sizes.
    Some(match former != latter {
        true => [former, latter],
        false => sides.each_ref().map(|side| told(side, Model::told)),
    })
}

/// Whether both sides are of the same models: by sizes where all of them tell these, since weights of one architecture may be
/// files of other names and `custom` may be of any size; by names otherwise.
fn are_same(sides: [&BTreeSet<Model>; 2]) -> bool {
    let is_sized = sides.iter().all(|side| side.iter().all(|model| !model.sizes.is_empty()));
    let [before, after] = sides.map(|side| {
        let key = |model: &Model| match is_sized {
            true => (String::new(), model.sizes.clone()),
            false => (model.name.clone(), BTreeMap::new()),
        };
        side.iter().map(key).collect::<BTreeSet<_>>()
    });
    before == after
}

fn told(side: &BTreeSet<Model>, name: impl Fn(&Model) -> String) -> String {
    side.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// What tells a model from others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Model {
    name: String,
    sizes: BTreeMap<&'static str, u64>,
}

impl Model {
    fn of(run: ModelRun) -> Self {
        let sizes = SIZES.into_iter().filter_map(|size| Some((size, run.size(size)?))).collect();
        Self { name: run.name, sizes }
    }

    /// Its name and sizes.
    fn told(&self) -> String {
        let sizes = self.sizes.iter().map(|(name, value)| format!("{name} {}", count(*value)));
        format!("{} ({})", self.name, sizes.collect::<Vec<_>>().join(", "))
    }
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
    // That all of it takes longer is the size of the model: neither the machine nor a build did it.
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
