//! Which site of the recorder a call belongs to. Each thread has a small table that is looked into for every call; behind it is
//! one for all threads, which decides how finely calls are told apart.
//!
//! Sites are kept for good and have figures of 5 KiB on each thread, so there are limits. A line tells the first few shapes of
//! an operation apart; after that shapes are told apart by powers of two, and then not at all. Beyond a total, all further lines
//! of an operation share one row. What is told less finely is counted.

#![expect(
    unsafe_code,
    reason = "the table of a thread is reached by a pointer, without a check on the usual way"
)]

use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use calor::{Here, LastNode, Site};
use foldhash::fast::RandomState;

use super::front::Front;
use super::key::Key;
use super::operation::Operation;
use super::work::Work;
use crate::last_thread::LastThread;

/// Slots of a thread's table, 192 bytes each.
const SLOTS: usize = 512;
/// Slots that a call may be in: with one, two operations of a loop would drive each other out again and again.
const WAYS: usize = 4;
/// Shapes of one operation at one line that are told apart exactly, and then by powers of two.
const EXACT_SHAPES: u16 = 8;
const ROUGH_SHAPES: u16 = 8;
/// Sites in all; further lines share a row of their operation.
const MAX_SITES: usize = 2048;

/// A site and what is known of its calls.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) site: &'static Site,
    pub(super) operation: &'static Operation,
    /// How many shapes it stands for.
    pub(super) grain: Grain,
    /// Whether the calling line is in NumPy itself.
    pub(super) is_inner: bool,
    /// Whether the labels that need a result were told.
    pub(super) is_labelled: AtomicBool,
    /// Whether each call does the same, which the site says then.
    pub(super) is_constant: bool,
    /// Whether calls work on so much that it is asked whether they repeat one another.
    pub(super) is_large: AtomicBool,
    /// How many such calls there were, about: several threads may count at a time.
    pub(super) n_large: AtomicU32,
    /// Where the operands lay last and what they held, for sites of large arrays.
    pub(super) last_memory: AtomicU64,
    pub(super) last_values: AtomicU64,
    /// The generation in which it was entered last, of a site that stands for several shapes or lines.
    pub(super) met_in: AtomicU32,
}

/// How often all was forgotten.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Which it is now.
pub(super) fn generation() -> u32 {
    GENERATION.load(Relaxed)
}

impl Known {
    /// A call enters the site. Threads keep what they have found across generations, so this cannot be told where it is found.
    #[inline(always)]
    pub(super) fn note_entered(&self) {
        if self.grain != Grain::Exact && !self.is_met() {
            self.note_met();
        }
    }

    #[cold]
    #[inline(never)]
    fn note_met(&self) {
        if calor::is_enabled() {
            self.met_in.store(generation(), Relaxed);
        }
    }

    fn is_met(&self) -> bool {
        self.met_in.load(Relaxed) == generation()
    }
}

/// How finely a site tells shapes apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Grain {
    /// One shape.
    Exact,
    /// Shapes of about one size.
    Rough,
    /// All shapes at a line.
    Line,
    /// All lines of an operation.
    Operation,
}

/// What a slot says of calls with its key.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Slot {
    pub(super) key: Key,
    /// What plain calls entered last.
    pub(super) last: LastNode,
    pub(super) site: Option<&'static Site>,
    pub(super) known: Option<&'static Known>,
    /// Whether each call does the same, which the site says.
    pub(super) is_constant: bool,
    /// Whether nothing has to be looked at before a call, and little after it.
    pub(super) is_quick: bool,
    /// Whether it may have to be asked whether a call repeats the one before.
    pub(super) is_large: bool,
    /// Whether a call that is quick and not large runs no code but NumPy's, and nothing has to be looked at after it.
    pub(super) is_plain: bool,
    /// What a call of this key does, once that is known.
    pub(super) work: Work,
    /// The result's elements that `work` was computed with.
    pub(super) result_len: u64,
}

impl Slot {
    pub(super) const EMPTY: Self = Self {
        key: Key::EMPTY,
        last: LastNode::NONE,
        site: None,
        known: None,
        work: Work::NONE,
        result_len: u64::MAX,
        is_constant: false,
        is_quick: false,
        is_large: false,
        is_plain: false,
    };
}

/// A thread's table.
pub(super) struct ThreadTable {
    slots: [UnsafeCell<Slot>; SLOTS],
    /// What is asked before the slots.
    pub(super) front: Front,
    /// The recorder of the thread.
    pub(super) here: Here,
    /// Operations that are open on this thread.
    pub(super) depth: Cell<u32>,
    /// Which slot is given up next where all that a call may be in are taken.
    next_given_up: Cell<usize>,
}

thread_local! {
    static TABLE: Cell<*mut ThreadTable> = const { Cell::new(null_mut()) };
    static OWNER: Owner = const { Owner };
}

static LAST: LastThread<&'static ThreadTable> = LastThread::new();

/// The table of this thread; `None` before the first call, and while the thread is torn down.
///
/// # Safety
/// The thread has the interpreter's lock.
#[inline(always)]
pub(super) unsafe fn of_thread() -> Option<&'static ThreadTable> {
    // SAFETY: by the caller's promise.
    unsafe { LAST.get() }.or_else(of_another_thread)
}

#[cold]
#[inline(never)]
fn of_another_thread() -> Option<&'static ThreadTable> {
    // SAFETY: the pointer is null or a table that is freed when the thread ends, after which it is null.
    let table = unsafe { TABLE.get().as_ref() }?;
    // SAFETY: callers have the lock; it is forgotten before the table is freed.
    unsafe { LAST.set(table) };
    Some(table)
}

/// Makes the table of this thread; `None` while the recorder is off, and while the thread is torn down.
#[cold]
#[inline(never)]
pub(super) fn make() -> Option<&'static ThreadTable> {
    OWNER.try_with(|_| {}).ok()?;
    let here = Here::get()?;
    let slots = [const { UnsafeCell::new(Slot::EMPTY) }; SLOTS];
    TABLE.set(Box::into_raw(Box::new(ThreadTable {
        slots,
        front: Front::new(),
        here,
        depth: Cell::new(0),
        next_given_up: Cell::new(0),
    })));
    // SAFETY: it was just made, and is freed when the thread ends.
    unsafe { TABLE.get().as_ref() }
}

/// Runs something while this thread knows of no call, so that all of them are new. With the interpreter's lock held.
pub(super) fn with_empty_table<T>(run: impl FnOnce() -> T) -> T {
    let own = TABLE.replace(null_mut());
    LAST.forget();
    let result = run();
    let of_run = TABLE.replace(own);
    LAST.forget();
    if !of_run.is_null() {
        // SAFETY: it came from a box, and nobody else can reach it.
        drop(unsafe { Box::from_raw(of_run) });
    }
    result
}

/// Forgets which shapes lines have met, and which calls were compared, so that a recording that begins anew tells of itself
/// alone. Sites stay, and are used again; lines that have some keep them when there is no room for others. With the
/// interpreter's lock held; other threads find their calls where they were.
pub(super) fn forget_variants() {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sites) = sites.as_mut() {
        sites.variants.values_mut().for_each(|variants| *variants = (0, 0));
    }
    GENERATION.fetch_add(1, Relaxed);
    drop(sites);
    // SAFETY: the pointer is null or a table that is freed when the thread ends.
    if let Some(table) = unsafe { TABLE.get().as_ref() }.filter(|table| table.depth.get() == 0) {
        // In place: a call that is new may be about to get a slot, and Python's code, which clears, ran on the way.
        // SAFETY: the table is that of this thread, and nobody holds a reference into it between calls.
        unsafe { table.empty() };
    }
}

/// Has all sites compare their calls anew.
pub(super) fn compare_anew() {
    let sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    for known in sites.iter().flat_map(|sites| sites.by_key.values()) {
        known.n_large.store(0, Relaxed);
        known.last_memory.store(0, Relaxed);
    }
}

/// Frees the table when the thread ends.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        LAST.forget();
        let table = TABLE.replace(null_mut());
        if !table.is_null() {
            // SAFETY: it came from a box, and nobody else can reach it.
            drop(unsafe { Box::from_raw(table) });
        }
    }
}

impl ThreadTable {
    /// The slot that a call with this hash is in, unless others were there before: then [`ThreadTable::find`] knows.
    #[inline(always)]
    pub(super) fn first_slot(&self, hash: u64) -> *mut Slot {
        self.way(hash, 0)
    }

    /// The slot for which something holds, of those that a call with this hash may be in.
    ///
    /// # Safety
    /// The table is that of this thread, and nobody holds a reference into it.
    #[inline(never)]
    pub(super) unsafe fn find(&self, hash: u64, is_it: impl Fn(&Slot) -> bool) -> Option<*mut Slot> {
        // SAFETY: by the caller's promise.
        (0..WAYS).map(|way| self.way(hash, way)).find(|slot| is_it(unsafe { &**slot }))
    }

    /// The slot for a call that has none: a vacant one, or else one of another call.
    ///
    /// # Safety
    /// As for [`ThreadTable::find`].
    pub(super) unsafe fn give(&self, hash: u64) -> *mut Slot {
        // SAFETY: by the caller's promise.
        unsafe { self.find(hash, |slot| slot.known.is_none()) }.unwrap_or_else(|| {
            let turn = self.next_given_up.get();
            self.next_given_up.set(turn.wrapping_add(1));
            self.way(hash, turn % WAYS)
        })
    }

    /// Forgets all calls.
    ///
    /// # Safety
    /// As for [`ThreadTable::find`].
    unsafe fn empty(&self) {
        for slot in &self.slots {
            // SAFETY: by the caller's promise.
            unsafe { *slot.get() = Slot::EMPTY };
        }
        // SAFETY: as above.
        unsafe { self.front.empty() };
    }

    #[inline(always)]
    fn way(&self, hash: u64, way: usize) -> *mut Slot {
        self.slots[(hash >> (64 - SLOTS.trailing_zeros())) as usize ^ way].get()
    }
}

/// All sites, and how many there are of a line.
#[derive(Default)]
struct Sites {
    by_key: HashMap<(Key, Grain), &'static Known, RandomState>,
    /// Of lines that have sites of their own: how many shapes of this generation are told exactly, and about.
    variants: HashMap<(u64, usize), (u16, u16), RandomState>,
}

impl Sites {
    fn has_room(&self) -> bool {
        self.by_key.len() < MAX_SITES
    }

    fn get(&self, key: Key, grain: Grain) -> Option<&'static Known> {
        let known = self.by_key.get(&(key, grain)).copied()?;
        let is_met = grain == Grain::Exact || known.is_met();
        // Without room for others, those of earlier recordings tell more than none.
        (is_met || !self.has_room()).then_some(known)
    }
}

static SITES: Mutex<Option<Sites>> = Mutex::new(None);

/// Calls whose key is not known exactly: how finely are they told apart, and the site if there is one.
pub(super) enum Found {
    Known(&'static Known),
    /// There is none yet: make one of this grain and [`keep`] it.
    New(Grain),
}

/// Looks for the site of a call in the table of all threads. `rough` gives the same key with rounded shapes.
pub(super) fn find(key: &Key, operation: &'static Operation, rough: impl FnOnce() -> Key) -> Found {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let sites = sites.get_or_insert_default();
    if let Some(known) = sites.get(*key, Grain::Exact) {
        return Found::Known(known);
    }
    let address = std::ptr::from_ref(operation).addr();
    let variants = sites.variants.get(&(key.instant(), address)).copied();
    let (exact, rough_shapes) = variants.unwrap_or_default();
    let has_room = sites.has_room();
    if exact < EXACT_SHAPES && has_room {
        return Found::New(Grain::Exact);
    }
    let rough = rough();
    if let Some(known) = sites.get(rough, Grain::Rough) {
        return Found::Known(known);
    }
    if rough_shapes < ROUGH_SHAPES && has_room {
        return Found::New(Grain::Rough);
    }
    if let Some(known) = sites.get(Key::of_line(key), Grain::Line) {
        return Found::Known(known);
    }
    // A line that is known keeps its row when there is no room for further lines.
    if has_room || variants.is_some() {
        return Found::New(Grain::Line);
    }
    match sites.get(Key::of_called(address), Grain::Operation) {
        Some(known) => Found::Known(known),
        None => Found::New(Grain::Operation),
    }
}

/// Keeps a site that was made for what [`find`] asked for.
pub(super) fn keep(key: &Key, rough: impl FnOnce() -> Key, known: Known) -> &'static Known {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let sites = sites.get_or_insert_default();
    let address = std::ptr::from_ref(known.operation).addr();
    let grain = known.grain;
    let key_of_grain = match grain {
        Grain::Exact => *key,
        Grain::Rough => rough(),
        Grain::Line => Key::of_line(key),
        Grain::Operation => Key::of_called(address),
    };
    let earlier = sites.by_key.get(&(key_of_grain, grain)).copied();
    if let Some(earlier) = earlier.filter(|earlier| grain == Grain::Exact || earlier.is_met()) {
        return earlier;
    }
    let known = earlier.unwrap_or_else(|| Box::leak(Box::new(known)));
    known.met_in.store(generation(), Relaxed);
    sites.by_key.insert((key_of_grain, grain), known);
    if grain != Grain::Operation {
        let variants = sites.variants.entry((key.instant(), address)).or_default();
        variants.0 += u16::from(grain == Grain::Exact);
        variants.1 += u16::from(grain == Grain::Rough);
    }
    known
}

/// How many rows stand for several shapes of a line, and how many for several lines of an operation.
pub(super) fn coarse_rows() -> (u64, u64) {
    let sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let met = sites.iter().flat_map(|sites| sites.by_key.values()).filter(|known| known.is_met());
    met.fold((0, 0), |(shapes, lines), known| match known.grain {
        Grain::Exact => (shapes, lines),
        Grain::Rough | Grain::Line => (shapes + 1, lines),
        Grain::Operation => (shapes, lines + 1),
    })
}
