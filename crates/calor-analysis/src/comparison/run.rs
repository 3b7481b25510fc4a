//! A run of a side, under the name that its reader knows it by.

use calor_model::Profile;

use super::CompareMetric;

/// One run of a side.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// What the reader calls it, such as the name of its file.
    pub(super) name: String,
    pub(super) profile: Profile,
    metrics: Vec<CompareMetric>,
}

impl ComparedRun {
    /// A profile under the name that the reader knows it by.
    #[must_use]
    pub fn new(name: impl Into<String>, profile: Profile) -> Self {
        Self { name: name.into(), metrics: CompareMetric::of_profile(&profile), profile }
    }

    /// Its profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What it can be compared by.
    pub(super) fn metrics(&self) -> &[CompareMetric] {
        &self.metrics
    }
}
