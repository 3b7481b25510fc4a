//! What the samples add up to: call paths of addresses and how often each thread was found in them. Nothing is
//! kept of a single sample, so that memory follows the program's call paths and not the length of a recording.

use calor_model::{EventWeight, SampleKind, SampleWeight};
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use super::spaces::Location;
use crate::python::{FunctionId, Lock};

/// A place in a call path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// An address in a program or library.
    User(Location),
    /// An address in the kernel.
    Kernel(u64),
    /// The kernel, without knowing where.
    InKernel,
    /// A Python function at a line.
    Python(FunctionId, u32),
    /// A Python function that is not there any more.
    PythonUnnamed,
    /// Python functions, of which it is not certain which.
    PythonUnverified,
    /// The kernel is at work on starting a program: what called for it is gone already.
    Starting,
    /// Memory is mapped: the function of the system that does it, which the library of the heap stands before.
    Mapping,
    /// Frames further out are not known.
    Broken,
    /// Frames further out were left out: the path is longer than asked for.
    Longer,
    /// Many paths, none of which matters by itself.
    Folded,
}

/// A path: a place and the path that led to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Option<u32>,
    pub(crate) step: u32,
}

/// Who was found there, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TallyKey {
    pub(crate) node: u32,
    pub(crate) pid: i32,
    /// 0 for threads that are not told apart.
    pub(crate) tid: i32,
    pub(crate) kind: SampleKind,
    /// How it stood to Python's lock, if it ran Python.
    pub(crate) lock: Option<Lock>,
}

/// Paths beyond this many are not told apart any more; the recording says so.
const NODE_LIMIT: usize = 1 << 21;

/// The sums.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    steps: IndexSet<Step, RandomState>,
    nodes: IndexSet<Node, RandomState>,
    weights: IndexMap<TallyKey, SampleWeight, RandomState>,
    /// By the number of the counter, too.
    events: IndexMap<(u8, TallyKey), EventWeight, RandomState>,
    /// Samples whose path was cut because there were too many.
    pub(crate) overflowed: u64,
}

impl Tally {
    /// The handle of a path, given outermost first.
    pub(crate) fn path(&mut self, steps: impl IntoIterator<Item = Step>) -> Option<u32> {
        let mut parent = None;
        for step in steps {
            let step = index(self.steps.insert_full(step).0);
            let node = Node { parent, step };
            if self.nodes.len() >= NODE_LIMIT && !self.nodes.contains(&node) {
                self.overflowed += 1;
                break;
            }
            parent = Some(index(self.nodes.insert_full(node).0));
        }
        parent
    }

    /// Adds to a path.
    pub(crate) fn add(&mut self, key: TallyKey, weight: SampleWeight) {
        self.weights.entry(key).or_default().add(weight);
    }

    /// Adds events of a counter to a path.
    pub(crate) fn add_events(&mut self, counter: u8, key: TallyKey, weight: EventWeight) {
        self.events.entry((counter, key)).or_default().add(weight);
    }

    pub(crate) fn events(&self) -> impl ExactSizeIterator<Item = (u8, TallyKey, EventWeight)> {
        self.events.iter().map(|((counter, key), weight)| (*counter, *key, *weight))
    }

    /// Makes the events of a counter add up to `all`, in proportion; `false` where none were sampled.
    pub(crate) fn scale_events(&mut self, counter: u8, all: u64) -> bool {
        let rows = || self.events.iter().filter(|((of, _), _)| *of == counter);
        let sampled: u128 = rows().map(|(_, weight)| u128::from(weight.events)).sum();
        if sampled == 0 {
            return all == 0;
        }
        // What is cut off by the division of one row is given to the next.
        let (mut seen, mut given) = (0_u128, 0_u128);
        for ((of, _), weight) in &mut self.events {
            if *of == counter {
                seen += u128::from(weight.events);
                let upto = seen * u128::from(all) / sampled;
                weight.events = u64::try_from(upto - given).unwrap_or(u64::MAX);
                given = upto;
            }
        }
        true
    }

    pub(crate) fn steps(&self) -> impl ExactSizeIterator<Item = Step> {
        self.steps.iter().copied()
    }

    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = Node> {
        self.nodes.iter().copied()
    }

    pub(crate) fn weights(&self) -> impl ExactSizeIterator<Item = (TallyKey, SampleWeight)> {
        self.weights.iter().map(|(key, weight)| (*key, *weight))
    }

    /// The innermost place of a path.
    pub(crate) fn innermost(&self, node: u32) -> Option<Step> {
        let node = self.nodes.get_index(node as usize)?;
        self.steps.get_index(node.step as usize).copied()
    }

    /// The places of a path, innermost first.
    pub(crate) fn path_of(&self, node: u32) -> Vec<Step> {
        let row = |node: u32| self.nodes.get_index(node as usize).copied();
        std::iter::successors(row(node), |node| row(node.parent?))
            .filter_map(|node| self.steps.get_index(node.step as usize).copied())
            .collect()
    }

    /// Whether it has grown so large that it should be written out and begun anew.
    pub(crate) fn is_large(&self) -> bool {
        self.nodes.len() > NODE_LIMIT / 4 || self.weights.len() + self.events.len() > NODE_LIMIT / 8
    }
}

fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_add_up_to_what_the_kernel_has_counted() {
        let mut tally = Tally::default();
        let key = |node| TallyKey { node, pid: 1, tid: 1, kind: SampleKind::Cpu, lock: None };
        for (counter, node, events) in [(0, 0, 10), (0, 1, 20), (0, 2, 3), (1, 0, 7)] {
            tally.add_events(counter, key(node), EventWeight { events, samples: 1 });
        }
        assert!(tally.scale_events(0, 1_000));
        let of = |counter: u8| -> Vec<u64> {
            tally.events().filter(|row| row.0 == counter).map(|row| row.2.events).collect()
        };
        assert_eq!((of(0), of(1)), (vec![303, 606, 91], vec![7]));
        assert_eq!((tally.scale_events(2, 0), tally.scale_events(2, 5)), (true, false));
    }
}
