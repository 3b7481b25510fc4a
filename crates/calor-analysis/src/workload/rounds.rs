//! Workloads in rounds: one run does the same several times, each time with memory of its own and in a thread of its own, so that
//! rounds differ by much of what runs differ by.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{Profile, ThreadId, Warning};

use super::models::model_label;

/// The label of runs in rounds, which says how many.
pub const ROUNDS: &str = "rounds";

/// How many rounds a run says to have.
pub(crate) fn n_rounds(profile: &Profile) -> Option<usize> {
    let [run] = &profile.runs[..] else { return None };
    run.labels.get(ROUNDS)?.parse().ok()
}

/// The number of the round that each thread did, from 0 on. A round is a thread, or one for each model that was run; threads
/// that ran no model where others did are in none. `None` where there are not so many of each.
pub(crate) fn threads_of_rounds(profile: &Profile, n_rounds: usize) -> Option<BTreeMap<ThreadId, usize>> {
    let mut models: BTreeMap<ThreadId, BTreeSet<&str>> = BTreeMap::new();
    for (key, _) in profile.scopes.iter() {
        models.entry(key.thread).or_default().extend(model_label(profile, key.labels));
    }
    let mut alike: BTreeMap<BTreeSet<&str>, Vec<ThreadId>> = BTreeMap::new();
    for (thread, models) in models {
        alike.entry(models).or_default().push(thread);
    }
    if alike.len() > 1 {
        alike.remove(&BTreeSet::new());
    }
    let is_whole = n_rounds > 1 && alike.values().all(|threads| threads.len() == n_rounds);
    let rounds = alike.into_values().flat_map(|threads| threads.into_iter().enumerate());
    is_whole.then(|| rounds.map(|(round, thread)| (thread, round)).collect())
}

/// What the reader has to know of rounds.
pub(crate) fn remark() -> Warning {
    Warning::new(
        "by_rounds",
        "what is compared is the faster half of the rounds of either run: others on the machine make rounds slower and none faster; what \
         is done outside of rounds is not in it",
    )
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, ScopeKey, ScopeStats};

    use super::*;

    /// A profile with a thread of its name for each of these models.
    fn profile(threads: &[(&str, Option<&str>)]) -> Profile {
        let mut profile = Profile::default();
        for (at, (name, model)) in threads.iter().enumerate() {
            let thread = profile.intern_thread(1, at as u64 + 1, name);
            let stack = profile.intern_named_path(&["work"], FrameKind::Scope).expect("a path has a frame");
            let labels = model.map_or(LabelTable::none(), |model| {
                let pair = ["model", model].map(|text| profile.strings.intern(text));
                profile.labels.intern(&[pair.into()])
            });
            profile.scopes.add(ScopeKey { stack, thread, labels }, ScopeStats::default());
        }
        profile
    }

    fn rounds(threads: &[(&str, Option<&str>)], n_rounds: usize) -> Option<Vec<usize>> {
        let profile = profile(threads);
        let rounds = threads_of_rounds(&profile, n_rounds)?;
        Some(profile.threads.iter().filter_map(|(thread, _)| rounds.get(&thread).copied()).collect())
    }

    #[test]
    fn rounds_are_found_whatever_their_threads_are_called() {
        let (small, large) = (Some("small"), Some("large"));
        let of_two = [("main", None), ("a", small), ("round 7", large), ("b", small), ("c", large)];
        assert_eq!(rounds(&of_two, 2), Some(vec![0, 0, 1, 1]));
        assert_eq!(rounds(&[("x", None), ("x", None)], 2), Some(vec![0, 1]));
    }

    #[test]
    fn a_run_that_was_cut_short_has_no_rounds() {
        let small = Some("small");
        assert_eq!(rounds(&[("round 1", small), ("round 2", small)], 3), None);
        assert_eq!(rounds(&[("round 1", small), ("round 2", small), ("round 1", Some("large"))], 2), None);
        assert_eq!(rounds(&[("round 1", None)], 1), None);
    }
}
