//! Scopes by call path: calls, time, and what they worked on. Times of scopes are exact, but those of several threads may
//! have passed at once. Where a timeline tells which thread waited for which, a scope's part is that of the critical path;
//! otherwise it takes at least as much of the whole as on the thread where it took longest, and at most what all threads
//! spent in it together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calor_model::{ScopeStats, StackId, ThreadId};

use super::Facts;
use crate::findings::Share;

/// One call path of scopes.
#[derive(Clone, PartialEq, Debug)]
pub struct ScopeFacts {
    /// The path.
    pub stack: StackId,
    /// How often it was entered.
    pub calls: u64,
    /// How often the calling scope was entered; `None` at a root, and where a caller's calls are not known.
    pub parent_calls: Option<u64>,
    /// Its time with children, threads added up.
    pub total_nanos: u64,
    /// Its time without children.
    pub self_nanos: u64,
    /// Its part of the whole, children included.
    pub total_share: Share,
    /// Its part of the whole without children.
    pub self_share: Share,
    /// How many threads entered it.
    pub n_threads: usize,
    /// What was recorded, threads and labels added up: durations with their histogram, work, memory.
    pub stats: ScopeStats,
}

impl ScopeFacts {
    /// Time of a call without its children; `None` without a call.
    #[must_use]
    pub fn self_nanos_per_call(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.self_nanos as f64 / self.calls as f64)
    }
}

pub(super) fn scopes(facts: &Facts<'_>) -> Vec<ScopeFacts> {
    let tree = facts.scope_tree();
    let listed = tree.nodes().filter(|(_, node)| !node.rows.is_empty());
    let told = listed.map(|(_, node)| {
        let mut stats = ScopeStats::default();
        let mut by_thread: BTreeMap<ThreadId, u64> = BTreeMap::new();
        for (key, row) in &tree.rows[node.rows.clone()] {
            stats.add(row);
            let sum = by_thread.entry(key.thread).or_default();
            *sum = sum.saturating_add(row.inclusive_nanos());
        }
        let longest = by_thread.values().copied().max().unwrap_or(0);
        let total = bounds(facts, longest, node.inclusive_nanos);
        let own = total.scaled(node.self_nanos as f64 / node.inclusive_nanos.max(1) as f64);
        let (total_share, self_share) = facts.critical().map_or((total, own), |critical| {
            // What lies on the path may be mostly callees, or mostly the scope itself, whatever the sums of all threads say.
            let (profile, stack) = (facts.profile(), node.stack);
            (critical.share(profile, stack, total), critical.self_share(profile, stack, own))
        });
        ScopeFacts {
            stack: node.stack,
            calls: node.calls,
            parent_calls: node.parent.map(|parent| tree.node(parent).calls).filter(|calls| *calls > 0),
            total_nanos: node.inclusive_nanos,
            self_nanos: node.self_nanos,
            total_share,
            self_share,
            n_threads: by_thread.len(),
            stats,
        }
    });
    let mut list: Vec<ScopeFacts> = told.collect();
    list.sort_by_key(|scope| (Reverse(scope.self_nanos), scope.stack));
    list
}

/// The part of the whole that something takes which took so long on one thread, and on all together.
pub(super) fn bounds(facts: &Facts<'_>, longest_nanos: u64, sum_nanos: u64) -> Share {
    let [low, high] =
        [longest_nanos, sum_nanos].map(|nanos| facts.whole().clock_share(nanos as f64).estimate);
    // Threads of a pool do alike, so that the longest tells what all took by the clock.
    Share::between(low, low, high)
}

#[cfg(test)]
mod tests {
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn a_scope_on_several_threads_takes_between_the_longest_and_all_of_them() {
        let profile = Draft::new()
            .seconds(1e-6)
            .scope(&["run"], 1, 900)
            .scope(&["run", "load"], 6, 300)
            .scope_on("pool-1", &["work"], 2, 400)
            .scope_on("pool-2", &["work"], 2, 300)
            .profile();
        let facts = Facts::new(&profile, None);
        let find = |name| facts.scopes().iter().find(|scope| facts.name(scope.stack) == name).unwrap();
        let (load, work) = (find("load"), find("work"));
        assert_eq!((load.calls, load.parent_calls, load.self_nanos_per_call()), (6, Some(1), Some(50.0)));
        let rounded = |share: f64| (share * 1000.0).round();
        assert_eq!((rounded(load.total_share.low), rounded(load.total_share.high)), (300.0, 300.0));
        assert_eq!((rounded(work.total_share.low), rounded(work.total_share.high)), (400.0, 700.0));
        assert_eq!((work.n_threads, work.stats.calls, rounded(find("run").self_share.high)), (2, 4, 600.0));
    }
}
