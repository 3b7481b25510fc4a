//! What scopes allocate and free: sums beside the other figures of a node, written by the owning thread alone, and the
//! most that one call held above what its thread held when it began.
//!
//! Entering and leaving a scope do nothing for it. A call is known by when it began: the first event of a call notes
//! what was held before it, in its own node and in those around it that had none yet. A new height goes up the tree as
//! long as it is one.

#![expect(unsafe_code, reason = "the current node is reached by pointer")]

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) use super::block::Block;
pub(crate) use super::node::Node;
use super::node::bump;
use crate::heap::Local;

/// Stands for "no call yet".
const NO_CALL: u64 = u64::MAX;

/// The heap's part of a node: a cache line.
#[repr(C, align(64))]
pub(crate) struct NodeMemory {
    pub(crate) allocated_bytes: AtomicU64,
    pub(crate) allocated_count: AtomicU64,
    pub(crate) freed_bytes: AtomicU64,
    pub(crate) freed_count: AtomicU64,
    /// The most that a call held.
    pub(crate) peak_bytes: AtomicU64,
    /// The call that the two below are about.
    call: Cell<u64>,
    /// What the thread held when it began, and the most since.
    base: Cell<i64>,
    height: Cell<i64>,
}

impl NodeMemory {
    pub(crate) const fn new() -> Self {
        Self {
            allocated_bytes: AtomicU64::new(0),
            allocated_count: AtomicU64::new(0),
            freed_bytes: AtomicU64::new(0),
            freed_count: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            call: Cell::new(NO_CALL),
            base: Cell::new(0),
            height: Cell::new(0),
        }
    }

    /// Forgets everything. By the owner, or by whoever took over from it.
    pub(crate) fn clear(&self) {
        for cell in [
            &self.allocated_bytes,
            &self.allocated_count,
            &self.freed_bytes,
            &self.freed_count,
            &self.peak_bytes,
        ] {
            cell.store(0, Relaxed);
        }
        self.call.set(NO_CALL);
    }
}

/// The node that is open on this thread, if any. None while the recorder itself is at work on it: what it allocates is not
/// the program's.
#[inline(always)]
pub(crate) fn current(local: &Local) -> Option<&'static Node> {
    if local.is_at_work.get() {
        return None;
    }
    // SAFETY: blocks are leaked, and the current node of one is null or a leaked node.
    unsafe { local.block.get().as_ref()?.current().as_ref() }
}

/// Which call of a node is open. Those that are not timed are told apart by how many are to come before the next that is; of
/// the root, which is always open, there is one.
#[inline(always)]
fn call_of(node: &Node) -> u64 {
    match node.tally.open_since.load(Relaxed) {
        0 => node.pace.load(Relaxed),
        since => since,
    }
}

/// Whether a call that holds `net` was known already and held as much before: then an event is merely to be counted.
/// Of calls that are not timed this is not asked: they are few that allocate.
#[inline(always)]
pub(crate) fn is_low(node: &Node, net: i64) -> bool {
    let memory = &node.memory;
    memory.call.get() == node.tally.open_since.load(Relaxed) && net <= memory.height.get()
}

/// A block of `size` bytes was allocated.
#[inline(always)]
pub(crate) fn allocated(node: &Node, size: usize) {
    bump(&node.memory.allocated_bytes, size as u64);
    bump(&node.memory.allocated_count, 1);
}

/// A block of `size` bytes was freed.
#[inline(always)]
pub(crate) fn freed(node: &Node, size: usize) {
    bump(&node.memory.freed_bytes, size as u64);
    bump(&node.memory.freed_count, 1);
}

/// A call goes on that held `held` bytes when it was left, on this thread or another: a future is polled again.
pub(crate) fn resume(node: &Node, held: i64) {
    let net = crate::heap::local().net();
    let begin = |node: &Node, base| {
        node.memory.call.set(call_of(node));
        node.memory.base.set(base);
        node.memory.height.set(net);
    };
    begin(node, net.wrapping_sub(held));
    // Those around it that had no event yet: they will not be reached by one that is low here.
    let mut at = node.parent();
    while let Some(node) = at.filter(|node| node.memory.call.get() != call_of(node)) {
        begin(node, net);
        at = node.parent();
    }
}

/// What a call holds that is left for a while, after [`resume`].
pub(crate) fn held(node: &Node) -> i64 {
    crate::heap::local().net().wrapping_sub(node.memory.base.get())
}

/// After an event the thread holds `net`, and `before` before it: notes what is new of it, here and further out.
pub(crate) fn rise(node: &Node, before: i64, net: i64) {
    let mut at = Some(node);
    while let Some(node) = at {
        let (memory, call) = (&node.memory, call_of(node));
        if memory.call.get() != call {
            memory.call.set(call);
            memory.base.set(before);
            memory.height.set(before.max(net));
        } else if net > memory.height.get() {
            memory.height.set(net);
        } else {
            return;
        }
        let held = u64::try_from(memory.height.get().wrapping_sub(memory.base.get())).unwrap_or(0);
        if held > memory.peak_bytes.load(Relaxed) {
            memory.peak_bytes.store(held, Relaxed);
        }
        at = node.parent();
    }
}
