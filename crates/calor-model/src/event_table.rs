//! Events of the processor and the kernel by call path: instructions, cache misses, page faults, switches. They are
//! sampled, each sample standing for as many events as went by since the one before, so that sums are estimates that
//! are the better the more samples there are.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{LabelSetId, StackId, StringId, ThreadId};

/// What a row of the [`EventTable`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventKey {
    /// What was counted, such as `page-faults`.
    pub name: StringId,
    /// The call path; its innermost frame is where the events happened.
    pub stack: StackId,
    /// The thread that they happened on.
    pub thread: ThreadId,
    /// Labels that were set meanwhile.
    pub labels: LabelSetId,
}

/// How much was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventWeight {
    /// Events that the samples stand for.
    pub events: u64,
    /// Samples.
    pub samples: u64,
}

impl EventWeight {
    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        self.events = self.events.saturating_add(other.events);
        self.samples = self.samples.saturating_add(other.samples);
    }
}

/// The rows, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct EventTable {
    rows: IndexMap<EventKey, EventWeight, RandomState>,
}

impl EventTable {
    /// Adds to the row of `key`, which is made if it is new.
    pub fn add(&mut self, key: EventKey, weight: EventWeight) {
        self.rows.entry(key).or_default().add(weight);
    }

    /// The row of `key`.
    #[must_use]
    pub fn get(&self, key: &EventKey) -> Option<EventWeight> {
        self.rows.get(key).copied()
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (EventKey, EventWeight)> {
        self.rows.iter().map(|(key, weight)| (*key, *weight))
    }

    /// What was counted, each once, in the order of first use.
    #[must_use]
    pub fn names(&self) -> Vec<StringId> {
        let mut names: Vec<StringId> = Vec::new();
        for key in self.rows.keys() {
            if !names.contains(&key.name) {
                names.push(key.name);
            }
        }
        names
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_cached_key(|key, _| (key.name, key.stack, key.thread, key.labels));
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
