//! What a scope did itself: its figures less those of the scopes it called.
//!
//! A scope's children are the nearest rows further in, of the same thread and labels: frames between them without a
//! row of their own (functions that are no scopes, callers that were left out or never closed) are looked through.
//! A row without any caller that has a row counts as a root.

use crate::{Profile, ScopeKey, ScopeStats, StackTable};

/// Figures that a scope's row counts with its children's, as signed numbers so that they can be taken apart and
/// put together again without loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) nanos: i128,
    pub(crate) allocated_bytes: i128,
    pub(crate) allocated_count: i128,
    pub(crate) freed_bytes: i128,
    pub(crate) freed_count: i128,
}

impl Figures {
    pub(crate) fn of(stats: &ScopeStats) -> Self {
        let memory = stats.memory.unwrap_or_default();
        Self {
            nanos: i128::from(stats.total_nanos) + i128::from(stats.open_nanos),
            allocated_bytes: memory.allocated_bytes.into(),
            allocated_count: memory.allocated_count.into(),
            freed_bytes: memory.freed_bytes.into(),
            freed_count: memory.freed_count.into(),
        }
    }

    pub(crate) fn add(&mut self, other: &Self, sign: i128) {
        self.nanos += sign * other.nanos;
        self.allocated_bytes += sign * other.allocated_bytes;
        self.allocated_count += sign * other.allocated_count;
        self.freed_bytes += sign * other.freed_bytes;
        self.freed_count += sign * other.freed_count;
    }
}

/// The nearest number that a table can hold.
pub(crate) fn clamped(figure: i128) -> u64 {
    u64::try_from(figure.max(0)).unwrap_or(u64::MAX)
}

/// The number of the row that called the row of `key`, if there is one; `row_of` tells the number of a row.
pub(crate) fn caller(
    stacks: &StackTable,
    key: ScopeKey,
    row_of: impl Fn(&ScopeKey) -> Option<usize>,
) -> Option<usize> {
    let parent = |stack| stacks.get(stack).parent;
    std::iter::successors(parent(key.stack), |stack| parent(*stack))
        .find_map(|stack| row_of(&ScopeKey { stack, ..key }))
}

impl Profile {
    /// The self time of every row of [`Profile::scopes`], in the order of its rows. Where only some calls were
    /// timed, children can seem to take longer than their caller; its self time is then 0.
    #[must_use]
    pub fn scope_self_nanos(&self) -> Vec<u64> {
        self.scope_self_figures().iter().map(|figures| clamped(figures.nanos)).collect()
    }

    pub(crate) fn scope_self_figures(&self) -> Vec<Figures> {
        let mut own: Vec<Figures> = self.scopes.iter().map(|(_, stats)| Figures::of(stats)).collect();
        for (key, stats) in self.scopes.iter() {
            if let Some(row) = caller(&self.stacks, key, |caller| self.scopes.index_of(caller)) {
                own[row].add(&Figures::of(stats), -1);
            }
        }
        own
    }
}
