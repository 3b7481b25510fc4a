//! Scopes of one name by their labels, as programs read them.

use std::collections::BTreeMap;

use calor_analysis::{LabelledSum, ScopeCalls, ScopeSum};
use calor_model::Profile;
use serde::Serialize;

use super::calls::Times;
use super::wire::Memory;
use super::work::Work;

pub(super) type Labels<'r> = BTreeMap<&'r str, &'r str>;

/// The scopes of one name that have the same labels.
#[derive(Serialize)]
pub(super) struct Labelled<'r> {
    labels: Labels<'r>,
    #[serde(flatten)]
    times: Times,
    share: Option<f64>,
    #[serde(flatten)]
    work: Work<'r>,
    #[serde(flatten)]
    memory: Option<Memory>,
}

impl<'r> Labelled<'r> {
    fn new(profile: &'r Profile, sum: &LabelledSum<'r>) -> Self {
        let calls = ScopeCalls::of(&sum.stats, sum.total_nanos);
        Self {
            labels: labels(sum),
            times: Times::of(&calls, sum.total_nanos),
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
    format!("{} {}", sum.name, if words.is_empty() { "(no labels)" } else { &words })
}

pub(super) fn labels<'r>(sum: &LabelledSum<'r>) -> Labels<'r> {
    sum.labels.iter().copied().collect()
}
