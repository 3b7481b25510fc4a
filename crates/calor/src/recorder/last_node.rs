//! Calls from one place that keep their node between them. Whoever stands before the functions of an interpreter knows the
//! place of each call anyway; so the node is kept there, and a look at it tells whether it is still the right one. That is
//! a third of the way that a table takes.

#![expect(unsafe_code, reason = "the hot path follows pointers to nodes that are never freed")]

use std::sync::atomic::Ordering::Relaxed;

use crate::{Site, clock};

use super::block::Block;
use super::node::Node;
use super::scope::{leave_otherwise, push};

/// The node that a call from one place entered last.
#[derive(Clone, Copy, Debug)]
pub struct LastNode(*const Node);

impl LastNode {
    /// None yet.
    pub const NONE: Self = Self(std::ptr::null());

    #[inline(always)]
    pub(super) fn of(node: &'static Node) -> Self {
        Self(node)
    }

    /// The node, if it is the one at a site below a parent: a node that is in no tree is below none.
    #[inline(always)]
    pub(super) fn at(self, parent: *const Node, site: &'static Site) -> Option<&'static Node> {
        // SAFETY: it is null or a leaked node.
        let node = unsafe { self.0.as_ref() }?;
        (node.parent_ptr() == parent && std::ptr::eq(node.site(), site)).then_some(node)
    }
}

/// Runs something as a scope on the thread of a block, every call of which is timed.
///
/// # Safety
/// `last` may be read and written until `run` begins.
#[inline(always)]
pub(super) unsafe fn around<T>(
    block: &'static Block,
    site: &'static Site,
    last: *mut LastNode,
    run: impl FnOnce() -> T,
) -> T {
    let parent = block.current();
    // SAFETY: by the caller's promise.
    let known = unsafe { *last }.at(parent, site);
    // SAFETY: as above.
    let Some(node) = known.or_else(|| met(block, parent, site, unsafe { &mut *last })) else { return run() };
    block.set_current(node);
    let start = clock::ticks();
    node.tally.open_since.store(start, Relaxed);
    let result = run();
    let end = clock::ticks();
    if std::ptr::eq(block.current(), node) {
        block.set_current(parent);
        push(block, node.index, start, end);
    } else {
        leave_otherwise(block, node, start, end);
    }
    result
}

/// Finds the node of a call from elsewhere than the last one, and remembers it.
#[inline(always)]
fn met(
    block: &'static Block,
    parent: *const Node,
    site: &'static Site,
    last: &mut LastNode,
) -> Option<&'static Node> {
    // SAFETY: the current node of a block with an owner is a leaked node, and its table has room.
    match unsafe { block.children.probe((*parent).index, site.id()).as_ref() } {
        Some(node) => {
            *last = LastNode::of(node);
            Some(node)
        }
        None => look(block, site, last),
    }
}

/// Finds the node of a call and remembers it.
#[cold]
#[inline(never)]
fn look(block: &'static Block, site: &'static Site, last: &mut LastNode) -> Option<&'static Node> {
    let node = block.find_child(block.current_node()?, site)?;
    *last = LastNode::of(node);
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;
    use crate::recorder::{registry, state};

    static OUTER: Site = Site::new("outer", "", "", 0);
    static CALLED: Site = Site::new("called", "", "", 0);
    static OTHER: Site = Site::new("other", "", "", 0);

    /// Runs on a block of its own, with a function that calls from one place and tells the number of the node.
    fn check(run: impl FnOnce(&'static Block, &mut dyn FnMut() -> Option<u32>)) -> &'static Block {
        crate::enable();
        let block = Block::leak();
        let mut last = LastNode::NONE;
        let index = || block.current_node().map(|node| node.index);
        registry::with_private_block(block, || {
            block.adopt(state::load());
            // SAFETY: nobody else knows of it.
            run(block, &mut || unsafe { around(block, &CALLED, &raw mut last, index) });
            block.fold_now();
        });
        assert!(block.current_node().is_some_and(|node| node.depth() == 0));
        block
    }

    #[test]
    fn each_caller_has_a_node_of_its_own_and_every_call_is_timed() {
        let block = check(|_, call| {
            (0..1000).for_each(|_| assert_eq!(call(), Some(1)));
            for _ in 0..500 {
                let _outer = Scope::enter(&OUTER);
                assert_eq!((call(), call()), (Some(3), Some(3)));
            }
            assert_eq!(call(), Some(1));
        });
        let counts = [1, 2, 3].map(|index| block.node(index).tally.count.load(Relaxed));
        assert_eq!(counts, [1001, 500, 1000]);
    }

    #[test]
    fn a_node_that_was_given_to_another_path_is_not_taken_for_the_one_before() {
        check(|block, call| {
            assert_eq!((call(), call()), (Some(1), Some(1)));
            block.fold_now();
            block.clear_tree();
            drop(Scope::enter(&OTHER));
            assert_eq!((call(), call()), (Some(2), Some(2)));
        });
    }

    #[test]
    fn what_was_left_open_inside_is_closed_with_it() {
        crate::enable();
        let block = check(|block, call| {
            let mut last = LastNode::NONE;
            // SAFETY: nobody else knows of it.
            unsafe { around(block, &OUTER, &raw mut last, || std::mem::forget(Scope::enter(&OTHER))) };
            assert_eq!(call(), Some(3));
        });
        assert_eq!([1, 2].map(|index| block.node(index).tally.count.load(Relaxed)), [1, 0]);
    }
}
