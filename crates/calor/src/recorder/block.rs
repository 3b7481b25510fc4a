//! A thread's block: its call tree, its ring of finished scopes and where it is in the tree. The owning thread
//! writes it without a lock or an atomic read-modify-write; readers look at it under the protocol of `fold`
//! and `read`. Blocks are never freed, only handed to another thread after their owner has ended.

#![expect(unsafe_code, reason = "blocks are shared between their owner and readers by pointer")]

use std::cell::{Cell, UnsafeCell};
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, fence};

use crate::Site;

use super::child_table::ChildTable;
use super::node::{Node, bump};
use super::ring::{Event, Ring, Slot};
use super::state::{self, SHORT_RING};

/// Nodes that a thread may have: the root and a call path each. One takes 5.3 KiB.
pub(crate) const MAX_NODES: usize = 4096;
/// How deep scopes may nest; deeper ones are counted and their time stays with the deepest.
pub(crate) const MAX_DEPTH: u32 = 128;

/// Whose a block is.
pub(crate) mod ownership {
    /// Nobody's: it may be taken.
    pub(crate) const FREE: u32 = 0;
    /// A running thread's.
    pub(crate) const LIVE: u32 = 1;
    /// Of a thread that has ended; what it recorded is still inside.
    pub(crate) const ENDED: u32 = 2;
    /// Of a thread that was left behind in the parent of a fork.
    pub(crate) const LEFT_BEHIND: u32 = 3;
}

/// A thread's block.
#[repr(C, align(64))]
pub(crate) struct Block {
    // First line: all that entering and leaving a scope touch beside the node.
    /// The state word that the thread acts on while every scope is to be timed; 0 otherwise.
    pub(crate) quick_state: Cell<u64>,
    /// The innermost open node.
    pub(crate) current: AtomicPtr<Node>,
    pub(crate) children: ChildTable,
    // Second line.
    pub(crate) head: AtomicU64,
    pub(crate) ring_base: Cell<*const Slot>,
    pub(crate) ring_mask: Cell<u64>,
    /// Events before this number are in the tree.
    pub(crate) folded: AtomicU64,
    /// Odd while the owner changes what readers copy.
    pub(crate) sequence: AtomicU64,
    /// Set while somebody reads: please put off folding.
    pub(crate) is_read: AtomicBool,
    /// The state word that the thread acts on while scopes that are counted need nothing else; 0 otherwise.
    pub(crate) state: Cell<u64>,
    /// The state word that the thread last acted on.
    pub(crate) adopted: Cell<u64>,
    /// Whether scopes are boundaries of experiments.
    pub(crate) has_experiments: Cell<bool>,
    pub(crate) time_one_in: Cell<u32>,
    /// Scopes that began earlier do not count.
    pub(crate) reset_at: AtomicU64,
    pub(crate) resets: AtomicU64,
    pub(crate) random: Cell<u64>,
    pub(crate) ring: AtomicPtr<Ring>,
    /// Rings that a reader may still have been reading when they were replaced.
    old_rings: UnsafeCell<Vec<*mut Ring>>,
    nodes: AtomicPtr<[AtomicPtr<Node>; MAX_NODES]>,
    pub(crate) n_nodes: AtomicU32,
    /// Scopes without a node of their own: over the limit of call paths, or nested too deep.
    pub(crate) over_limit: AtomicU64,
    pub(crate) too_deep: AtomicU64,
    pub(crate) ownership: AtomicU32,
    /// The next block in the list of all.
    pub(crate) next: AtomicPtr<Block>,
    /// Tells the owners of a block apart.
    pub(crate) serial: AtomicU64,
    pub(crate) tid: AtomicU64,
    /// When the owner ended.
    pub(crate) ended_at: AtomicU64,
    /// Set by the owner when it takes the block, before `ownership` says so.
    pub(crate) name: UnsafeCell<String>,
}

// SAFETY: cells and tables are touched by the owner alone; everything that others read is atomic, or (rings,
// name, places of nodes) only changes while the registry's lock shows that nobody reads.
unsafe impl Sync for Block {}

impl Block {
    /// A block of nobody, without a tree.
    pub(crate) const fn vacant() -> Self {
        Self {
            quick_state: Cell::new(0),
            current: AtomicPtr::new(null_mut()),
            children: ChildTable::empty(),
            head: AtomicU64::new(0),
            ring_base: Cell::new(null()),
            ring_mask: Cell::new(0),
            folded: AtomicU64::new(0),
            sequence: AtomicU64::new(0),
            is_read: AtomicBool::new(false),
            state: Cell::new(0),
            adopted: Cell::new(0),
            has_experiments: Cell::new(false),
            time_one_in: Cell::new(1),
            reset_at: AtomicU64::new(0),
            resets: AtomicU64::new(0),
            random: Cell::new(0x2545_f491_4f6c_dd1d),
            ring: AtomicPtr::new(null_mut()),
            old_rings: UnsafeCell::new(Vec::new()),
            nodes: AtomicPtr::new(null_mut()),
            n_nodes: AtomicU32::new(0),
            over_limit: AtomicU64::new(0),
            too_deep: AtomicU64::new(0),
            ownership: AtomicU32::new(ownership::FREE),
            next: AtomicPtr::new(null_mut()),
            serial: AtomicU64::new(0),
            tid: AtomicU64::new(0),
            ended_at: AtomicU64::new(0),
            name: UnsafeCell::new(String::new()),
        }
    }

    /// A fresh block with an empty tree, never freed.
    pub(crate) fn leak() -> &'static Self {
        let block: &'static Self = Box::leak(Box::new(Self::vacant()));
        let nodes: Box<[AtomicPtr<Node>; MAX_NODES]> =
            Box::new([const { AtomicPtr::new(null_mut()) }; MAX_NODES]);
        block.nodes.store(Box::into_raw(nodes), Release);
        block.use_ring(SHORT_RING);
        block.clear_tree();
        block
    }

    /// Forgets tree and figures, keeping memory. By the owner, or by whoever took over from it.
    pub(crate) fn clear_tree(&self) {
        for index in 0..self.n_nodes.load(Relaxed) {
            self.node(index).clear();
            self.node(index).take_out();
        }
        self.children.clear();
        self.n_nodes.store(0, Relaxed);
        let root = self.take_node(|_| {}).expect("an empty tree has room");
        self.current.store(std::ptr::from_ref(root).cast_mut(), Relaxed);
        self.over_limit.store(0, Relaxed);
        self.too_deep.store(0, Relaxed);
    }

    /// The table of nodes; entries below `n_nodes` are leaked nodes.
    #[inline(always)]
    pub(crate) fn nodes(&self) -> &[AtomicPtr<Node>; MAX_NODES] {
        // SAFETY: the table was set when the block was made and is never freed.
        unsafe { &*self.nodes.load(Relaxed) }
    }

    /// The node of an index below `n_nodes`.
    #[inline(always)]
    pub(crate) fn node(&self, index: u32) -> &'static Node {
        // SAFETY: entries below `n_nodes` are leaked nodes.
        unsafe { &*self.nodes()[index as usize].load(Relaxed) }
    }

    /// Puts one more node into the tree. It has its place before readers can see it.
    fn take_node(&self, place: impl FnOnce(&Node)) -> Option<&'static Node> {
        let index = self.n_nodes.load(Relaxed);
        let slot = self.nodes().get(index as usize)?;
        // SAFETY: an entry is null or a leaked node.
        let node = unsafe { slot.load(Relaxed).as_ref() }.unwrap_or_else(|| {
            let fresh = Node::leak(index);
            slot.store(std::ptr::from_ref(fresh).cast_mut(), Release);
            fresh
        });
        place(node);
        self.n_nodes.store(index + 1, Release);
        Some(node)
    }

    /// The child of the current node at a site, made if need be; `None` when there is no room, which is counted.
    #[cold]
    #[inline(never)]
    pub(crate) fn find_child(&self, parent: &'static Node, site: &'static Site) -> Option<&'static Node> {
        super::registry::at_work(|| {
            let id = site.assign_id();
            let known = self.children.search(parent.index, id);
            // SAFETY: the table holds leaked nodes.
            if let Some(node) = unsafe { known.as_ref() } {
                return Some(node);
            }
            if parent.depth() >= MAX_DEPTH {
                bump(&self.too_deep, 1);
                return None;
            }
            let node = self.take_node(|node| node.place(parent, site));
            match node {
                Some(node) => self.children.insert(parent.index, id, node),
                None => bump(&self.over_limit, 1),
            }
            node
        })
    }

    /// Runs a change to what readers copy, so that they notice.
    pub(crate) fn change<T>(&self, change: impl FnOnce() -> T) -> T {
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence + 1, Relaxed);
        fence(Release);
        let result = change();
        self.sequence.store(sequence + 2, Release);
        result
    }

    /// Writes a finished scope into the ring and folds when it is time.
    #[inline(always)]
    pub(crate) fn push(&self, node: u32, start: u64, duration: u32) {
        let head = self.head.load(Relaxed);
        // A reader that sees the new event must also see the head that was there before it.
        fence(Release);
        self.slot(head).store(Event { start, node, duration });
        self.head.store(head + 1, Release);
        if (head + 1).is_multiple_of(super::fold::BATCH) {
            self.fold();
        }
    }

    /// The ring's slot for the event of a number.
    #[inline(always)]
    pub(crate) fn slot(&self, number: u64) -> &Slot {
        // SAFETY: the mask keeps the index inside the ring that base and mask were set for together.
        unsafe { &*self.ring_base.get().add((number & self.ring_mask.get()) as usize) }
    }

    /// The current node.
    #[inline(always)]
    pub(crate) fn current(&self) -> *const Node {
        self.current.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_current(&self, node: *const Node) {
        self.current.store(node.cast_mut(), Relaxed);
    }

    /// Acts on a state word that is new to the thread: another ring, another way of timing, a reset.
    pub(crate) fn adopt(&self, word: u64) {
        let settings = state::settings();
        self.fold_now();
        if settings.resets != self.resets.load(Relaxed) {
            self.forget_full_tree();
            self.change(|| {
                for index in 0..self.n_nodes.load(Relaxed) {
                    self.node(index).clear();
                }
                self.over_limit.store(0, Relaxed);
                self.too_deep.store(0, Relaxed);
                self.reset_at.store(settings.reset_at, Relaxed);
                self.resets.store(settings.resets, Relaxed);
            });
        }
        if self.ring().is_none_or(|ring| ring.capacity() != settings.ring_events as u64) {
            self.change(|| self.use_ring(settings.ring_events));
        }
        self.time_one_in.set(settings.time_one_in);
        self.adopted.set(word);
        self.has_experiments.set(settings.has_experiments);
        // Experiments take the slow way, so that the quick ones need not know of them.
        self.state.set(if settings.has_experiments { 0 } else { word });
        self.quick_state.set(if settings.time_one_in == 1 { self.state.get() } else { 0 });
    }

    /// Gives room to other call paths when all is forgotten anyway. Places of nodes change, so nothing may be open, and
    /// nobody may read or have read parts of it; otherwise the tree stays. A scope that was closed out of turn may still
    /// have a node: it began before the reset, so it is not counted.
    fn forget_full_tree(&self) {
        let is_filling = self.n_nodes.load(Relaxed) as usize > MAX_NODES / 2;
        if is_filling && self.current_node().is_some_and(|node| node.depth() == 0) {
            super::registry::if_nobody_reads_or_records(|| self.change(|| self.clear_tree()));
        }
    }

    /// The sites of open scopes that were opened at a moment or later, innermost first. By the owner.
    pub(crate) fn open_since(&self, ticks: u64) -> impl Iterator<Item = &'static Site> {
        std::iter::successors(self.current_node(), |node| node.parent())
            .take_while(|node| node.depth() > 0)
            .filter(move |node| node.tally.open_since.load(Relaxed) >= ticks)
            .map(Node::site)
    }

    /// Whoever has the block next acts on the state anew.
    pub(crate) fn forget_state(&self) {
        for word in [&self.quick_state, &self.state, &self.adopted] {
            word.set(0);
        }
    }

    pub(crate) fn ring(&self) -> Option<&Ring> {
        // SAFETY: the pointer is null or a ring that is only freed while the registry shows that nobody reads.
        unsafe { self.ring.load(Acquire).as_ref() }
    }

    /// Writes to a ring of the given size from now on. A reader may still be reading the old one, so that is only
    /// freed when nobody reads; until then it is kept, one of each size, and used again when its size is asked for.
    pub(crate) fn use_ring(&self, events: usize) {
        let head = self.head.load(Relaxed);
        // SAFETY: only the owner touches the list.
        let old_rings = unsafe { &mut *self.old_rings.get() };
        // SAFETY: rings in the list came from boxes and were not freed.
        let is_right = |ring: &*mut Ring| unsafe { &**ring }.capacity() == events as u64;
        let ring = match old_rings.iter().position(is_right) {
            Some(at) => old_rings.swap_remove(at),
            None => Box::into_raw(Box::new(Ring::new(events, head))),
        };
        {
            // SAFETY: as above, or it was just made. Events keep their numbers from ring to ring, so a reader
            // that still has this one from before tells new events from old ones by the head, as ever.
            let ring = unsafe { &*ring };
            ring.restart(head);
            self.ring_base.set(ring.base());
            self.ring_mask.set(ring.capacity() - 1);
        }
        let old = self.ring.swap(ring, AcqRel);
        if !old.is_null() {
            old_rings.push(old);
        }
        super::registry::if_nobody_reads(|| {
            for ring in old_rings.drain(..) {
                // SAFETY: the ring came from a box, is no longer in use by the owner, and nobody reads.
                drop(unsafe { Box::from_raw(ring) });
            }
        });
    }

    /// The current node, unless the block has no tree.
    pub(crate) fn current_node(&self) -> Option<&'static Node> {
        // SAFETY: the pointer is null or a leaked node.
        unsafe { self.current().as_ref() }
    }

    /// Tells the owners of a block apart; 0 when nobody owns it.
    pub(crate) fn serial(&self) -> u64 {
        self.serial.load(Acquire)
    }

    /// Which share of the ring was written since event number `read`.
    pub(crate) fn unread_share(&self, read: u64) -> f64 {
        let (capacity, first) = self.ring().map_or((1, 0), |ring| (ring.capacity(), ring.first()));
        self.head.load(Relaxed).saturating_sub(read.max(first)) as f64 / capacity as f64
    }

    /// Whether a node is in this block's tree.
    pub(crate) fn owns(&self, node: &Node) -> bool {
        node.index < self.n_nodes.load(Relaxed) && std::ptr::eq(self.node(node.index), node)
    }

    /// Makes the calling thread the owner.
    pub(crate) fn settle_in(&self, serial: u64) {
        let told = super::thread_names::told();
        let name = told.or_else(|| std::thread::current().name().map(ToOwned::to_owned));
        let name = name.unwrap_or_else(|| String::from("(unnamed)"));
        // SAFETY: nobody reads the name of a block until its serial number is set below.
        unsafe { *self.name.get() = name };
        self.tid.store(thread_number(), Relaxed);
        self.random.set(serial.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        self.serial.store(serial, Release);
    }

    /// A number below `limit`, or 0: a xorshift generator is random enough to break step with loops.
    pub(crate) fn random_below(&self, limit: u32) -> u32 {
        let mut x = self.random.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.set(x);
        ((u64::from(limit) * (x >> 32)) >> 32) as u32
    }
}

/// The operating system's number of the calling thread.
pub(crate) fn thread_number() -> u64 {
    #[cfg(target_os = "linux")]
    // SAFETY: the call has no precondition.
    return u64::try_from(unsafe { libc::gettid() }).unwrap_or(0);
    #[cfg(not(target_os = "linux"))]
    0
}
