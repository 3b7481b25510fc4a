//! Folding: finished scopes move from the ring into the tree, 256 at a time, by the thread that wrote them.
//! In one tight loop this costs about 3 ns a scope; updating the tree when each scope ends costs 7.
//!
//! The other side is a reader's look. `sequence` is odd while the owner folds, so a reader that finds it even
//! and unchanged has copied one consistent state. `is_read` asks the owner to put folding off while somebody
//! looks; the owner does so as long as its ring has room and never waits.

#![expect(unsafe_code, reason = "folding follows pointers to nodes that are never freed")]

use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;

use super::block::Block;
use super::node::{Node, bump};
use super::ring::{CONTINUED, Event, Ring, SAMPLED};

/// Events between folds.
pub(crate) const BATCH: u64 = 256;

/// Histogram counts that are at least half full are moved out each time this many events went by: no 32-bit
/// count can get from half full to full in between.
const SPILL_EVERY: u64 = 1 << 31;

impl Block {
    /// Folds what is in the ring, or puts it off while somebody reads and there is room.
    #[cold]
    #[inline(never)]
    pub(crate) fn fold(&self) {
        let waiting = self.head.load(Relaxed) - self.folded.load(Relaxed);
        if self.is_read.load(Relaxed) && waiting + 2 * BATCH < self.ring_mask.get() {
            return;
        }
        self.fold_now();
    }

    /// Folds everything that is in the ring.
    pub(crate) fn fold_now(&self) {
        // Odd means that a signal handler interrupted a fold and opens scopes: leave it to the next.
        if self.sequence.load(Relaxed) % 2 == 1 {
            return;
        }
        let Some(ring) = self.ring() else { return };
        self.change(|| {
            let (folded, head) = (self.folded.load(Relaxed), self.head.load(Relaxed));
            let reset_at = self.reset_at.load(Relaxed);
            let nodes = self.nodes();
            let mut number = folded;
            while number < head {
                let event = ring.load(number);
                number += 1;
                // The usual event, by two comparisons: a node without marks, a duration in one slot.
                match nodes.get(event.node as usize) {
                    Some(node) if event.duration != u32::MAX => {
                        // SAFETY: events are written with the index of a node of the tree.
                        let node = unsafe { &*node.load(Relaxed) };
                        if event.start >= reset_at {
                            node.tally.record_short(&node.histogram, event.duration);
                        }
                    }
                    _ => number = self.fold_unusual(ring, number - 1, head, reset_at),
                }
            }
            self.folded.store(head, Relaxed);
            if head / SPILL_EVERY != folded / SPILL_EVERY {
                for index in 0..self.n_nodes.load(Relaxed) {
                    self.node(index).spill(1 << 31);
                }
            }
        });
    }

    /// Folds the event of a number, whatever it is, and says which is the next.
    #[cold]
    #[inline(never)]
    fn fold_unusual(&self, ring: &Ring, number: u64, head: u64, reset_at: u64) -> u64 {
        let event = ring.load(number);
        if event.node & SAMPLED != 0 && event.duration != u32::MAX {
            let node = self.node(event.node & !SAMPLED);
            if event.start >= reset_at {
                node.tally.record_short(&node.histogram, event.duration);
                bump(&node.sampled, 1);
                bump(&node.sampled_sum, u64::from(event.duration));
            }
            return number + 1;
        }
        let is_long = event.duration == u32::MAX && event.node != CONTINUED;
        let next = number + if is_long { 2 } else { 1 };
        for scope in finished(number..next.min(head), |number| ring.load(number)) {
            if scope.start >= reset_at {
                self.node(scope.node).record(&scope);
            }
        }
        next
    }

    /// Writes a scope that took longer than 32 bits of ticks can say, or less than nothing.
    #[cold]
    #[inline(never)]
    pub(crate) fn push_long(&self, node: u32, start: u64, ticks: u64) {
        // Counters of two cores may differ by a few ticks: a scope that moved can seem to end before it began.
        if ticks > u64::MAX / 2 {
            return self.push(node, start, 0);
        }
        if ticks < u64::from(u32::MAX) {
            return self.push(node, start, ticks as u32);
        }
        // Both slots become visible together. The head may step over a multiple of the batch, so fold now.
        let head = self.head.load(Relaxed);
        fence(Release);
        self.slot(head).store(Event { start, node, duration: u32::MAX });
        self.slot(head + 1).store(Event { start: ticks, node: CONTINUED, duration: 0 });
        self.head.store(head + 2, Release);
        self.fold();
    }
}

impl Node {
    /// Adds a finished scope to the figures of its node.
    pub(crate) fn record(&self, finished: &FinishedScope) {
        self.tally.record(&self.histogram, finished.ticks);
        if finished.is_sampled {
            bump(&self.sampled, 1);
            bump(&self.sampled_sum, finished.ticks);
        }
    }

    /// Adds the life of a future that completed.
    pub(crate) fn record_future(&self, wall_ticks: u64) {
        let future = self.future_or_new();
        let wall = if wall_ticks > u64::MAX / 2 { 0 } else { wall_ticks };
        future.wall.record(&future.histogram, wall);
    }
}

/// A scope as it comes out of the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FinishedScope {
    pub(crate) node: u32,
    pub(crate) start: u64,
    pub(crate) ticks: u64,
    /// Whether it stands for untimed calls too.
    pub(crate) is_sampled: bool,
}

/// The finished scopes among the events of a range of numbers.
pub(crate) fn finished(
    range: std::ops::Range<u64>,
    event: impl Fn(u64) -> Event,
) -> impl Iterator<Item = FinishedScope> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        while next < range.end {
            let Event { start, node, duration } = event(next);
            next += 1;
            if node == CONTINUED {
                // The first half was overwritten.
                continue;
            }
            let ticks = if duration == u32::MAX {
                next += 1;
                event(next - 1).start
            } else {
                u64::from(duration)
            };
            return Some(FinishedScope {
                node: node & !SAMPLED,
                start,
                ticks,
                is_sampled: node & SAMPLED != 0,
            });
        }
        None
    })
}
