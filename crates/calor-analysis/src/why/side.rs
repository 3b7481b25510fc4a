//! What one side was seen to do at one size: from its recording, and from what was counted by call.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calor_model::Profile;

use super::hot_loop::{WhyLoop, hot_loops};
use super::part::{Chosen, WhyParts, parts};
use super::stay::{WhyStay, stays};

/// Functions that are told by name.
const MOST_FUNCTIONS: usize = 5;
/// A thread with less of the CPU time than this part is none that works.
const LEAST_THREAD: f64 = 0.05;
/// Parts of the names of files that are libraries of linear algebra.
const BLAS: [&str; 7] = ["openblas", "libmkl", "libblis", "libblas", "libcblas", "accelerate", "libatlas"];

/// One side.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WhySide {
    /// Samples that it is drawn from.
    pub n_samples: u64,
    /// Where its samples are.
    pub parts: WhyParts,
    /// Its loops, the one with the most samples first.
    pub loops: Vec<WhyLoop>,
    /// Its hottest functions by self time, with their part of it.
    pub functions: Vec<(String, f64)>,
    /// Where its threads wait, the longest first; `None` where nobody recorded that.
    pub stays: Option<Vec<WhyStay>>,
    /// How many threads do its work.
    pub n_threads: usize,
    /// Libraries of linear algebra among its stacks.
    pub blas: Vec<String>,
    /// Bytes that a call allocates; `None` where the heap was not watched.
    pub heap_bytes: Option<f64>,
    /// Blocks that a call allocates.
    pub heap_blocks: Option<f64>,
    /// Instructions of a call; `None` where they were neither counted nor simulated.
    pub instructions: Option<f64>,
    /// Page faults of a call.
    pub page_faults: Option<f64>,
}

impl WhySide {
    /// What a recording tells: samples of the CPU, and of waits where they were recorded. `within` names the function whose
    /// calls are the operation, where that is known: what lies outside of it prepares.
    #[must_use]
    pub fn of(profile: &Profile, within: Option<&str>) -> Self {
        let chosen = Chosen::of(profile, within);
        let (n_samples, parts) = parts(profile, &chosen);
        let loops = hot_loops(profile, &chosen);
        Self {
            n_samples,
            parts,
            loops,
            functions: functions(profile, &chosen),
            stays: stays(profile, &chosen),
            n_threads: n_threads(profile, &chosen),
            blas: blas(profile, &chosen),
            ..Self::default()
        }
    }

    /// The part of the samples that are in loops that do not only take locks.
    #[must_use]
    pub fn in_loops(&self) -> f64 {
        self.loops.iter().filter(|it| !it.is_locked()).map(|it| it.share).sum()
    }

    /// The hottest loop that computes by itself: one around calls tells nothing of their width, nor does one that takes locks.
    #[must_use]
    pub fn hottest(&self) -> Option<&WhyLoop> {
        self.loops.iter().find(|it| !it.is_locked() && !it.has_call)
    }
}

fn functions(profile: &Profile, chosen: &Chosen) -> Vec<(String, f64)> {
    let mut own: BTreeMap<&str, u64> = BTreeMap::new();
    let mut n_all = 0;
    for (stack, count) in chosen.samples(profile) {
        *own.entry(profile.stack_name(stack)).or_default() += count;
        n_all += count;
    }
    let mut list: Vec<(&str, u64)> = own.into_iter().collect();
    list.sort_by_key(|(name, count)| (Reverse(*count), *name));
    let part = |count: u64| count as f64 / n_all.max(1) as f64;
    list.into_iter().take(MOST_FUNCTIONS).map(|(name, count)| (name.to_owned(), part(count))).collect()
}

fn n_threads(profile: &Profile, chosen: &Chosen) -> usize {
    let mut by_thread: BTreeMap<usize, u64> = BTreeMap::new();
    for (thread, count) in chosen.samples_by_thread(profile) {
        *by_thread.entry(thread.index()).or_default() += count;
    }
    let n_all: u64 = by_thread.values().sum();
    by_thread.values().filter(|count| **count as f64 >= LEAST_THREAD * n_all as f64 && **count > 0).count()
}

fn blas(profile: &Profile, chosen: &Chosen) -> Vec<String> {
    let mut found: Vec<String> = chosen
        .samples(profile)
        .filter_map(|(stack, _)| profile.frames.get(profile.stacks.get(stack).frame).module)
        .map(|module| profile.strings.get(module))
        .map(|module| module.rsplit('/').next().unwrap_or(module))
        .filter(|module| BLAS.iter().any(|name| module.to_ascii_lowercase().contains(name)))
        .map(str::to_owned)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
