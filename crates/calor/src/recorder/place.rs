//! Where a piece of work was last entered, kept by whoever has something to tell about it later: after it was
//! left, perhaps on another thread. Only a thread's own tree may be written, so on another thread the same call
//! path is used there.

#![expect(unsafe_code, reason = "a place outlives the visit and is kept by pointer")]

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::{Scope, Site};

use super::block::Block;
use super::node::{Node, bump};
use super::{registry, state};

/// The node that was last entered, and whose it was.
#[derive(Debug)]
pub(crate) struct Place {
    node: AtomicPtr<Node>,
    /// The serial number of the block's owner: a node is used again by other threads.
    owner: AtomicU64,
}

impl Place {
    pub(crate) const fn nowhere() -> Self {
        Self { node: AtomicPtr::new(null_mut()), owner: AtomicU64::new(0) }
    }

    /// Remembers where a scope of this thread was opened, if it is recorded.
    #[inline(always)]
    pub(crate) fn set(&self, scope: &Scope) {
        if let Some(node) = scope.node() {
            self.owner.store(registry::current().serial(), Relaxed);
            self.node.store(std::ptr::from_ref(node).cast_mut(), Release);
        }
    }

    /// Records the life of an async scope that ended, which began at `since`. One that began before the last
    /// reset does not count.
    pub(crate) fn record_life(&self, site: &'static Site, since: u64, wall_ticks: u64) {
        self.tell(site, |block, node| {
            if since >= state::settings().reset_at {
                block.change(|| node.record_future(wall_ticks));
            }
        });
    }

    /// Adds to the work done at this place.
    pub(crate) fn add_work(&self, site: &'static Site, elements: u64, bytes: u64, flops: u64) {
        self.tell(site, |_, node| {
            bump(&node.elements, elements);
            bump(&node.bytes, bytes);
            bump(&node.flops, flops);
        });
    }

    /// Runs `tell` on the node of this call path in the calling thread's tree.
    fn tell(&self, site: &'static Site, tell: impl FnOnce(&Block, &Node)) {
        // SAFETY: the pointer is null or a leaked node.
        let Some(node) = (unsafe { self.node.load(Acquire).as_ref() }) else { return };
        let Some(block) = registry::current_up_to_date() else { return };
        let owner = self.owner.load(Relaxed);
        if block.serial() == owner && block.owns(node) {
            return tell(block, node);
        }
        // If the thread has ended and its tree is gone, the work still has a name.
        let path = path_in(owner, node).unwrap_or_else(|| vec![site]);
        let mut at = block.node(0);
        for site in path {
            match block.find_child(at, site) {
                Some(child) => at = child,
                None => return,
            }
        }
        tell(block, at);
    }
}

/// The sites on the way to a node of another thread, outermost first; `None` if it is not there any more, or
/// if somebody reads, which is not waited for.
#[cold]
fn path_in(owner: u64, node: &'static Node) -> Option<Vec<&'static Site>> {
    let mut path = None;
    // Under the registry's lock no block changes hands, so the places of its nodes hold.
    registry::if_nobody_reads(|| {
        if registry::blocks().any(|block| block.serial() == owner && block.owns(node)) {
            let around = std::iter::successors(Some(node), |node| node.parent());
            let mut sites: Vec<_> =
                around.take_while(|node| node.depth() > 0).map(|node| node.site()).collect();
            sites.reverse();
            path = Some(sites);
        }
    });
    path
}
