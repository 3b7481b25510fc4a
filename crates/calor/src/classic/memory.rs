//! The memory profiler: who holds how much, by the names that a program gives to what it allocates. It keeps
//! account of what it is told; memory that nobody tells of is not in it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use calor_model::{
    FrameKind, HeapKey, HeapMode, HeapSite, HeapSummary, LabelTable, Profile, Recorder, Warning,
};

use crate::clock::{self, Scale};

use super::begin::Begin;
use super::calls::ALL_THREADS;
use super::error::{Error, Result};
use super::outcome::Outcome;

/// Names that are kept apart; further ones are added up.
const MAX_NAMES: usize = 8192;
const OTHER_NAMES: &str = "(other names)";

/// What one name holds and held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct MemoryStats {
    /// The name.
    pub name: String,
    /// Bytes held now.
    pub current_bytes: usize,
    /// The most bytes held at once under this name.
    pub peak_bytes: usize,
    /// Bytes held under this name when all names together held most.
    pub bytes_at_peak: usize,
    /// Bytes allocated in all.
    pub allocated_bytes: u64,
    /// How many allocations there were.
    pub alloc_count: u64,
    /// Bytes freed in all.
    pub freed_bytes: u64,
    /// How many frees there were.
    pub free_count: u64,
}

/// Keeps account of named allocations, on any number of threads.
///
/// ```
/// let memory = calor::MemoryProfiler::new();
/// memory.record_alloc("weights", 4096);
/// memory.record_alloc("activations", 1024);
/// memory.record_free("activations", 1024);
/// assert_eq!((memory.current(), memory.peak()), (4096, 5120));
/// assert_eq!(memory.leaks()[0].name, "weights");
/// ```
#[derive(Default)]
pub struct MemoryProfiler {
    account: Mutex<Account>,
}

#[derive(Default)]
struct Account {
    begin: Begin,
    names: BTreeMap<String, Entry>,
    current: usize,
    peak: usize,
    peak_at_ticks: u64,
    /// Counts new peaks, so that a name learns of them when it is next touched.
    peaks: u64,
    /// Bytes freed that were not held.
    stray_bytes: u64,
}

#[derive(Default)]
struct Entry {
    stats: MemoryStats,
    /// The peak that `bytes_at_peak` is of.
    peak: u64,
}

impl MemoryProfiler {
    /// A profiler that has been told of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells that `bytes` were allocated under a name.
    pub fn record_alloc(&self, name: &str, bytes: usize) {
        self.lock().alloc(name, bytes);
    }

    /// Tells that `bytes` of a name were freed. When it did not hold as much, what it held is taken off, and
    /// the outcome says what to do.
    pub fn record_free(&self, name: &str, bytes: usize) -> Outcome<()> {
        Outcome::new(self.lock().free(name, bytes))
    }

    /// Bytes held now.
    #[must_use]
    pub fn current(&self) -> usize {
        self.lock().current
    }

    /// The most bytes that were held at once.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.lock().peak
    }

    /// What one name holds and held; `None` when nothing was allocated under it.
    #[must_use]
    pub fn stats(&self, name: &str) -> Option<MemoryStats> {
        let account = self.lock();
        account.names.get(name).map(|entry| account.settled(entry))
    }

    /// What all names hold and held, sorted by name.
    #[must_use]
    pub fn all(&self) -> Vec<MemoryStats> {
        let account = self.lock();
        account.names.values().map(|entry| account.settled(entry)).collect()
    }

    /// The names that hold anything now, the one with the most bytes first. At the end of a program these are
    /// its leaks; before that, also what is still in use.
    #[must_use]
    pub fn leaks(&self) -> Vec<MemoryStats> {
        let mut held: Vec<_> = self.all().into_iter().filter(|stats| stats.current_bytes > 0).collect();
        held.sort_by_key(|stats| std::cmp::Reverse(stats.current_bytes));
        held
    }

    /// Forgets everything, what is held now included.
    pub fn reset(&self) {
        *self.lock() = Account::default();
    }

    /// The account as a profile's heap.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        let mut profile = Profile::default();
        self.add_to(&mut profile);
        profile.runs.push(self.lock().begin.run([Recorder::Heap]));
        profile
    }

    /// Adds the account to a profile that has no heap, and says whether there is anything in it.
    pub(super) fn add_to(&self, profile: &mut Profile) -> bool {
        let (names, peak, peak_at, stray_bytes) = {
            let account = self.lock();
            let names: Vec<_> = account.names.values().map(|entry| account.settled(entry)).collect();
            (names, account.peak, account.begin.until(account.peak_at_ticks), account.stray_bytes)
        };
        if stray_bytes > 0 {
            let message =
                "bytes were freed that were not held under their name: look at what record_free returns";
            profile.warn(Warning::counted("frees_without_alloc", message, stray_bytes));
        }
        if names.is_empty() {
            return false;
        }
        let thread = profile.intern_thread(std::process::id(), 0, ALL_THREADS);
        for stats in &names {
            if let Some(stack) = profile.intern_named_path(&[&stats.name], FrameKind::Scope) {
                let key = HeapKey { stack, thread, labels: LabelTable::none() };
                profile.heap.add(key, &stats.as_site());
            }
        }
        let peak_at = Scale::measure().nanos(peak_at);
        profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, peak as u64, Some(peak_at)));
        true
    }
}

impl fmt::Debug for MemoryProfiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryProfiler").field("names", &self.all()).finish()
    }
}

impl Account {
    fn alloc(&mut self, name: &str, bytes: usize) {
        let entry = self.entry(name);
        let stats = &mut entry.stats;
        stats.allocated_bytes = stats.allocated_bytes.saturating_add(bytes as u64);
        stats.alloc_count += 1;
        stats.current_bytes = stats.current_bytes.saturating_add(bytes);
        stats.peak_bytes = stats.peak_bytes.max(stats.current_bytes);
        self.current = self.current.saturating_add(bytes);
        if self.current > self.peak {
            self.peak = self.current;
            self.peak_at_ticks = clock::ticks();
            self.peaks += 1;
        }
    }

    fn free(&mut self, name: &str, bytes: usize) -> Result<()> {
        let is_known = self.names.contains_key(name) || self.names.contains_key(OTHER_NAMES);
        let mut held = 0;
        if is_known {
            let stats = &mut self.entry(name).stats;
            held = stats.current_bytes;
            let freed = bytes.min(held);
            stats.current_bytes -= freed;
            stats.freed_bytes = stats.freed_bytes.saturating_add(freed as u64);
            stats.free_count += 1;
            self.current = self.current.saturating_sub(freed);
        }
        if bytes <= held {
            return Ok(());
        }
        self.stray_bytes = self.stray_bytes.saturating_add((bytes - held) as u64);
        Err(Error::NotHeld { name: name.to_owned(), bytes, held })
    }

    /// The entry of a name, ready to be changed: it knows what it held at the last peak.
    fn entry(&mut self, name: &str) -> &mut Entry {
        let is_full = self.names.len() >= MAX_NAMES && !self.names.contains_key(name);
        let name = if is_full { OTHER_NAMES } else { name };
        if !self.names.contains_key(name) {
            let stats = MemoryStats { name: name.to_owned(), ..MemoryStats::default() };
            self.names.insert(name.to_owned(), Entry { stats, peak: self.peaks });
        }
        let entry = self.names.get_mut(name).expect("it was put there");
        if entry.peak != self.peaks {
            // It has not been touched since the last peak, so what it holds is what it held then.
            entry.stats.bytes_at_peak = entry.stats.current_bytes;
            entry.peak = self.peaks;
        }
        entry
    }

    fn settled(&self, entry: &Entry) -> MemoryStats {
        let mut stats = entry.stats.clone();
        if entry.peak != self.peaks {
            stats.bytes_at_peak = stats.current_bytes;
        }
        stats
    }
}

impl MemoryStats {
    fn as_site(&self) -> HeapSite {
        HeapSite {
            allocated_bytes: self.allocated_bytes,
            allocated_count: self.alloc_count,
            freed_bytes: self.freed_bytes,
            freed_count: self.free_count,
            peak_bytes: self.bytes_at_peak as u64,
            ..HeapSite::default()
        }
    }
}
