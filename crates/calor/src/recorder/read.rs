//! A look at a thread while it runs. The reader asks the owner to put off folding, copies the tree and then
//! adds what is still in the ring; if the owner had to fold meanwhile, the copy is thrown away and made again.
//! The owner never notices more than a flag.

#![expect(unsafe_code, reason = "the name of a thread is set by its owner before readers can see it")]

use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, fence};

use crate::clock::{self, Scale};

use super::block::{Block, ownership};
use super::buckets::{BUCKETS, bucket_of};
use super::fold::{FinishedScope, finished};
use super::node::{FutureNode, Node, Tally};
#[cfg(feature = "told-heap")]
use super::raw::RawMemory;
use super::raw::{RawFuture, RawNode, RawTally, RawThread};
use super::state;

/// Tries for one consistent look before nodes are taken one by one.
const TRIES: u32 = 8;
/// Looks at the sequence number until the owner counts as stuck: some 10 ms.
const PATIENCE: u32 = 400;

impl Block {
    /// The thread as it is now, with the spans from number `spans_from` on if asked for. To be called under
    /// the registry's lock.
    pub(crate) fn read(&self, spans_from: Option<u64>) -> RawThread {
        self.is_read.store(true, SeqCst);
        let mut thread = (0..TRIES)
            .find_map(|_| self.try_read(true))
            .unwrap_or_else(|| RawThread { is_torn: true, ..self.try_read(false).unwrap_or_default() });
        self.is_read.store(false, Relaxed);
        if let Some(from) = spans_from {
            self.read_spans(from, &mut thread);
        }
        thread.serial = self.serial.load(Acquire);
        thread.tid = self.tid.load(Relaxed);
        // SAFETY: the owner set its name before its serial number, and keeps it until it has ended and the
        // block was collected under the registry's lock, which the caller holds.
        thread.name.clone_from(unsafe { &*self.name.get() });
        thread
    }

    /// The number and name of its thread. To be called under the registry's lock.
    #[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
    pub(crate) fn identity(&self) -> (u64, String) {
        // SAFETY: as in `read`.
        (self.tid.load(Relaxed), unsafe { (*self.name.get()).clone() })
    }

    fn try_read(&self, at_one_moment: bool) -> Option<RawThread> {
        let sequence = if at_one_moment { self.even_sequence()? } else { 0 };
        // The owner was stopped in the middle of a fold: no use waiting for every node.
        let is_stuck = !at_one_moment && self.even_sequence().is_none();
        let settings = state::settings();
        // A thread that has not acted on a reset yet still holds what was recorded before.
        let is_outdated = self.resets.load(Relaxed) != settings.resets;
        let n_nodes = self.n_nodes.load(Acquire);
        let mut nodes: Vec<RawNode> = Vec::with_capacity(n_nodes as usize);
        for index in 0..n_nodes {
            self.expect_nodes_after(index, n_nodes);
            let copy = || copy_node(self.node(index), is_outdated);
            nodes.push(if at_one_moment || is_stuck { copy() } else { self.between_folds(copy) });
        }
        let (folded, head) = (self.folded.load(Relaxed), self.head.load(Acquire));
        // Events that are not folded are never overwritten, but only while `sequence` says that none was folded.
        if let Some(ring) = self.ring().filter(|_| at_one_moment) {
            let tail = finished(folded..head, |number| ring.load(number));
            for scope in tail.filter(|scope| scope.start >= settings.reset_at) {
                if let Some(node) = nodes.get_mut(scope.node as usize) {
                    node.add(&scope);
                }
            }
        }
        // A thread that has ended, by a call to exit for instance, leaves open what was open then.
        let until = match self.ownership.load(Acquire) {
            ownership::LIVE => Some(clock::ticks()),
            ownership::ENDED => Some(self.ended_at.load(Relaxed)),
            _ => None,
        };
        if let Some(until) = until {
            self.add_open(&mut nodes, settings.reset_at, until);
        }
        fence(Acquire);
        if at_one_moment && self.sequence.load(Relaxed) != sequence {
            return None;
        }
        for node in &mut nodes {
            node.settle_recursive();
            node.estimate();
        }
        let losses = |cell: &std::sync::atomic::AtomicU64| if is_outdated { 0 } else { cell.load(Relaxed) };
        Some(RawThread {
            nodes,
            head,
            over_limit: losses(&self.over_limit),
            too_deep: losses(&self.too_deep),
            resets: settings.resets,
            ..RawThread::default()
        })
    }

    /// The sequence number between two folds. The owner may have been put aside in the middle of one, so this
    /// waits a little: a reader has time.
    fn even_sequence(&self) -> Option<u64> {
        for attempt in 0..PATIENCE {
            let sequence = self.sequence.load(Acquire);
            if sequence.is_multiple_of(2) {
                return Some(sequence);
            }
            match attempt {
                0..100 => std::hint::spin_loop(),
                100..200 => std::thread::yield_now(),
                _ => std::thread::sleep(std::time::Duration::from_micros(50)),
            }
        }
        None
    }

    /// Has the memory of the next nodes fetched. They are spread over more memory than the caches hold, and a
    /// look at many is mostly waiting for it.
    fn expect_nodes_after(&self, index: u32, n_nodes: u32) {
        if index + 8 < n_nodes {
            self.node(index + 8).expect_figures();
        }
        if index + 4 < n_nodes {
            self.node(index + 4).expect_histogram();
        }
    }

    /// Copies something while the owner does not fold, if that can be had.
    fn between_folds<T>(&self, copy: impl Fn() -> T) -> T {
        for _ in 0..TRIES {
            let Some(sequence) = self.even_sequence() else { break };
            let copied = copy();
            fence(Acquire);
            if self.sequence.load(Relaxed) == sequence {
                return copied;
            }
        }
        copy()
    }

    /// Adds the scopes that are open: for how long they have been running.
    fn add_open(&self, nodes: &mut [RawNode], reset_at: u64, now: u64) {
        let (mut at, scale) = (self.current_node(), Scale::measure());
        while let Some(node) = at {
            let since = node.tally.open_since.load(Relaxed).max(reset_at);
            if node.depth() > 0
                && let Some(raw) = nodes.get_mut(node.index as usize)
            {
                raw.open_calls = 1;
                let is_timed = node.tally.open_since.load(Relaxed) != 0 && since <= now;
                raw.open_nanos = if is_timed { scale.nanos(now - since).cast_signed() } else { 0 };
            }
            at = node.parent();
        }
    }

    fn read_spans(&self, from: u64, thread: &mut RawThread) {
        let Some(ring) = self.ring() else { return };
        // Who read up to a number misses what went with an earlier ring; who did not, asks for this ring's.
        let from = if from == 0 { ring.first() } else { from };
        let first = from.max(ring.oldest(thread.head));
        let events: Vec<_> = (first..thread.head).map(|number| ring.load(number)).collect();
        // What the owner may have overwritten while it was being copied cannot be trusted.
        fence(Acquire);
        let trusted = first.max(ring.oldest(self.head.load(Relaxed))).min(thread.head);
        let n_nodes = thread.nodes.len();
        let reset_at = state::settings().reset_at;
        thread.spans = finished(trusted..thread.head, |number| events[(number - first) as usize])
            .filter(|scope| scope.start >= reset_at && (scope.node as usize) < n_nodes)
            .collect();
        thread.lost_spans = trusted.saturating_sub(from);
    }
}

impl RawNode {
    fn add(&mut self, scope: &FinishedScope) {
        self.timed.add(scope.ticks);
        if scope.is_sampled {
            self.sampled += 1;
            self.sampled_sum = self.sampled_sum.wrapping_add(scope.ticks);
        }
    }
}

impl RawTally {
    fn add(&mut self, ticks: u64) {
        self.min = if self.count == 0 { ticks } else { self.min.min(ticks) };
        self.max = self.max.max(ticks);
        self.count += 1;
        self.sum = self.sum.wrapping_add(ticks);
        self.squares = self.squares.wrapping_add(u128::from(ticks) * u128::from(ticks));
        let bucket = bucket_of(ticks) as u16;
        match self.buckets.binary_search_by_key(&bucket, |entry| entry.0) {
            Ok(at) => self.buckets[at].1 += 1,
            Err(at) => self.buckets.insert(at, (bucket, 1)),
        }
    }
}

fn copy_node(node: &Node, is_outdated: bool) -> RawNode {
    let parent = node.parent().map_or(0, |parent| parent.index as usize);
    let mut raw = RawNode::without_figures(node.site(), parent);
    if is_outdated {
        return raw;
    }
    raw.timed = copy_tally(&node.tally, &node.histogram);
    raw.untimed = node.untimed();
    raw.sampled = node.sampled.load(Relaxed);
    raw.sampled_sum = node.sampled_sum.load(Relaxed);
    raw.elements = node.elements.load(Relaxed);
    raw.bytes = node.bytes.load(Relaxed);
    raw.flops = node.flops.load(Relaxed);
    raw.recursive_ticks = node.recursive_ticks.load(Relaxed);
    if let Some(extras) = node.extras() {
        raw.extras = extras.iter().collect();
        raw.extras_lost = extras.lost.load(Relaxed);
    }
    #[cfg(feature = "told-heap")]
    {
        let memory = &node.memory;
        raw.memory = RawMemory {
            allocated_bytes: memory.allocated_bytes.load(Relaxed),
            allocated_count: memory.allocated_count.load(Relaxed),
            freed_bytes: memory.freed_bytes.load(Relaxed),
            freed_count: memory.freed_count.load(Relaxed),
            peak_bytes: memory.peak_bytes.load(Relaxed),
        };
    }
    // A node that was another thread's may have a record of futures and have seen none.
    raw.future =
        node.future().map(copy_future).filter(|future| *future != RawFuture::default()).map(Box::new);
    raw
}

fn copy_future(future: &FutureNode) -> RawFuture {
    RawFuture { wall: copy_tally(&future.wall, &future.histogram), cancelled: future.cancelled.load(Relaxed) }
}

fn copy_tally(tally: &Tally, histogram: &[AtomicU32; BUCKETS]) -> RawTally {
    let count = tally.count.load(Relaxed);
    if count == 0 {
        return RawTally::default();
    }
    RawTally {
        count,
        sum: tally.sum.load(Relaxed),
        squares: u128::from(tally.squares_high.load(Relaxed)) << 64
            | u128::from(tally.squares_low.load(Relaxed)),
        min: tally.min.load(Relaxed),
        max: tally.max.load(Relaxed),
        buckets: copy_buckets(tally, histogram),
    }
}

/// The buckets that hold something. Most of a histogram is empty, and this is most of what a look costs, so
/// empty stretches are passed over eight at a time.
fn copy_buckets(tally: &Tally, histogram: &[AtomicU32; BUCKETS]) -> Vec<(u16, u64)> {
    let range = tally.buckets_in_use();
    let first = range.start;
    let mut buckets = Vec::with_capacity(16);
    for (chunk, cells) in histogram[range].chunks(8).enumerate() {
        if !tally.has_spilled() && cells.iter().fold(0, |any, cell| any | cell.load(Relaxed)) == 0 {
            continue;
        }
        for offset in 0..cells.len() {
            let bucket = first + chunk * 8 + offset;
            let count = tally.bucket(histogram, bucket);
            if count > 0 {
                buckets.push((bucket as u16, count));
            }
        }
    }
    buckets
}
