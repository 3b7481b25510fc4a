//! What the sides differ by in one number.

use std::collections::{BTreeMap, BTreeSet};

use super::{CompareBy, CompareMetric, ComparedRun, ComparisonOptions, parts, repeated};
use crate::{Difference, DifferenceOptions, Error, FunctionName, Given, RunFigures, difference};

/// New and vanished functions count among the changes from so many samples on: of a function that is the same on both sides, ten
/// fall on one of them once in five hundred times, and profiles have many functions with a sample or two.
const LEAST_SAMPLES: u64 = 10;

/// What the sides differ by, and the functions that have too few samples to tell that one is not on the other side.
pub(super) fn judged(
    sides: [&[ComparedRun]; 2],
    metric: &CompareMetric,
    options: &ComparisonOptions,
    by: CompareBy,
) -> Result<(Difference, BTreeSet<FunctionName>), Error> {
    let of_run = |run: &ComparedRun| {
        let figures = match by {
            CompareBy::Own => RunFigures::of_profile(&run.profile, metric.quantity()),
            CompareBy::Total => RunFigures::whole_of_profile(&run.profile, metric.quantity()),
        };
        match figures.total() > 0.0 {
            true => Ok(figures),
            false => Err(Error::ComparedNothing { name: run.name.clone(), metric: metric.total_name() }),
        }
    };
    let mut figures = [Vec::new(), Vec::new()];
    for (figures, side) in figures.iter_mut().zip(sides) {
        *figures = side.iter().map(of_run).collect::<Result<_, _>>()?;
    }
    if repeated::are_repeated(sides, metric) {
        repeated::by_cpu(sides, &mut figures);
        repeated::as_often(&mut figures);
    }
    let mut samples: BTreeMap<&FunctionName, u64> = BTreeMap::new();
    // Waits are not sampled but timed, each of them.
    let is_sampled = *metric != CompareMetric::OffCpu;
    for function in figures.iter().flatten().flat_map(|run| &run.functions) {
        if let Some(n) = function.samples.filter(|_| is_sampled) {
            *samples.entry(&function.function).or_default() += n;
        }
    }
    let few = samples.into_iter().filter(|(_, n)| *n < LEAST_SAMPLES);
    let few: BTreeSet<FunctionName> = few.map(|(name, _)| name.clone()).collect();
    let parts = parts::of_single_runs(sides, metric).filter(|_| by == CompareBy::Own);
    let (given, [before, after]) = parts.unwrap_or((Given::Runs, figures));
    let options = DifferenceOptions {
        metric: metric.metric(),
        is_interleaved: options.is_interleaved,
        given,
        margin: options.margin.unwrap_or(parts::usual_margin(given)),
        ..DifferenceOptions::default()
    };
    Ok((difference(&before, &after, &options)?, few))
}
