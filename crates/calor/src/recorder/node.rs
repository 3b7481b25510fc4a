//! A node: what is known of one call path on one thread. Only the owning thread writes it, with plain loads
//! and stores (relaxed atomics compile to these), so that any other thread may read it at any moment.

#![expect(unsafe_code, reason = "nodes are shared between their owner and readers by pointer")]

use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64};

use crate::Site;
use crate::own_memory::as_own;

use super::buckets::{BUCKETS, bucket_of, bucket_of_short};

/// Bits of [`Node::pace`] that say how many calls still go untimed: enough for twice the largest N.
pub(crate) const WAIT_BITS: u32 = 17;
pub(crate) const WAIT_MASK: u64 = (1 << WAIT_BITS) - 1;

/// Custom counters and backends that one node can hold.
pub(crate) const MAX_EXTRAS: usize = 8;

/// Exact statistics of durations in ticks.
#[repr(C, align(64))]
pub(crate) struct Tally {
    pub(crate) count: AtomicU64,
    pub(crate) sum: AtomicU64,
    pub(crate) squares_low: AtomicU64,
    pub(crate) squares_high: AtomicU64,
    pub(crate) min: AtomicU64,
    pub(crate) max: AtomicU64,
    /// Full histogram counts that were moved out of `histogram` before they could overflow.
    spilled: AtomicPtr<[AtomicU64; BUCKETS]>,
    /// When the innermost open call began; 0 when it is not timed. Here because entering writes it.
    pub(crate) open_since: AtomicU64,
}

/// One call path on one thread.
#[repr(C, align(64))]
pub(crate) struct Node {
    // First line: what a fold writes.
    pub(crate) tally: Tally,
    // Second line: what entering and leaving read.
    // The place in the tree is set before other threads can see the node, and again only after the thread
    // has ended. Whoever remembers the node by then still compares parent and site with its own.
    parent: AtomicPtr<Node>,
    site: AtomicPtr<Site>,
    depth: Cell<u32>,
    pub(crate) index: u32,
    /// Of counted calls: how many go untimed until the next is timed (the lowest [`WAIT_BITS`] bits), and how
    /// many were ever to go untimed, those still to come included. In one word, so that readers see one truth.
    pub(crate) pace: AtomicU64,
    /// Of the timed calls, those that stand for untimed ones too, and their time.
    pub(crate) sampled: AtomicU64,
    pub(crate) sampled_sum: AtomicU64,
    /// How many counted calls were timed without a pause so far.
    pub(crate) warm_calls: AtomicU32,
    /// The child that a counted call entered last, and its site's number.
    recent_child: Cell<*const Node>,
    recent_site: Cell<u32>,
    // Third line: what programs tell.
    pub(crate) elements: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) flops: AtomicU64,
    /// Time that the tally holds twice, because calls ran inside another call of this path; see `call`.
    pub(crate) recursive_ticks: AtomicU64,
    pub(crate) extras: AtomicPtr<Extras>,
    pub(crate) future: AtomicPtr<FutureNode>,
    #[cfg(feature = "told-heap")]
    pub(crate) memory: super::memory::NodeMemory,
    pub(crate) histogram: [AtomicU32; BUCKETS],
}

/// The lives of an async scope's futures.
pub(crate) struct FutureNode {
    pub(crate) wall: Tally,
    pub(crate) cancelled: AtomicU64,
    pub(crate) histogram: [AtomicU32; BUCKETS],
}

/// What a named figure of a node means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ExtraKind {
    /// The sum of a custom counter.
    Counter,
    /// The number of calls that a backend served.
    Backend,
}

/// Named figures of a node: a few, so a short list is searched.
#[derive(Default)]
pub(crate) struct Extras {
    /// Set once each, by the owner, before `len` says so.
    entries: [OnceLock<(ExtraKind, &'static str)>; MAX_EXTRAS],
    values: [AtomicI64; MAX_EXTRAS],
    len: AtomicU32,
    /// Additions that found no room.
    pub(crate) lost: AtomicU64,
}

/// `cell += by`, by the only writer.
#[inline(always)]
pub(crate) fn bump(cell: &AtomicU64, by: u64) {
    cell.store(cell.load(Relaxed).wrapping_add(by), Relaxed);
}

impl Tally {
    const fn new() -> Self {
        Self {
            count: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            squares_low: AtomicU64::new(0),
            squares_high: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            spilled: AtomicPtr::new(null_mut()),
            open_since: AtomicU64::new(0),
        }
    }

    /// Adds one duration, its bucket to the histogram that belongs to this tally.
    #[inline(always)]
    pub(crate) fn record(&self, histogram: &[AtomicU32; BUCKETS], ticks: u64) {
        bump(&self.count, 1);
        bump(&self.sum, ticks);
        let square = u128::from(ticks) * u128::from(ticks);
        let (low, carry) = self.squares_low.load(Relaxed).overflowing_add(square as u64);
        self.squares_low.store(low, Relaxed);
        bump(&self.squares_high, (square >> 64) as u64 + u64::from(carry));
        if ticks < self.min.load(Relaxed) {
            self.min.store(ticks, Relaxed);
        }
        if ticks > self.max.load(Relaxed) {
            self.max.store(ticks, Relaxed);
        }
        let bucket = &histogram[bucket_of(ticks)];
        bucket.store(bucket.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// The same for a duration of 32 bits, whose square fits one word.
    #[inline(always)]
    pub(crate) fn record_short(&self, histogram: &[AtomicU32; BUCKETS], ticks: u32) {
        let wide = u64::from(ticks);
        bump(&self.count, 1);
        bump(&self.sum, wide);
        let (low, carry) = self.squares_low.load(Relaxed).overflowing_add(wide * wide);
        self.squares_low.store(low, Relaxed);
        if carry {
            bump(&self.squares_high, 1);
        }
        if wide < self.min.load(Relaxed) {
            self.min.store(wide, Relaxed);
        }
        if wide > self.max.load(Relaxed) {
            self.max.store(wide, Relaxed);
        }
        let bucket = &histogram[bucket_of_short(ticks)];
        bucket.store(bucket.load(Relaxed).wrapping_add(1), Relaxed);
    }

    fn clear(&self, histogram: &[AtomicU32; BUCKETS]) {
        if self.count.load(Relaxed) > 0 {
            for bucket in &histogram[self.buckets_in_use()] {
                bucket.store(0, Relaxed);
            }
            if let Some(spilled) = self.spilled() {
                spilled.iter().for_each(|bucket| bucket.store(0, Relaxed));
            }
        }
        for cell in
            [&self.count, &self.sum, &self.squares_low, &self.squares_high, &self.max, &self.open_since]
        {
            cell.store(0, Relaxed);
        }
        self.min.store(u64::MAX, Relaxed);
    }

    /// The range of buckets that can hold anything.
    pub(crate) fn buckets_in_use(&self) -> std::ops::Range<usize> {
        let (min, max) = (self.min.load(Relaxed), self.max.load(Relaxed));
        if min > max { 0..0 } else { bucket_of(min)..bucket_of(max) + 1 }
    }

    /// The count of a bucket, moved-out part included.
    pub(crate) fn bucket(&self, histogram: &[AtomicU32; BUCKETS], bucket: usize) -> u64 {
        let moved = self.spilled().map_or(0, |spilled| spilled[bucket].load(Relaxed));
        u64::from(histogram[bucket].load(Relaxed)) + moved
    }

    /// Whether counts were ever moved out.
    pub(crate) fn has_spilled(&self) -> bool {
        self.spilled().is_some()
    }

    /// Moves counts that are half full out of the histogram. Called often enough (see `fold`) that no count
    /// gets from half full to full in between.
    pub(crate) fn spill(&self, histogram: &[AtomicU32; BUCKETS], threshold: u32) {
        for index in self.buckets_in_use() {
            let count = histogram[index].load(Relaxed);
            if count >= threshold {
                let spilled = self.spilled().unwrap_or_else(|| {
                    let fresh: &'static [AtomicU64; BUCKETS] =
                        as_own(|| Box::leak(Box::new([const { AtomicU64::new(0) }; BUCKETS])));
                    self.spilled.store(std::ptr::from_ref(fresh).cast_mut(), Release);
                    fresh
                });
                bump(&spilled[index], u64::from(count));
                histogram[index].store(0, Relaxed);
            }
        }
    }

    fn spilled(&self) -> Option<&[AtomicU64; BUCKETS]> {
        let spilled = self.spilled.load(Acquire);
        // SAFETY: the pointer is null or came from a leaked box of this type.
        unsafe { spilled.as_ref() }
    }
}

impl Node {
    /// A node that is never freed: threads come and go, their nodes are used again.
    pub(crate) fn leak(index: u32) -> &'static Self {
        static NOWHERE: Site = Site::new("(root)", "", "", 0);
        Box::leak(Box::new(Self {
            tally: Tally::new(),
            parent: AtomicPtr::new(null_mut()),
            site: AtomicPtr::new(std::ptr::from_ref(&NOWHERE).cast_mut()),
            depth: Cell::new(0),
            index,
            pace: AtomicU64::new(0),
            sampled: AtomicU64::new(0),
            sampled_sum: AtomicU64::new(0),
            warm_calls: AtomicU32::new(0),
            recent_child: Cell::new(null()),
            recent_site: Cell::new(0),
            elements: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            flops: AtomicU64::new(0),
            recursive_ticks: AtomicU64::new(0),
            extras: AtomicPtr::new(null_mut()),
            future: AtomicPtr::new(null_mut()),
            #[cfg(feature = "told-heap")]
            memory: super::memory::NodeMemory::new(),
            histogram: [const { AtomicU32::new(0) }; BUCKETS],
        }))
    }

    /// Puts a cleared node into the tree. Readers must not see it: they come to it by the tree only.
    pub(crate) fn place(&self, parent: &Node, site: &'static Site) {
        let old_names = self.extras.swap(null_mut(), Relaxed);
        if !old_names.is_null() {
            // SAFETY: the pointer came from a box, and nobody else can reach it.
            drop(unsafe { Box::from_raw(old_names) });
        }
        self.recent_child.set(null());
        self.parent.store(std::ptr::from_ref(parent).cast_mut(), Relaxed);
        self.site.store(std::ptr::from_ref(site).cast_mut(), Relaxed);
        self.depth.set(parent.depth.get() + 1);
    }

    /// Takes a cleared node out of the tree: it is below nothing until it has another place.
    pub(crate) fn take_out(&self) {
        self.parent.store(null_mut(), Relaxed);
    }

    #[inline(always)]
    pub(crate) fn site(&self) -> &'static Site {
        // SAFETY: only sites that are kept for good are stored.
        unsafe { &*self.site.load(Relaxed) }
    }

    /// The child at a site, if it was the last to be remembered. By the owner.
    #[inline(always)]
    pub(crate) fn recent_child(&self, site: &Site) -> Option<&'static Self> {
        // SAFETY: a remembered child is null or a leaked node.
        if self.recent_site.get() == site.id() { unsafe { self.recent_child.get().as_ref() } } else { None }
    }

    /// Remembers the child at a site. By the owner.
    pub(crate) fn remember_child(&self, site: &Site, child: &'static Self) {
        self.recent_site.set(site.id());
        self.recent_child.set(child);
    }

    /// Calls that were counted but not timed.
    pub(crate) fn untimed(&self) -> u64 {
        let pace = self.pace.load(Relaxed);
        (pace >> WAIT_BITS) - (pace & WAIT_MASK)
    }

    /// How many scopes are around it; 0 at the root of the thread.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Forgets everything but the place in the tree. By the owner, or by whoever took over from it.
    pub(crate) fn clear(&self) {
        self.tally.clear(&self.histogram);
        for cell in [
            &self.pace,
            &self.sampled,
            &self.sampled_sum,
            &self.elements,
            &self.bytes,
            &self.flops,
            &self.recursive_ticks,
        ] {
            cell.store(0, Relaxed);
        }
        #[cfg(feature = "told-heap")]
        self.memory.clear();
        self.recent_child.set(null());
        self.warm_calls.store(0, Relaxed);
        if let Some(extras) = self.extras() {
            extras.values.iter().for_each(|value| value.store(0, Relaxed));
            extras.lost.store(0, Relaxed);
        }
        if let Some(future) = self.future() {
            future.wall.clear(&future.histogram);
            future.cancelled.store(0, Relaxed);
        }
    }

    /// Has the memory of the figures fetched, for a reader that comes to this node soon.
    pub(crate) fn expect_figures(&self) {
        for line in 0..std::mem::offset_of!(Self, histogram).div_ceil(64) {
            fetch(std::ptr::from_ref(self).cast::<u8>().wrapping_add(line * 64));
        }
    }

    /// Has the part of the histogram fetched that holds anything.
    pub(crate) fn expect_histogram(&self) {
        let cells = &self.histogram[self.tally.buckets_in_use()];
        // Sixteen counts lie in a line; long stretches the processor guesses by itself.
        for cell in cells.iter().step_by(16).take(12) {
            fetch(std::ptr::from_ref(cell).cast());
        }
    }

    /// Moves half-full histogram counts out of the way.
    pub(crate) fn spill(&self, threshold: u32) {
        self.tally.spill(&self.histogram, threshold);
        if let Some(future) = self.future() {
            future.wall.spill(&future.histogram, threshold);
        }
    }

    /// The parent as it is stored; null at the root.
    #[inline(always)]
    pub(crate) fn parent_ptr(&self) -> *const Self {
        self.parent.load(Relaxed)
    }

    /// The parent; `None` at the root of the thread.
    pub(crate) fn parent(&self) -> Option<&'static Self> {
        // SAFETY: a parent is null or a leaked node.
        unsafe { self.parent.load(Relaxed).as_ref() }
    }

    pub(crate) fn extras(&self) -> Option<&Extras> {
        // SAFETY: the pointer is null or came from a leaked box of this type.
        unsafe { self.extras.load(Acquire).as_ref() }
    }

    pub(crate) fn future(&self) -> Option<&FutureNode> {
        // SAFETY: the pointer is null or came from a leaked box of this type.
        unsafe { self.future.load(Acquire).as_ref() }
    }

    /// Adds to a named figure.
    pub(crate) fn add_extra(&self, kind: ExtraKind, name: &'static str, by: i64) {
        let extras = self.extras().unwrap_or_else(|| {
            let fresh: &'static Extras = as_own(|| Box::leak(Box::default()));
            self.extras.store(std::ptr::from_ref(fresh).cast_mut(), Release);
            fresh
        });
        extras.add(kind, name, by);
    }

    /// The record of the lives of futures, made when first needed.
    pub(crate) fn future_or_new(&self) -> &FutureNode {
        self.future().unwrap_or_else(|| {
            let fresh: &'static FutureNode = as_own(|| {
                Box::leak(Box::new(FutureNode {
                    wall: Tally::new(),
                    cancelled: AtomicU64::new(0),
                    histogram: [const { AtomicU32::new(0) }; BUCKETS],
                }))
            });
            self.future.store(std::ptr::from_ref(fresh).cast_mut(), Release);
            fresh
        })
    }
}

impl Extras {
    fn add(&self, kind: ExtraKind, name: &'static str, by: i64) {
        let len = self.len.load(Relaxed) as usize;
        let known = self.entries[..len].iter().position(|entry| entry.get() == Some(&(kind, name)));
        let at = match known {
            Some(at) => at,
            None if len < MAX_EXTRAS && self.entries[len].set((kind, name)).is_ok() => {
                self.len.store(len as u32 + 1, Release);
                len
            }
            None => return bump(&self.lost, 1),
        };
        self.values[at].store(self.values[at].load(Relaxed).wrapping_add(by), Relaxed);
    }

    /// All named figures.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ExtraKind, &'static str, i64)> {
        let len = self.len.load(Acquire) as usize;
        self.entries[..len]
            .iter()
            .zip(&self.values)
            .filter_map(|(entry, value)| entry.get().map(|&(kind, name)| (kind, name, value.load(Relaxed))))
    }
}

/// Asks the processor to fetch the memory at an address.
#[inline(always)]
fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
