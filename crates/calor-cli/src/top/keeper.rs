//! Keeps the whole recording for the file that may be asked for: parts are merged as they come, and made smaller when
//! they grow large, so that a view that is left open for days stays small. In a thread of its own, since both may
//! take longer than a key may wait.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use calor_formats::native;
use calor_model::{Profile, SampleKey, SampleTable, Thread, Warning};

use super::news::{News, Sent};

/// How much is kept as it is.
#[derive(Clone, Copy, Debug)]
struct Limits {
    paths: usize,
    /// Of samples.
    rows: usize,
    threads: usize,
}

/// Some ten megabytes.
const LIMITS: Limits = Limits { paths: 200_000, rows: 400_000, threads: 4_096 };
/// One function keeps its name wherever it is for so many paths.
const PATHS_A_FUNCTION: usize = 100;
/// The first share below which paths are left out, and how much it grows until they are few enough.
const SMALLEST_SHARE: f64 = 1e-5;
const GROWTH: f64 = 4.0;

/// What the keeper is told.
#[derive(Debug)]
pub(super) enum Order {
    Keep(Arc<Profile>),
    Save(PathBuf),
}

/// Does as it is told until nobody is left to tell.
pub(super) fn run(orders: &Receiver<Order>, news: &Sent) {
    let mut whole = Profile::default();
    for order in orders {
        match order {
            Order::Keep(part) => {
                whole.merge(&part);
                if LIMITS.is_reached_by(&whole) {
                    whole = LIMITS.smaller(&whole);
                }
            }
            Order::Save(path) => news.tell(News::Saved(save(&whole, path))),
        }
    }
}

fn save(whole: &Profile, path: PathBuf) -> Result<(PathBuf, u64), String> {
    let mut bytes = Vec::new();
    native::write(whole, &mut bytes).map_err(|error| error.to_string())?;
    calor_host::replace(&path, &bytes)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok((path, bytes.len() as u64))
}

impl Limits {
    fn is_reached_by(&self, profile: &Profile) -> bool {
        profile.stacks.len() > self.paths
            || profile.samples.len() > self.rows
            || profile.threads.len() > self.threads
    }

    /// The same with fewer threads and fewer paths, each of which it says.
    fn smaller(&self, profile: &Profile) -> Profile {
        let mut profile = match profile.threads.len() > self.threads / 2 {
            true => with_threads_by_name(profile),
            false => profile.clone(),
        };
        let mut share = SMALLEST_SHARE;
        while (profile.stacks.len() > self.paths / 2 || profile.samples.len() > self.rows / 2) && share < 1.0
        {
            let condensed = profile.condenser().condense(share, self.paths / PATHS_A_FUNCTION);
            profile = condensed.profile;
            profile.warn(Warning::new("paths_condensed", CONDENSED));
            share *= GROWTH;
        }
        profile
    }
}

const CONDENSED: &str = "the recording was long and had many call paths: the smallest were left out and their time is \
                         shown under `(left out)`";
const BY_NAME: &str = "the program had too many threads to tell apart: those of one name are added up";

fn with_threads_by_name(profile: &Profile) -> Profile {
    let mut by_name = profile.clone();
    by_name.samples = SampleTable::default();
    for (key, weight) in profile.samples.iter() {
        let name = profile.threads.get(key.thread).name;
        let thread = by_name.threads.intern(Thread { pid: 0, tid: 0, name });
        by_name.samples.add(SampleKey { thread, ..key }, weight);
    }
    let mut by_name = by_name.compact();
    by_name.warn(Warning::new("threads_merged", BY_NAME));
    by_name
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, SampleKind, SampleWeight};

    use super::*;

    const FEW: Limits = Limits { paths: 3_000, rows: 6_000, threads: 40 };

    /// `n_paths` functions that were called by threads of their own.
    fn profile(n_paths: usize, n_threads: usize) -> Profile {
        let mut profile = Profile::default();
        for number in 0..n_paths {
            let path = ["main".to_owned(), format!("f{}", number / 100), format!("g{number}")];
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let stack = profile.intern_named_path(&path, FrameKind::Native).expect("it has frames");
            let thread = profile.intern_thread(1, (number % n_threads) as u64, "worker");
            let key = SampleKey {
                kind: SampleKind::Cpu,
                stack,
                thread,
                labels: LabelTable::none(),
                at_nanos: None,
            };
            profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000 });
        }
        profile
    }

    fn nanos(profile: &Profile) -> u64 {
        profile.samples.iter().map(|(_, weight)| weight.nanos).sum()
    }

    #[test]
    fn a_recording_of_many_paths_becomes_small_and_loses_no_time() {
        let large = profile(FEW.paths, 1);
        assert!(FEW.is_reached_by(&large));
        let small = FEW.smaller(&large);
        assert!(small.stacks.len() <= FEW.paths / 2, "{} paths", small.stacks.len());
        assert_eq!(nanos(&small), nanos(&large));
        assert!(small.warnings.iter().any(|warning| warning.code == "paths_condensed"));
    }

    #[test]
    fn threads_beyond_counting_are_added_up_by_name() {
        let large = profile(FEW.threads + 1, FEW.threads + 1);
        assert!(FEW.is_reached_by(&large));
        let small = FEW.smaller(&large);
        assert_eq!((small.threads.len(), nanos(&small)), (1, nanos(&large)));
        assert!(small.warnings.iter().any(|warning| warning.code == "threads_merged"));
    }
}
