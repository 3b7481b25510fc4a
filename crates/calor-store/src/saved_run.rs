//! A saved run as the catalogue knows it, without its profile.

use std::collections::BTreeMap;

use crate::{Machine, Revision, SavedId, Totals};

/// One saved run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SavedRun {
    /// What it is called.
    pub id: SavedId,
    /// When it was saved, in nanoseconds since 1970.
    pub saved_at_unix_nanos: u64,
    /// When the program started, in nanoseconds since 1970, where the profile knows.
    pub started_at_unix_nanos: Option<u64>,
    /// What the run is called in lists.
    pub name: String,
    /// The command line.
    pub command: Option<String>,
    /// What recorded: the words of [`calor_model::Recorder`].
    pub recorders: Vec<String>,
    /// The state of the sources.
    pub revision: Revision,
    /// The machine.
    pub machine: Option<Machine>,
    /// Sums for lists.
    pub totals: Totals,
    /// How many runs the profile is of: more than one where profiles were merged.
    pub n_runs: u64,
    /// How large the profile is on the disk.
    pub bytes: u64,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// How it was recorded.
    pub settings: BTreeMap<String, String>,
    /// The baselines that it belongs to.
    pub baselines: Vec<String>,
    /// Its place in the order of saves, by which the catalogue refers to it.
    pub(crate) number: i64,
}
