//! Calls of functions that may call themselves, directly or through others, as those of a language that is traced as a
//! whole do. A call of a function that is already on the path enters the node that is there, and what it calls hangs
//! below that: so a path holds a function once, and the tree is as large as the program and not as its data. It is what
//! `Profile::fold_recursion` makes of a profile, done while it is recorded.
//!
//! Each such call is timed like any other. Its time is part of that of the outer call, and no part of what lies between
//! the two on the path: on all of these nodes it is remembered as time that does not count towards their total. So totals
//! of children add up to that of their parent, as ever.

#![expect(unsafe_code, reason = "the hot path follows pointers to nodes that are never freed")]

use std::mem::ManuallyDrop;
use std::ptr::null;
use std::sync::atomic::Ordering::Relaxed;

use crate::{Scope, Site, clock};

use super::block::{Block, MAX_NODES};
use super::last_node::LastNode;
use super::node::{Node, bump};
use super::scope::leave_in_place;
use super::{registry, state};

/// Marks the parent's number in the table of children, so that plain scopes do not find what calls enter.
const BY_CALL: u32 = 1 << 30;
/// Entries of the table of children, beyond which the way back to a function is looked for anew each time.
const MAX_CHILDREN: usize = 4 * MAX_NODES;
/// Nodes of a thread that calls may have: there are far more functions than scopes, and these need room, too.
pub(super) const MAX_CALL_NODES: u32 = MAX_NODES as u32 / 4 * 3;
/// Nodes of a thread that may be there before functions of libraries get no more: importing a large one alone calls thousands,
/// and those of the program come after that.
const MAX_LIBRARY_NODES: u32 = MAX_NODES as u32 / 2;

/// An open call of a function; dropping it closes it. As a [`Scope`], but a call inside another call of the same
/// function counts at the outer one. Where only one call in N is timed, it is a scope like any other.
#[derive(Debug)]
#[must_use = "a call ends when its guard is dropped"]
pub struct CallScope {
    scope: ManuallyDrop<Scope>,
    /// The node that it was called from; null unless the function was on the path already.
    caller: *const Node,
}

impl CallScope {
    /// Opens a call at the site of a function.
    #[inline(always)]
    pub fn enter(site: &'static Site) -> Self {
        // SAFETY: nothing is kept.
        unsafe { Self::enter_on(registry::current(), site, std::ptr::null_mut()) }
    }

    /// The same on the thread of a block. `last` is what calls of this site entered last, null where that is not kept.
    ///
    /// # Safety
    /// `last` is null, or nobody else reads or writes it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn enter_on(block: &'static Block, site: &'static Site, last: *mut LastNode) -> Self {
        let word = state::load();
        if word & state::ON == 0 || block.quick_state.get() != word {
            return Self::of(Scope::enter(site));
        }
        // SAFETY: the current node of a block with an owner is a leaked node.
        let parent: &'static Node = unsafe { &*block.current() };
        // SAFETY: by the caller's promise.
        let known = unsafe { last.as_ref() }.and_then(|last| last.at(parent, site));
        if let Some(node) = known {
            return Self::inside(block, node);
        }
        if std::ptr::eq(parent.site(), site) && parent.depth() > 0 {
            // It calls itself: the node is entered already.
            let scope = ManuallyDrop::new(Scope::entered(parent, clock::ticks()));
            return Self { scope, caller: parent };
        }
        // SAFETY: as above, and the table of a block with an owner has room.
        let known = unsafe { block.children.probe(parent.index | BY_CALL, site.id()).as_ref() };
        let Some(node) = known.or_else(|| find_call(block, parent, site)) else {
            return Self::of(Scope::INERT);
        };
        if node.depth() > parent.depth() {
            // SAFETY: by the caller's promise.
            if let Some(last) = unsafe { last.as_mut() } {
                *last = LastNode::of(node);
            }
            return Self::inside(block, node);
        }
        block.set_current(node);
        Self { scope: ManuallyDrop::new(Scope::entered(node, clock::ticks())), caller: parent }
    }

    /// Enters a node that is below the current one.
    #[inline(always)]
    fn inside(block: &'static Block, node: &'static Node) -> Self {
        block.set_current(node);
        let start = clock::ticks();
        node.tally.open_since.store(start, Relaxed);
        Self::of(Scope::entered(node, start))
    }

    /// Closes it on the thread of a block.
    #[inline(always)]
    pub(super) fn leave_on(self, block: &'static Block) {
        let this = ManuallyDrop::new(self);
        let Some((node, start)) = this.scope.parts() else { return };
        if this.caller.is_null() {
            return leave_in_place(block, node, start);
        }
        let end = clock::ticks();
        if this.caller == node && block.current() == node {
            // SAFETY: the pointer is a leaked node.
            return leave_itself(block, unsafe { &*node }, start, end);
        }
        // SAFETY: as above.
        leave_recursive(block, &this.scope, unsafe { &*this.caller }, end);
    }

    #[inline(always)]
    fn of(scope: Scope) -> Self {
        Self { scope: ManuallyDrop::new(scope), caller: null() }
    }
}

impl Drop for CallScope {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: it is not used again. The pointer is null or a leaked node.
        let (scope, caller) = unsafe { (ManuallyDrop::take(&mut self.scope), self.caller.as_ref()) };
        if let Some(caller) = caller {
            leave_recursive(registry::current(), &scope, caller, clock::ticks());
            std::mem::forget(scope);
        }
    }
}

/// The node that a call enters, made if need be; `None` when there is no room, which is counted.
#[cold]
#[inline(never)]
fn find_call(block: &'static Block, parent: &'static Node, site: &'static Site) -> Option<&'static Node> {
    let (id, from) = (site.assign_id(), parent.index | BY_CALL);
    // SAFETY: the table holds leaked nodes.
    if let Some(known) = unsafe { block.children.search(from, id).as_ref() } {
        return Some(known);
    }
    let mut open = std::iter::successors(Some(parent), |node| node.parent());
    let outer = open.find(|node| node.depth() > 0 && node.site().id() == id);
    let node = match outer {
        Some(outer) => outer,
        None if block.n_nodes.load(Relaxed) >= most_nodes(site) => {
            bump(&block.over_limit, 1);
            return None;
        }
        None => block.find_child(parent, site)?,
    };
    if block.children.len() < MAX_CHILDREN {
        registry::at_work(|| {
            block.children.insert(from, id, node);
            Some(())
        });
    }
    Some(node)
}

/// How many nodes there may be for a call to get another.
fn most_nodes(site: &Site) -> u32 {
    if site.gives_way() { MAX_LIBRARY_NODES } else { MAX_CALL_NODES }
}

/// Leaving a call that its own function made, with nothing left open inside: what [`leave_recursive`] does, without a way.
#[inline(always)]
fn leave_itself(block: &'static Block, node: &'static Node, start: u64, end: u64) {
    let ticks = end.wrapping_sub(start);
    if ticks >= u64::from(u32::MAX) {
        return leave_recursive(block, &ManuallyDrop::new(Scope::entered(node, start)), node, end);
    }
    block.push(node.index, start, ticks as u32);
    let reset_at = block.reset_at.load(Relaxed);
    if start >= reset_at && node.tally.open_since.load(Relaxed) >= reset_at {
        bump(&node.recursive_ticks, ticks);
    }
}

/// Leaving a call whose function was on the path already.
#[inline(never)]
fn leave_recursive(block: &'static Block, scope: &Scope, caller: &'static Node, end: u64) {
    let Some(node) = scope.node() else { return };
    if !block.owns(node) || !block.owns(caller) {
        return registry::count_stray();
    }
    // Scopes inside it may have been left open: then the way up from there leads by it.
    let mut open = std::iter::successors(block.current_node(), |node| node.parent());
    if open.any(|open| std::ptr::eq(open, node)) {
        block.set_current(caller);
    }
    let ticks = end.wrapping_sub(scope.start());
    block.push_long(node.index, scope.start(), ticks);
    // The counters of two cores may differ by a few ticks, as `push_long` has it.
    let ticks = if ticks > u64::MAX / 2 { 0 } else { ticks };
    let reset_at = block.reset_at.load(Relaxed);
    if scope.start() < reset_at {
        return;
    }
    for between in std::iter::successors(Some(caller), |node| node.parent()) {
        // Calls that began before a reset do not count, so nothing is in them twice.
        if between.tally.open_since.load(Relaxed) >= reset_at {
            bump(&between.recursive_ticks, ticks);
        }
        if std::ptr::eq(between, node) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{Profile, StackId};
    use proptest::prelude::*;

    use super::*;
    use crate::recorder::convert::Converter;
    use crate::recorder::raw::RawThread;

    static SITES: [Site; 4] = [
        Site::new("a", "", "", 0),
        Site::new("b", "", "", 0),
        Site::new("c", "", "", 0),
        Site::new("d", "", "", 0),
    ];

    fn add_to(profile: &mut Profile, raw: &RawThread) {
        let thread = profile.intern_thread(1, 1, "test");
        Converter::new(profile).add(raw, thread);
    }

    fn profile_of(block: &Block) -> Profile {
        let mut profile = Profile::default();
        add_to(&mut profile, &block.read(None));
        profile
    }

    /// Runs on a block that scopes of this thread are recorded in meanwhile.
    fn on_fresh_block(run: impl FnOnce(&'static Block)) -> &'static Block {
        crate::enable();
        let block = Block::leak();
        block.ownership.store(super::super::block::ownership::LIVE, Relaxed);
        registry::with_private_block(block, || {
            block.adopt(state::load());
            run(block);
        });
        block
    }

    /// Enters functions by number, and leaves the innermost at every number beyond them.
    fn follow<T>(steps: &[u8], enter: impl Fn(&'static Site) -> T, mut after: impl FnMut()) {
        let mut open = Vec::new();
        for &step in steps {
            match SITES.get(usize::from(step)) {
                Some(site) => open.push(enter(site)),
                None => _ = open.pop(),
            }
            (0..200).for_each(|i| _ = std::hint::black_box(i));
            after();
        }
        while open.pop().is_some() {}
    }

    /// Each path with its calls, in the order of names.
    fn calls(profile: &Profile) -> Vec<(String, u64)> {
        let mut calls: Vec<_> =
            profile.scopes.iter().map(|(key, stats)| (path(profile, key.stack), stats.calls)).collect();
        calls.sort();
        calls
    }

    fn path(profile: &Profile, stack: StackId) -> String {
        let row = profile.stacks.get(stack);
        let own = profile.strings.get(profile.frames.get(row.frame).name);
        row.parent.map_or_else(|| own.into(), |parent| format!("{};{own}", path(profile, parent)))
    }

    #[test]
    fn a_function_that_calls_itself_is_one_path_with_the_time_of_its_outermost_call() {
        fn fib(n: u32) -> u32 {
            let _call = CallScope::enter(&SITES[0]);
            if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
        }
        let profile = profile_of(on_fresh_block(|_| assert_eq!(fib(16), 987)));
        assert_eq!(calls(&profile), [(String::from("a"), 3193)]);
        let stats = profile.scopes.iter().next().expect("a path").1;
        assert_eq!((stats.timed.count, stats.open_calls, stats.is_estimated()), (3193, 0, false));
        assert!(stats.total_nanos.abs_diff(stats.timed.max_nanos) <= 2, "{stats:?}");
        assert!(stats.timed.total_nanos > stats.total_nanos * 2);
    }

    #[test]
    fn calls_leave_room_for_scopes() {
        let sites = |n: u32| (0..n).map(|_| &*Box::leak(Box::new(Site::new("many", "", "", 0))));
        let profile = profile_of(on_fresh_block(|block| {
            sites(MAX_CALL_NODES + 100).for_each(|site| drop(CallScope::enter(site)));
            assert_eq!((block.n_nodes.load(Relaxed), block.over_limit.load(Relaxed)), (MAX_CALL_NODES, 101));
            sites(100).for_each(|site| drop(Scope::enter(site)));
        }));
        assert_eq!(calls(&profile), [(String::from("many"), u64::from(MAX_CALL_NODES) - 1 + 100)]);
    }

    #[test]
    fn functions_of_libraries_leave_room_for_those_of_the_program() {
        let own = |n: u32| (0..n).map(|_| &*Box::leak(Box::new(Site::new("own", "", "", 0))));
        let profile = profile_of(on_fresh_block(|block| {
            for _ in 0..2 * MAX_LIBRARY_NODES {
                drop(CallScope::enter(Site::made_of_library("library", "", "", 0, &[])));
            }
            assert_eq!(block.n_nodes.load(Relaxed), MAX_LIBRARY_NODES);
            // What a library calls hangs below what there was room for.
            let library = CallScope::enter(Site::made_of_library("library", "", "", 0, &[]));
            own(MAX_CALL_NODES).for_each(|site| drop(CallScope::enter(site)));
            drop(library);
            assert_eq!(block.n_nodes.load(Relaxed), MAX_CALL_NODES);
        }));
        let own = u64::from(MAX_CALL_NODES - MAX_LIBRARY_NODES);
        let library = u64::from(MAX_LIBRARY_NODES) - 1;
        assert_eq!(calls(&profile), [(String::from("library"), library), (String::from("own"), own)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn paths_and_calls_are_those_of_folded_recursion_and_times_add_up(
            steps in prop::collection::vec(0_u8..7, 1..300),
        ) {
            let nested = profile_of(on_fresh_block(|_| follow(&steps, Scope::enter, || {}))).fold_recursion();
            let folded = profile_of(on_fresh_block(|block| {
                follow(&steps, CallScope::enter, || {});
                assert!(block.current_node().is_some_and(|node| node.depth() == 0));
            }));
            prop_assert_eq!(calls(&nested), calls(&folded));
            for (key, stats) in folded.scopes.iter() {
                let is_child = |stack: StackId| folded.stacks.get(stack).parent == Some(key.stack);
                let inside: u64 = folded
                    .scopes
                    .iter()
                    .filter(|(child, _)| is_child(child.stack))
                    .map(|(_, stats)| stats.total_nanos)
                    .sum();
                // A nanosecond of rounding for each path.
                prop_assert!(inside <= stats.total_nanos + 20, "{} in {:?}", inside, stats);
            }
        }

        #[test]
        fn parts_told_while_calls_are_open_add_up_to_the_whole(
            steps in prop::collection::vec(0_u8..7, 1..120), every in 1_usize..9,
        ) {
            let (mut merged, mut earlier, mut n) = (Profile::default(), RawThread::default(), 0);
            let mut tell = |block: &Block| {
                let mut raw = block.read(None);
                let mut part = Profile::default();
                add_to(&mut part, &raw.since(&earlier));
                merged.merge(&part);
                earlier = raw;
            };
            let block = on_fresh_block(|block| {
                follow(&steps, CallScope::enter, || {
                    n += 1;
                    if n % every == 0 {
                        tell(block);
                    }
                });
                tell(block);
            });
            let whole = profile_of(block);
            prop_assert_eq!(calls(&merged), calls(&whole));
            for (key, stats) in whole.scopes.iter() {
                let told = merged.scopes.iter().find(|(other, _)| path(&merged, other.stack) == path(&whole, key.stack));
                let told = told.expect("each path was told").1;
                prop_assert_eq!((told.open_calls, told.open_nanos), (0, 0));
                // The rate of the clock settles meanwhile, and each part rounds.
                let allowed = stats.total_nanos / 1000 + 2 * steps.len() as u64 + 10;
                prop_assert!(told.total_nanos.abs_diff(stats.total_nanos) <= allowed, "{:?} is not {:?}", told, stats);
            }
        }
    }
}
