//! Which number runs are compared by: the one that was asked for, or the first that all of them hold.

use calor_model::{SampleKind, SampleWeight};

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
    let mut unlike = None;
    shared.retain(|metric| match is_measured_alike(&runs, metric) {
        Ok(()) => true,
        Err(error) => {
            unlike.get_or_insert(error);
            false
        }
    });
    let Some(chosen) = asked.cloned().or_else(|| shared.first().cloned()) else {
        return Err(unlike.unwrap_or_else(|| kinds_differ(&runs)));
    };
    is_measured_alike(&runs, &chosen)?;
    shared.retain(|metric| *metric != chosen);
    Ok((chosen, shared))
}

/// Whether samples have times in all runs or in none: counts cannot be held against times, and neither can nothing at all.
fn is_measured_alike(runs: &[&ComparedRun], metric: &CompareMetric) -> Result<(), Error> {
    let Some(kind) = metric.sample_kind() else { return Ok(()) };
    // Without any of this kind, time on the wall is in samples of others.
    let is_nothing = |run: &&&ComparedRun| {
        let mut samples = weights(run, kind).peekable();
        samples.peek().is_some() && samples.all(|weight| weight.nanos == 0 && weight.count == 0)
    };
    if let Some(run) = runs.iter().find(is_nothing) {
        return Err(Error::ComparedNothing { name: run.name.clone(), metric: metric.total_name() });
    }
    let is_timed = |run: &&&ComparedRun| weights(run, kind).any(|weight| weight.nanos > 0);
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

fn weights(run: &ComparedRun, kind: SampleKind) -> impl Iterator<Item = SampleWeight> {
    run.profile.samples.iter().filter(move |(key, _)| key.kind == kind).map(|(_, weight)| weight)
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
