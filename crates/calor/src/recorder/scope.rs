//! The scope guard: entering finds the node and reads the clock last; leaving reads the clock first and writes
//! one event. This is the code that runs in the programs of others, so it never panics, waits or allocates
//! on its usual path.

#![expect(unsafe_code, reason = "the hot path follows pointers to nodes that are never freed")]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::Relaxed;

use crate::thread_bound::StaysOnItsThread;
use crate::{Amount, CallWork, LabelValue, Site, causal, clock};

use super::block::Block;
use super::node::{ExtraKind, Node, WAIT_BITS, WAIT_MASK, bump};
use super::ring::SAMPLED;
use super::state::MAX_ONE_IN;
use super::{registry, state};

/// Calls on a call path that are all timed before one in N is.
const WARM_CALLS: u32 = 16;

/// An open scope; dropping it closes it. It stays on its thread: for work that moves between threads, give
/// the future to [`Scoped`](crate::Scoped).
///
/// `let _ = calor::open!("x")` drops it at once and measures nothing, and the compiler takes that for intended. Give
/// it a name that begins with an underscore, or write [`scope!`](crate::scope), which does. The lint
/// `let_underscore_drop` of the compiler, off unless asked for, finds such places.
#[derive(Debug)]
#[must_use = "a scope ends when its guard is dropped: bind it, as in `let _scope = calor::open!(..)`"]
pub struct Scope {
    _stays_on_its_thread: StaysOnItsThread,
    /// Null when nothing is recorded. Two words are handed over in registers, so marks are in the lowest bits,
    /// which a node's alignment leaves free.
    node: Carried,
    /// When it began. Of an untimed call, the address of the parent: without it, entering the next scope
    /// would have to wait for this node to be fetched.
    start: u64,
}

/// The address of a node, which a guard carries.
#[derive(Clone, Copy, Debug)]
struct Carried(*const Node);

// SAFETY: it is only ever in a guard, which may not be sent itself, and nodes are never freed. Without this the compiler
// would name a pointer of the recorder where a guard is sent, instead of the type that says what to do.
unsafe impl Send for Carried {}
// SAFETY: as above.
unsafe impl Sync for Carried {}

/// Marks a timed call that stands for untimed ones too.
const STANDS_FOR_OTHERS: usize = 1;
/// Marks a call that is counted but not timed.
const UNTIMED: usize = 2;
/// Marks a call whose beginning and end are boundaries of an experiment.
const IN_EXPERIMENT: usize = 4;
const MARKS: usize = STANDS_FOR_OTHERS | UNTIMED | IN_EXPERIMENT;

/// The address without marks.
#[inline(always)]
fn unmarked(node: *const Node) -> *const Node {
    node.map_addr(|address| address & !MARKS)
}

impl Scope {
    pub(super) const INERT: Self =
        Self { _stays_on_its_thread: PhantomData, node: Carried(std::ptr::null()), start: 0 };

    /// Opens a scope at a site. The macros do this.
    #[inline(always)]
    pub fn enter(site: &'static Site) -> Self {
        let word = state::load();
        if word & state::ON == 0 {
            return Self::INERT;
        }
        let block = registry::current();
        if block.quick_state.get() != word {
            return enter_otherwise(block, site, word);
        }
        enter(block, site)
    }

    /// Opens a scope at a site, counts it, and times it one time in `n` on average.
    #[inline(always)]
    pub fn enter_one_in(site: &'static Site, n: u32) -> CountedScope {
        let word = state::load();
        if word & state::ON == 0 {
            return CountedScope(ManuallyDrop::new(Self::INERT));
        }
        let block = registry::current();
        let scope =
            if block.state.get() == word { enter_one_in(block, site, n) } else { adopt_and_enter(site) };
        CountedScope(ManuallyDrop::new(scope))
    }

    /// Opens a scope at a site with labels, which tell its calls apart; see [`Site::labelled`].
    #[inline(always)]
    pub fn enter_labelled(site: &'static Site, labels: &[(&'static str, LabelValue<'_>)]) -> Self {
        if state::is_on() { Self::enter(site.labelled(labels)) } else { Self::INERT }
    }

    /// The same, counted always and timed one time in `n` on average.
    #[inline(always)]
    pub fn enter_labelled_one_in(
        site: &'static Site,
        labels: &[(&'static str, LabelValue<'_>)],
        n: u32,
    ) -> CountedScope {
        Self::enter_one_in(if state::is_on() { site.labelled(labels) } else { site }, n)
    }

    /// Whether anything is recorded: `false` while the recorder is off.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        !self.node.0.is_null()
    }

    /// Says how many elements this scope worked on. Adds up when said several times.
    pub fn elements(&self, n: u64) -> &Self {
        self.told(|node| bump(&node.elements, n))
    }

    /// Says how many bytes this scope read and wrote. Adds up when said several times.
    pub fn bytes(&self, n: u64) -> &Self {
        self.told(|node| bump(&node.bytes, n))
    }

    /// Says how many floating-point operations this scope did. Adds up when said several times.
    pub fn flops(&self, n: u64) -> &Self {
        self.told(|node| bump(&node.flops, n))
    }

    /// Ends the scope, and then asks what it did: neither finding that out nor saying it takes any of its time.
    #[inline]
    pub fn end_with(self, work: impl FnOnce() -> CallWork) {
        // What is left is the address of the node, which is closed already.
        let ended = ManuallyDrop::new(Self { _stays_on_its_thread: PhantomData, node: self.node, start: 0 });
        drop(self);
        tell(registry::current(), &ended, work());
    }

    /// Says what served this call, such as `"avx2"` or `"cuda"`.
    pub fn backend(&self, name: &'static str) -> &Self {
        self.told(|node| node.add_extra(ExtraKind::Backend, name, 1))
    }

    /// Adds a whole number of any type to a counter of this scope. A call path holds eight counters and backends; more
    /// are counted as lost.
    pub fn add(&self, counter: &'static str, n: impl Amount) -> &Self {
        self.told(|node| node.add_extra(ExtraKind::Counter, counter, n.saturated()))
    }

    /// Tells the node, which only its thread may do: a guard that is kept in thread-local storage may outlive
    /// the thread's block.
    #[inline]
    fn told(&self, tell: impl FnOnce(&Node)) -> &Self {
        if let Some(node) = self.node().filter(|node| registry::current().owns(node)) {
            tell(node);
        }
        self
    }

    /// A scope whose node was entered at a moment.
    #[inline(always)]
    pub(super) fn entered(node: &'static Node, start: u64) -> Self {
        Self { _stays_on_its_thread: PhantomData, node: Carried(node), start }
    }

    /// When it began, in ticks; of an untimed one it means nothing.
    #[inline(always)]
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The node, for the parts of the recorder that add to it while the scope is open.
    #[inline]
    pub(crate) fn node(&self) -> Option<&'static Node> {
        // SAFETY: without marks, the pointer is null or a leaked node.
        unsafe { unmarked(self.node.0).as_ref() }
    }

    /// What [`leave`] takes, unless nothing is recorded.
    #[inline(always)]
    pub(super) fn parts(&self) -> Option<(*const Node, u64)> {
        (!self.node.0.is_null()).then_some((self.node.0, self.start))
    }

    /// When it began, in ticks, if it is timed.
    #[cfg(feature = "tracing")]
    #[inline(always)]
    pub(crate) fn began(&self) -> Option<u64> {
        (self.node.0.addr() & UNTIMED == 0).then_some(self.start)
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.node.0.is_null() {
            leave(registry::current(), self.node.0, self.start);
        }
    }
}

/// An open scope of a site that is counted always and timed one time in N; otherwise a [`Scope`]. Leaving it
/// untimed is so little that it is done in place.
#[derive(Debug)]
#[must_use = "a scope ends when its guard is dropped: bind it, as in `let _scope = calor::open!(..)`"]
pub struct CountedScope(ManuallyDrop<Scope>);

impl std::ops::Deref for CountedScope {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.0
    }
}

impl Drop for CountedScope {
    #[inline(always)]
    fn drop(&mut self) {
        let Scope { node: Carried(node), start, .. } = *self.0;
        if !node.is_null() {
            leave_counted(registry::current(), node, start);
        }
    }
}

/// Leaving a scope that may be untimed.
#[inline(always)]
pub(super) fn leave_counted(block: &'static Block, node: *const Node, start: u64) {
    if node.addr() & UNTIMED != 0 && block.current() == unmarked(node) {
        return block.set_current(std::ptr::with_exposed_provenance(start as usize));
    }
    leave(block, node, start);
}

/// Says what a scope did, on the thread of a block.
#[inline(always)]
pub(super) fn tell(block: &Block, scope: &Scope, work: CallWork) {
    if let Some(node) = scope.node().filter(|node| block.owns(node)) {
        bump(&node.elements, work.elements);
        bump(&node.bytes, work.bytes);
        bump(&node.flops, work.flops);
        if let Some(backend) = work.backend {
            node.add_extra(ExtraKind::Backend, backend, 1);
        }
    }
}

/// Entering a scope on the thread of a block, every call of which is timed.
#[inline(always)]
pub(super) fn enter(block: &'static Block, site: &'static Site) -> Scope {
    let parent = block.current();
    // SAFETY: the current node of a block with an owner is a leaked node, and its table has room.
    let (parent, mut node) = unsafe {
        let parent = &*parent;
        (parent, block.children.probe(parent.index, site.id()))
    };
    if node.is_null() {
        match block.find_child(parent, site) {
            Some(found) => node = found,
            None => return Scope::INERT,
        }
    }
    block.set_current(node);
    let start = clock::ticks();
    // SAFETY: the table holds leaked nodes.
    unsafe { &*node }.tally.open_since.store(start, Relaxed);
    Scope { _stays_on_its_thread: PhantomData, node: Carried(node), start }
}

/// Leaving a scope. A function of its own, so that what stays in the program is a test and a call. The block is
/// handed over, because the program finds it in one instruction and a library does not.
#[inline(never)]
pub(super) fn leave(block: &'static Block, node: *const Node, start: u64) {
    if node.addr() & UNTIMED != 0 {
        if block.current() != unmarked(node) {
            return leave_otherwise(block, node, 0, 0);
        }
        return block.set_current(std::ptr::with_exposed_provenance(start as usize));
    }
    let end = clock::ticks();
    // The usual case, by one comparison: this thread opened it, and nothing inside is still open.
    if block.current() != node {
        return leave_otherwise(block, node, start, end);
    }
    // SAFETY: the pointer is a leaked node.
    ended(block, unsafe { &*node }, start, end);
}

/// The same in place, for those who stand between a caller and what it calls, where each call more is felt.
#[inline(always)]
pub(super) fn leave_in_place(block: &'static Block, node: *const Node, start: u64) {
    if node.addr() & MARKS != 0 {
        return leave(block, node, start);
    }
    let end = clock::ticks();
    if block.current() != node {
        return leave_otherwise(block, node, start, end);
    }
    // SAFETY: the pointer is a leaked node.
    ended(block, unsafe { &*node }, start, end);
}

/// The innermost scope has ended.
#[inline(always)]
fn ended(block: &Block, node: &Node, start: u64, end: u64) {
    block.set_current(node.parent_ptr());
    push(block, node.index, start, end);
}

/// Writes a finished scope.
#[inline(always)]
pub(super) fn push(block: &Block, node: u32, start: u64, end: u64) {
    let ticks = end.wrapping_sub(start);
    if ticks < u64::from(u32::MAX) {
        block.push(node, start, ticks as u32);
    } else {
        block.push_long(node, start, ticks);
    }
}

/// Entering when something is new to the thread, or when not every call is timed.
#[inline(never)]
fn enter_otherwise(block: &'static Block, site: &'static Site, word: u64) -> Scope {
    // The thread knows the state and still was not on the quick path: so it times one in N, or there are experiments.
    if block.state.get() != word {
        return adopt_and_enter(site);
    }
    enter_one_in(block, site, block.time_one_in.get())
}

#[cold]
#[inline(never)]
fn adopt_and_enter(site: &'static Site) -> Scope {
    // If the recorder was changed again meanwhile, the next scope acts on that.
    match registry::current_up_to_date() {
        Some(block) if block.has_experiments.get() => enter_in_experiment(block, site),
        Some(block) if block.time_one_in.get() > 1 => enter_one_in(block, site, block.time_one_in.get()),
        Some(block) => enter(block, site),
        None => Scope::INERT,
    }
}

/// Entering a scope whose beginning and end are boundaries of an experiment: there this thread may have to pause. All such
/// calls are timed.
fn enter_in_experiment(block: &'static Block, site: &'static Site) -> Scope {
    causal::before_scope();
    let mut scope = enter(block, site);
    if scope.is_recorded() {
        causal::entered(site);
        scope.node = Carried(scope.node.0.map_addr(|address| address | IN_EXPERIMENT));
    }
    scope
}

/// Entering a scope of which one call in `n` is timed.
#[inline(always)]
pub(super) fn enter_one_in(block: &'static Block, site: &'static Site, n: u32) -> Scope {
    // SAFETY: the current node of a block with an owner is a leaked node.
    let parent = unsafe { &*block.current() };
    // Without a clock to wait for, the way to the node is what an untimed call costs: the child entered last
    // is remembered in its parent, one step away.
    let Some(node) = parent.recent_child(site) else { return enter_remembering(block, site, n) };
    let pace = node.pace.load(Relaxed);
    if pace & WAIT_MASK == 0 {
        return enter_timed(block, node, n);
    }
    block.set_current(node);
    node.pace.store(pace - 1, Relaxed);
    node.tally.open_since.store(0, Relaxed);
    let node = std::ptr::from_ref(node).map_addr(|address| address | UNTIMED);
    let start = std::ptr::from_ref(parent).expose_provenance() as u64;
    Scope { _stays_on_its_thread: PhantomData, node: Carried(node), start }
}

/// Enters a scope whose parent entered another one last.
#[cold]
#[inline(never)]
fn enter_remembering(block: &'static Block, site: &'static Site, n: u32) -> Scope {
    let Some(parent) = block.current_node() else { return Scope::INERT };
    match block.find_child(parent, site) {
        Some(node) => {
            parent.remember_child(site, node);
            enter_one_in(block, site, n)
        }
        None => Scope::INERT,
    }
}

/// Enters a scope whose turn it is to be timed.
#[cold]
#[inline(never)]
fn enter_timed(block: &Block, node: &'static Node, n: u32) -> Scope {
    block.set_current(node);
    let mark = plan_next(block, node, n);
    let node_marked = std::ptr::from_ref(node).map_addr(|address| address | mark);
    let start = clock::ticks();
    node.tally.open_since.store(start, Relaxed);
    Scope { _stays_on_its_thread: PhantomData, node: Carried(node_marked), start }
}

/// Decides how many calls go untimed after this one, and says whether this one stands for others.
fn plan_next(block: &Block, node: &Node, n: u32) -> usize {
    let n = n.clamp(1, MAX_ONE_IN);
    let warm = node.warm_calls.load(Relaxed);
    let (untimed, mark) = if warm < WARM_CALLS {
        node.warm_calls.store(warm + 1, Relaxed);
        (if warm + 1 == WARM_CALLS { block.random_below(n) } else { 0 }, 0)
    } else {
        // From 0 to 2(n-1) calls, n-1 on average: at random, so as not to keep step with a loop of the program.
        (block.random_below(2 * n - 1), STANDS_FOR_OTHERS)
    };
    let untimed = u64::from(untimed) & WAIT_MASK;
    let planned = (node.pace.load(Relaxed) >> WAIT_BITS) + untimed;
    node.pace.store(planned << WAIT_BITS | untimed, Relaxed);
    mark
}

/// Leaving when the call stands for others too, or the scope is not the innermost one of this thread.
#[cold]
#[inline(never)]
pub(super) fn leave_otherwise(block: &'static Block, node: *const Node, start: u64, end: u64) {
    let mark = if node.addr() & STANDS_FOR_OTHERS == 0 { 0 } else { SAMPLED };
    let is_in_experiment = node.addr() & IN_EXPERIMENT != 0;
    // SAFETY: without marks, the pointer is a leaked node.
    let node: &'static Node = unsafe { &*unmarked(node) };
    if !block.owns(node) {
        return registry::count_stray();
    }
    if is_in_experiment {
        causal::leaving(node.site(), end);
    }
    // Scopes inside it were leaked, or are dropped after it: go up past it. If it is not around the current
    // scope any more, whoever closed first has done so already.
    let mut at = block.current_node();
    while let Some(open) = at {
        if std::ptr::eq(open, node) {
            block.set_current(node.parent_ptr());
            break;
        }
        at = open.parent();
    }
    let ticks = end.wrapping_sub(start);
    if start != 0 && ticks < u64::from(u32::MAX) {
        block.push(node.index | mark, start, ticks as u32);
    } else if start != 0 {
        block.push_long(node.index | mark, start, ticks);
    }
    if is_in_experiment {
        causal::before_scope();
    }
}
