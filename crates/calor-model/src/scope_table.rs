//! What scopes recorded: exact statistics for each call path, thread and set of labels. Together the rows
//! are the call tree; self time is not stored, because it follows from the totals of a path and its children.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{DurationStats, LabelSetId, StackId, StringId, ThreadId};

/// What a row of the [`ScopeTable`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeKey {
    /// The call path; its innermost frame is the scope.
    pub stack: StackId,
    /// The thread the scope was closed on.
    pub thread: ThreadId,
    /// Labels of the scope itself, or that were set meanwhile: callers may have others.
    pub labels: LabelSetId,
}

/// What is known of one scope on one call path. For an async scope, `timed` is about its polls, and
/// [`ScopeStats::future`] about its whole lives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScopeStats {
    /// How often the scope was entered; always exact. Of an async scope, how often it was polled.
    pub calls: u64,
    /// The calls that were timed: all of them, unless the recorder was told to time one in N.
    pub timed: DurationStats,
    /// The time of all calls: measured when all were timed, otherwise estimated from the timed ones.
    pub total_nanos: u64,
    /// The variance of `total_nanos` as an estimate, in nanoseconds squared; 0 when it was measured.
    pub total_variance: f64,
    /// How many calls had begun and not ended when the profile was taken. Parts of a running recording say
    /// by how much that changed, so a part may be negative while the sum never is.
    pub open_calls: i64,
    /// For how long those had been running. Not part of `total_nanos`.
    pub open_nanos: i64,
    /// What was worked on.
    pub work: Work,
    /// What was allocated inside, children included; `None` when no allocator was watched.
    pub memory: Option<ScopeMemory>,
    /// Of an async scope: its whole lives, from creation to completion.
    pub future: Option<Box<FutureStats>>,
}

/// What scopes worked on, as their programs told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Elements processed.
    pub elements: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// How many calls each backend served, sorted by handle.
    pub backends: Vec<(StringId, u64)>,
    /// Sums of custom counters, sorted by handle.
    pub counters: Vec<(StringId, i64)>,
}

/// Allocations inside a scope, its children included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScopeMemory {
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Number of allocations.
    pub allocated_count: u64,
    /// Bytes freed, wherever they had been allocated.
    pub freed_bytes: u64,
    /// Number of frees.
    pub freed_count: u64,
    /// The most that one call held above what was there when it began.
    pub peak_bytes: u64,
}

/// The lives of an async scope's futures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FutureStats {
    /// Wall time from the first poll to completion, of every future that completed.
    pub wall: DurationStats,
    /// Futures that were dropped before they completed.
    pub cancelled: u64,
}

impl ScopeStats {
    /// Whether `total_nanos` is an estimate, because only some of the calls were timed. Where no call was timed by
    /// itself, as in files that carry sums only, the total is what they say.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        self.timed.count > 0 && self.timed.count < self.calls
    }

    /// The mean of the timed calls, or of all where only their sum is known. Where only some were timed, that of all as
    /// estimated: the timed ones have the first calls among them, and what timing cost.
    #[must_use]
    pub fn mean_nanos(&self) -> Option<f64> {
        let of_all = || (self.calls > 0).then(|| self.total_nanos as f64 / self.calls as f64);
        self.timed.mean_nanos().filter(|_| !self.is_estimated()).or_else(of_all)
    }

    /// Time of all finished calls and of those still open: what a parent's time is compared with.
    #[must_use]
    pub fn inclusive_nanos(&self) -> u64 {
        self.total_nanos.saturating_add_signed(self.open_nanos)
    }

    /// Adds everything that `other` holds.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.timed.add(&other.timed);
        self.total_nanos = self.total_nanos.saturating_add(other.total_nanos);
        self.total_variance += other.total_variance;
        self.open_calls = self.open_calls.saturating_add(other.open_calls);
        self.open_nanos = self.open_nanos.saturating_add(other.open_nanos);
        self.work.add(&other.work);
        match (&mut self.memory, &other.memory) {
            (Some(own), Some(theirs)) => own.add(theirs),
            (own @ None, Some(theirs)) => *own = Some(*theirs),
            (_, None) => {}
        }
        match (&mut self.future, &other.future) {
            (Some(own), Some(theirs)) => {
                own.wall.add(&theirs.wall);
                own.cancelled = own.cancelled.saturating_add(theirs.cancelled);
            }
            (own @ None, Some(theirs)) => *own = Some(theirs.clone()),
            (_, None) => {}
        }
    }
}

impl Work {
    /// Adds everything that `other` holds.
    pub fn add(&mut self, other: &Self) {
        self.elements = self.elements.saturating_add(other.elements);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.flops = self.flops.saturating_add(other.flops);
        for &(name, calls) in &other.backends {
            self.add_backend(name, calls);
        }
        for &(name, value) in &other.counters {
            self.add_counter(name, value);
        }
    }

    /// Adds calls that a backend served.
    pub fn add_backend(&mut self, name: StringId, calls: u64) {
        match self.backends.binary_search_by_key(&name, |entry| entry.0) {
            Ok(at) => self.backends[at].1 = self.backends[at].1.saturating_add(calls),
            Err(at) => self.backends.insert(at, (name, calls)),
        }
    }

    /// Adds to a custom counter.
    pub fn add_counter(&mut self, name: StringId, value: i64) {
        match self.counters.binary_search_by_key(&name, |entry| entry.0) {
            Ok(at) => self.counters[at].1 = self.counters[at].1.saturating_add(value),
            Err(at) => self.counters.insert(at, (name, value)),
        }
    }

    /// Whether nothing was told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ScopeMemory {
    /// Adds everything that `other` holds; the larger peak counts.
    pub fn add(&mut self, other: &Self) {
        self.allocated_bytes = self.allocated_bytes.saturating_add(other.allocated_bytes);
        self.allocated_count = self.allocated_count.saturating_add(other.allocated_count);
        self.freed_bytes = self.freed_bytes.saturating_add(other.freed_bytes);
        self.freed_count = self.freed_count.saturating_add(other.freed_count);
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
    }
}

/// The rows, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct ScopeTable {
    rows: IndexMap<ScopeKey, ScopeStats, RandomState>,
}

impl ScopeTable {
    /// Adds to the row of `key`, which is made if it is new.
    pub fn add(&mut self, key: ScopeKey, stats: ScopeStats) {
        match self.rows.entry(key) {
            indexmap::map::Entry::Occupied(mut row) => row.get_mut().add(&stats),
            indexmap::map::Entry::Vacant(row) => {
                row.insert(stats);
            }
        }
    }

    /// The row of `key`, which is made if it is new.
    pub fn row_mut(&mut self, key: ScopeKey) -> &mut ScopeStats {
        self.rows.entry(key).or_default()
    }

    /// Makes room for so many rows at once, if there is none yet.
    pub fn reserve(&mut self, rows: usize) {
        if self.rows.is_empty() {
            self.rows.reserve(rows);
        }
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_cached_key(|key, _| (key.stack, key.thread, key.labels));
    }

    /// The row of `key`.
    #[must_use]
    pub fn get(&self, key: &ScopeKey) -> Option<&ScopeStats> {
        self.rows.get(key)
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ScopeKey, &ScopeStats)> {
        self.rows.iter().map(|(key, stats)| (*key, stats))
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
