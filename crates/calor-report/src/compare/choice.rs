//! Which number runs are compared by: the one that was asked for, or the first that all of them hold.

use super::{CompareMetric, ComparedRun};
use crate::Error;

/// The number, and the others that all runs hold as well.
pub(super) fn choose(
    sides: [&[ComparedRun]; 2],
    asked: Option<&CompareMetric>,
) -> Result<(CompareMetric, Vec<CompareMetric>), Error> {
    let runs: Vec<&ComparedRun> = sides.into_iter().flatten().collect();
    for run in &runs {
        if run.metrics().is_empty() {
            return Err(Error::NothingToCompare { name: run.name.clone() });
        }
    }
    let is_everywhere = |metric: &CompareMetric| runs.iter().all(|run| run.metrics().contains(metric));
    if let Some(asked) = asked
        && let Some(run) = runs.iter().find(|run| !run.metrics().contains(asked))
    {
        let (name, metric) = (run.name.clone(), asked.to_string());
        return Err(Error::ComparedMetricMissing { name, metric, available: words(run.metrics()) });
    }
    let mut shared: Vec<CompareMetric> = runs
        .first()
        .map_or(&[][..], |run| run.metrics())
        .iter()
        .filter(|m| is_everywhere(m))
        .cloned()
        .collect();
    shared.retain(|metric| is_told_alike(&runs, metric).is_ok());
    let Some(chosen) = asked.cloned().or_else(|| shared.first().cloned()) else {
        return Err(kinds_differ(&runs));
    };
    is_told_alike(&runs, &chosen)?;
    shared.retain(|metric| *metric != chosen);
    Ok((chosen, shared))
}

/// Whether samples have times in all runs or in none: counts cannot be held against times.
fn is_told_alike(runs: &[&ComparedRun], metric: &CompareMetric) -> Result<(), Error> {
    let Some(kind) = metric.sample_kind() else { return Ok(()) };
    let is_timed = |run: &&&ComparedRun| {
        run.profile.samples.iter().any(|(key, weight)| key.kind == kind && weight.nanos > 0)
    };
    let (timed, counted): (Vec<&&ComparedRun>, Vec<_>) = runs.iter().partition(is_timed);
    match (timed.first(), counted.first()) {
        (Some(timed), Some(counted)) => Err(Error::KindsDiffer {
            one: timed.name.clone(),
            of_one: format!("{metric} as times"),
            other: counted.name.clone(),
            of_other: format!("{metric} as counts of samples"),
        }),
        _ => Ok(()),
    }
}

/// Names the first run and one that holds nothing of what it holds, if there is such a one.
fn kinds_differ(runs: &[&ComparedRun]) -> Error {
    let first = runs[0];
    let is_other = |run: &&&ComparedRun| !run.metrics().iter().any(|metric| first.metrics().contains(metric));
    let other = runs.iter().find(is_other).copied().unwrap_or(runs[runs.len() - 1]);
    Error::KindsDiffer {
        one: first.name.clone(),
        of_one: words(first.metrics()),
        other: other.name.clone(),
        of_other: words(other.metrics()),
    }
}

fn words(metrics: &[CompareMetric]) -> String {
    metrics.iter().map(CompareMetric::word).collect::<Vec<_>>().join(", ")
}
