//! Scopes of one name by their labels, as programs read them.

use std::collections::BTreeMap;

use calor_analysis::{LabelledSum, ScopeSum};
use calor_model::Profile;
use serde::Serialize;

use super::wire::{Calls, Memory, millis, spread};
use super::work::Work;

pub(super) type Labels<'r> = BTreeMap<&'r str, &'r str>;

/// The scopes of one name that have the same labels.
#[derive(Serialize)]
pub(super) struct Labelled<'r> {
    labels: Labels<'r>,
    total_time_ms: f64,
    count: u64,
    mean_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    stddev_ms: Option<f64>,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    share: Option<f64>,
    #[serde(flatten)]
    work: Work<'r>,
    #[serde(flatten)]
    memory: Option<Memory>,
}

impl<'r> Labelled<'r> {
    fn new(profile: &'r Profile, sum: &LabelledSum<'r>) -> Self {
        let calls = Calls::of(&sum.stats, sum.total_nanos);
        let quantile = |part: f64| calls.quantile(part).map(millis);
        Self {
            labels: labels(sum),
            total_time_ms: millis(sum.total_nanos as f64),
            count: calls.count,
            mean_ms: calls.mean_nanos.map(millis),
            min_ms: calls.min_nanos().map(millis),
            max_ms: calls.max_nanos().map(millis),
            stddev_ms: calls.timed.and_then(spread).map(millis),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
            share: sum.share,
            work: Work::of(profile, &sum.stats, sum.total_nanos),
            memory: Memory::of(&sum.stats),
        }
    }
}

/// The sets of labels that scopes of a name have, where there are several.
pub(super) fn sets<'s, 'p>(sum: &'s ScopeSum<'p>) -> &'s [LabelledSum<'p>] {
    if sum.by_labels.len() > 1 { &sum.by_labels } else { &[] }
}

/// The same, as programs read them.
pub(super) fn list<'r>(profile: &'r Profile, sum: &ScopeSum<'r>) -> Vec<Labelled<'r>> {
    sets(sum).iter().map(|set| Labelled::new(profile, set)).collect()
}

/// The labels that all scopes of a name have.
pub(super) fn common<'r>(sum: &ScopeSum<'r>) -> Option<Labels<'r>> {
    match &sum.by_labels[..] {
        [set] => Some(labels(set)),
        _ => None,
    }
}

/// The name with the labels that all scopes of it have.
pub(super) fn name(sum: &ScopeSum<'_>) -> String {
    match &sum.by_labels[..] {
        [set] => format!("{} {}", sum.name, set.words()),
        _ => sum.name.to_owned(),
    }
}

/// The name of those that have these labels, among others that have others.
pub(super) fn name_of(sum: &ScopeSum<'_>, set: &LabelledSum<'_>) -> String {
    let words = set.words();
    format!("{} {}", sum.name, if words.is_empty() { "{}" } else { &words })
}

pub(super) fn labels<'r>(sum: &LabelledSum<'r>) -> Labels<'r> {
    sum.labels.iter().copied().collect()
}
