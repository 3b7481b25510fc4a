//! What scopes allocated and freed, as an allocator that knows the open scopes counted it.

use std::cmp::Reverse;

use calor_model::{Profile, ScopeMemory, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::ThreadChoice;

/// The memory of one scope on one call path, its children included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScopeMemoryRow {
    /// The path.
    pub stack: StackId,
    /// How often the scope was entered; of an async scope, how many lives it had.
    pub calls: u64,
    /// What happened inside, all chosen threads together.
    pub memory: ScopeMemory,
}

impl ScopeMemoryRow {
    /// Bytes allocated inside less those freed inside; below zero for a scope that frees what others allocated.
    #[must_use]
    pub fn kept_bytes(&self) -> i128 {
        i128::from(self.memory.allocated_bytes) - i128::from(self.memory.freed_bytes)
    }
}

/// The scopes that allocated or freed anything, the one that allocated most first; empty when no allocator was watched.
#[must_use]
pub fn scope_memory(profile: &Profile, threads: &ThreadChoice) -> Vec<ScopeMemoryRow> {
    let chosen = threads.mask(profile);
    let mut sums: IndexMap<StackId, (u64, Option<u64>, ScopeMemory), RandomState> = IndexMap::default();
    for (key, stats) in profile.scopes.iter().filter(|(key, _)| chosen[key.thread.index()]) {
        if let Some(memory) = &stats.memory {
            let sum = sums.entry(key.stack).or_default();
            sum.0 = sum.0.saturating_add(stats.calls);
            if let Some(future) = &stats.future {
                let lives = future.wall.count.saturating_add(future.cancelled);
                sum.1 = Some(sum.1.unwrap_or(0).saturating_add(lives));
            }
            sum.2.add(memory);
        }
    }
    let rows = sums.into_iter().map(|(stack, (entered, lives, memory))| {
        // While none of them has ended, a poll is all that is known.
        let calls = lives.filter(|lives| *lives > 0).unwrap_or(entered);
        ScopeMemoryRow { stack, calls, memory }
    });
    let mut rows: Vec<ScopeMemoryRow> = rows.filter(|row| row.memory != ScopeMemory::default()).collect();
    rows.sort_by_key(|row| (Reverse((row.memory.allocated_bytes, row.memory.freed_bytes)), row.stack));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn scopes_of_several_threads_add_up_and_those_without_memory_are_not_listed() {
        let profile = Sketch::new()
            .scope("a", &["idle"], 1, 10)
            .allocating_scope("a", &["run"], 100, 4)
            .allocating_scope("b", &["run"], 50, 1)
            .allocating_scope("a", &["run", "parse"], 60, 2)
            .allocating_scope("a", &["empty"], 0, 0)
            .profile();
        let rows = scope_memory(&profile, &ThreadChoice::All);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (profile.stack_name(row.stack), row.calls, row.memory.allocated_bytes))
            .collect();
        assert_eq!(told, [("run", 2, 150), ("parse", 1, 60)]);
        assert_eq!(rows[0].kept_bytes(), 150);
        let one = scope_memory(&profile, &ThreadChoice::Named("b".to_owned()));
        assert_eq!((one.len(), one[0].memory.allocated_count), (1, 1));
    }

    #[test]
    fn a_call_of_an_async_scope_is_a_life_and_not_a_poll() {
        let mut profile = Sketch::new()
            .allocating_scope("a", &["task"], 100, 4)
            .allocating_scope("b", &["task"], 50, 1)
            .profile();
        let (key, stats) = profile.scopes.iter().next().map(|(key, stats)| (key, stats.clone())).unwrap();
        let mut wall = calor_model::DurationStats::default();
        wall.record(7);
        wall.record(9);
        let future = calor_model::FutureStats { wall, cancelled: 1 };
        *profile.scopes.row_mut(key) =
            calor_model::ScopeStats { calls: 40, future: Some(Box::new(future)), ..stats };
        assert_eq!(scope_memory(&profile, &ThreadChoice::All)[0].calls, 3);
    }
}
