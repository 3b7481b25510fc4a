//! Profiles in words that can be compared: paths by name, with their figures.

use std::collections::BTreeMap;

use calor_formats::{Metric, weights};
use calor_model::Profile;

/// Path (names joined by semicolons) and self value of a metric, threads added up.
pub(crate) fn values(profile: &Profile, metric: Metric) -> BTreeMap<String, u64> {
    let weights = weights(profile, metric);
    let mut values = BTreeMap::new();
    for row in weights.rows.iter().filter(|row| row.value > 0) {
        let value: &mut u64 = values.entry(weights.path_names(row.stack).join(";")).or_default();
        *value = value.saturating_add(row.value);
    }
    values
}

/// All metrics that a profile has, its threads and its warnings.
pub(crate) fn content(profile: &Profile) -> impl std::fmt::Debug + use<> {
    let values: Vec<_> =
        Metric::available(profile).into_iter().map(|metric| (metric, values(profile, metric))).collect();
    let threads: Vec<_> = profile
        .threads
        .iter()
        .map(|(_, thread)| (thread.pid, thread.tid, profile.strings.get(thread.name).to_owned()))
        .collect();
    (values, threads, profile.timeline.n_spans(), profile.warnings.clone())
}

/// The codes of a profile's warnings with their counts.
pub(crate) fn warnings(profile: &Profile) -> Vec<(&str, Option<u64>)> {
    profile.warnings.iter().map(|warning| (warning.code.as_str(), warning.count)).collect()
}
