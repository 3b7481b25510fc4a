//! What a set of call paths adds up to without a look at any histogram: enough to put paths and functions in
//! order, and cheap enough to be worked out for all of them.

use std::cmp::Reverse;

use crate::CallNode;

/// What a list is sorted by, the largest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Time with children.
    Total,
    /// Time without children.
    #[default]
    SelfTime,
    /// Number of calls (of samples, in a sampled tree).
    Calls,
}

/// Figures of one or more paths, added up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Totals {
    /// How often they were entered.
    pub calls: u64,
    /// How many of those calls were timed.
    pub timed_calls: u64,
    /// Samples that found one of them innermost.
    pub samples: u64,
    /// Time with children. A function that calls itself counts once, not once for every level.
    pub total_nanos: u64,
    /// The variance of `total_nanos` as an estimate, in nanoseconds squared.
    pub total_variance: f64,
    /// Time without children.
    pub self_nanos: u64,
    /// Time of every path with its children as it was measured, before any correction.
    pub measured_nanos: u64,
    /// Whether `total_nanos` is an estimate.
    pub is_estimated: bool,
    /// Whether `self_nanos` is an estimate.
    pub is_self_estimated: bool,
    /// Whether a call had not ended.
    pub is_open: bool,
}

impl Totals {
    pub(crate) fn of(node: &CallNode) -> Self {
        let mut totals = Self::default();
        totals.add(node, true);
        totals
    }

    /// Adds a path. One that is not outermost runs inside another of the set, whose time holds its own.
    pub(crate) fn add(&mut self, node: &CallNode, is_outermost: bool) {
        self.calls = self.calls.saturating_add(node.calls);
        self.timed_calls = self.timed_calls.saturating_add(node.timed_calls);
        self.samples = self.samples.saturating_add(node.samples);
        if is_outermost {
            self.total_nanos = self.total_nanos.saturating_add(node.inclusive_nanos);
            self.total_variance += node.inclusive_variance;
        }
        self.self_nanos = self.self_nanos.saturating_add(node.self_nanos);
        self.measured_nanos = self.measured_nanos.saturating_add(node.measured_nanos);
        self.is_estimated |= node.is_estimated;
        self.is_self_estimated |= node.is_self_estimated;
        self.is_open |= node.open_calls != 0;
    }

    /// Adds what inlined code took itself to the path that it was put into, whose total holds it already.
    pub(crate) fn add_inlined(&mut self, node: &CallNode) {
        self.samples = self.samples.saturating_add(node.samples);
        self.self_nanos = self.self_nanos.saturating_add(node.self_nanos);
        self.is_self_estimated |= node.is_self_estimated;
    }

    /// How often they were entered; `None` where only their time is known, as in files that hold sums alone.
    #[must_use]
    pub fn known_calls(&self) -> Option<u64> {
        (self.calls > 0 || self.is_open || self.total_nanos == 0).then_some(self.calls)
    }

    /// Whether there is anything to list: paths that only lead to others have nothing of their own.
    pub(crate) fn is_listed(&self) -> bool {
        self.calls > 0 || self.samples > 0 || self.self_nanos > 0 || self.is_open
    }

    /// What it is sorted by.
    pub(crate) fn key(&self, order: Order) -> Reverse<(u64, u64)> {
        Reverse(match order {
            Order::Total => (self.total_nanos, self.self_nanos),
            Order::SelfTime => (self.self_nanos, self.total_nanos),
            Order::Calls => (self.calls.saturating_add(self.samples), self.self_nanos),
        })
    }
}

/// The `limit` smallest of a list, in order; the rest is not sorted.
pub(crate) fn first<T: Ord>(mut list: Vec<T>, limit: usize) -> Vec<T> {
    if limit < list.len() {
        list.select_nth_unstable(limit);
        list.truncate(limit);
    }
    list.sort_unstable();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_list_are_those_of_the_sorted_list() {
        let list: Vec<u32> = (0..97).map(|number| number * 37 % 97).collect();
        for limit in [0, 1, 30, 96, 97, 98, usize::MAX] {
            let expected: Vec<u32> = (0..97).take(limit).collect();
            assert_eq!(first(list.clone(), limit), expected);
        }
    }
}
