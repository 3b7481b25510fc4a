//! Counters over time: memory, temperature, loss, tokens; whatever has a value at an instant.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{StringId, ThreadId};

/// What a series is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CounterKey {
    /// What is counted.
    pub name: StringId,
    /// In what, such as `bytes`; empty for a bare number.
    pub unit: StringId,
    /// The thread it belongs to; `None` for the whole process or machine.
    pub thread: Option<ThreadId>,
}

/// A value at an instant, in nanoseconds from the start of the run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CounterPoint {
    /// When.
    pub at_nanos: u64,
    /// How much.
    pub value: f64,
}

/// The series, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct CounterTable {
    series: IndexMap<CounterKey, Vec<CounterPoint>, RandomState>,
}

impl CounterTable {
    /// The points of a series, which is made if it is new.
    pub fn series_mut(&mut self, key: CounterKey) -> &mut Vec<CounterPoint> {
        self.series.entry(key).or_default()
    }

    /// The points of a series.
    #[must_use]
    pub fn get(&self, key: &CounterKey) -> Option<&[CounterPoint]> {
        self.series.get(key).map(Vec::as_slice)
    }

    /// All series.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (CounterKey, &[CounterPoint])> {
        self.series.iter().map(|(key, points)| (*key, points.as_slice()))
    }

    /// Puts every series in order of time.
    pub fn sort(&mut self) {
        for points in self.series.values_mut() {
            points.sort_by(|a, b| a.at_nanos.cmp(&b.at_nanos).then(a.value.total_cmp(&b.value)));
        }
    }

    /// Puts the series in the order of their handles.
    pub(crate) fn sort_series(&mut self) {
        self.series.sort_by_cached_key(|key, _| (key.name, key.unit, key.thread));
    }

    /// How many series there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }
}
