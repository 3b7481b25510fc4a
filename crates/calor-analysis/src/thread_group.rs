//! Threads of one name, added up: a pool has dozens of them, a build thousands of short processes.

use std::cmp::Reverse;

use calor_model::Profile;
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::ThreadSummary;

/// Threads that share a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadGroup {
    /// Their figures together, under the handle of the first.
    pub figures: ThreadSummary,
    /// How many they are.
    pub n_threads: usize,
}

/// One group for each name, that with the most time first. A thread without a name is a group of its own.
#[must_use]
pub fn threads_by_name(profile: &Profile, threads: &[ThreadSummary]) -> Vec<ThreadGroup> {
    let mut named: IndexMap<&str, ThreadGroup, RandomState> = IndexMap::default();
    let mut nameless = Vec::new();
    for thread in threads {
        let group = ThreadGroup { figures: *thread, n_threads: 1 };
        match profile.strings.get(profile.threads.get(thread.thread).name) {
            "" => nameless.push(group),
            name => {
                let known = named.entry(name).and_modify(|known| {
                    known.figures.add(thread);
                    known.n_threads += 1;
                });
                known.or_insert(group);
            }
        }
    }
    let mut groups: Vec<ThreadGroup> = named.into_values().chain(nameless).collect();
    groups.sort_by_key(|group| (Reverse(group.figures.time()), group.figures.thread));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{CallTree, Summary, ThreadChoice, TreeOptions};
    use calor_model::SampleKind;

    #[test]
    fn threads_of_a_name_are_added_up_and_nameless_ones_stay_apart() {
        let mut sketch = Sketch::new();
        for (tid, name, count) in [(1, "sh", 5), (2, "sed", 3), (3, "sed", 4), (4, "", 1), (5, "", 1)] {
            sketch = sketch.samples_of(name, tid, SampleKind::Cpu, count);
        }
        let profile = sketch.samples("sh", SampleKind::OffCpu, &["read"], 2).profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let groups = threads_by_name(&profile, &Summary::new(&tree, &ThreadChoice::All).threads);
        let name = |group: &ThreadGroup| profile.strings.get(profile.threads.get(group.figures.thread).name);
        let found: Vec<_> =
            groups.iter().map(|g| (name(g), g.n_threads, g.figures.samples, g.figures.waits)).collect();
        let expected = [
            ("sed", 2, Some(7), None),
            ("sh", 2, Some(5), Some(2)),
            ("", 1, Some(1), None),
            ("", 1, Some(1), None),
        ];
        assert_eq!(found, expected);
    }
}
