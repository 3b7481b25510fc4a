//! What a forecast takes from one run: a few figures, so that a profile can be let go before the next is read.

use std::collections::BTreeMap;

use calor_analysis::{CallTree, TreeOptions, amdahl};
use calor_model::{HeapMode, Profile, RSS, SampleKind};

use crate::short_name::short_name;

/// One run at one size.
#[derive(Clone, PartialEq, Debug)]
pub struct SizedRun {
    /// The size.
    pub size: f64,
    /// How long it took.
    pub wall_nanos: u64,
    /// Its CPU time, where it was measured.
    pub cpu_nanos: Option<u64>,
    /// The most memory that it held: of the heap if that was watched, otherwise in the machine's memory.
    pub peak_bytes: Option<u64>,
    /// Whether the peak is counted exactly.
    pub is_peak_exact: bool,
    /// Time in each scope or function and what it calls, over all threads.
    pub(super) scopes: BTreeMap<String, u64>,
}

impl SizedRun {
    /// The figures of a profile.
    #[must_use]
    pub fn new(size: f64, profile: &Profile) -> Self {
        let heap = profile.heap.summary;
        let rss = profile.heap_points(RSS).iter().map(|point| point.value).fold(0.0, f64::max);
        let in_memory = (rss > 0.0).then_some(rss as u64);
        Self {
            size,
            wall_nanos: profile.duration_nanos(),
            cpu_nanos: profile
                .runs
                .iter()
                .map(|run| run.cpu_nanos)
                .sum::<Option<u64>>()
                .filter(|nanos| *nanos > 0),
            peak_bytes: heap.map(|heap| heap.peak_bytes).filter(|bytes| *bytes > 0).or(in_memory),
            is_peak_exact: heap.is_some_and(|heap| heap.mode == HeapMode::Exact),
            scopes: scopes(profile),
        }
    }
}

fn scopes(profile: &Profile) -> BTreeMap<String, u64> {
    let options = TreeOptions::default();
    let scopes = CallTree::of_scopes(profile, &options);
    let tree = match scopes.recorded_nanos() {
        0 => CallTree::of_samples(profile, SampleKind::Cpu, &options),
        _ => scopes,
    };
    let mut totals = BTreeMap::new();
    for scope in amdahl(&tree) {
        let frame = profile.frames.get(scope.frame);
        let name = short_name(frame.kind, profile.strings.get(frame.name)).into_owned();
        *totals.entry(name).or_insert(0) += scope.total_nanos;
    }
    totals
}
