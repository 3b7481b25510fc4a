//! What PyTorch calls at the beginning and the end of each operation. This runs in the programs of others, on any thread,
//! without the interpreter: so it asks nothing of Python, waits for nobody, and allocates only for operations that are new
//! to a thread. Only where coroutines have scopes open is the interpreter asked which of them runs.

#![expect(unsafe_code, reason = "PyTorch hands over what it tells of by address")]

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use calor::Scope;
use pyo3::ffi;

use super::library::{Library, Range};
use super::lines::{self, Caller};
use super::mix::{mix, mix_text};
use super::operands::{Inputs, Layout};
use super::rows::{self, Row};
use crate::scope::{is_unsettled, settle};

/// Operations inside each other on one thread; deeper ones are counted as lost.
const MAX_OPEN: usize = 128;
/// Rows that a thread remembers: sets, and rows of a set.
const N_SETS: usize = 256;
const N_OF_SET: usize = 4;

static LIBRARY: OnceLock<Library> = OnceLock::new();
static LAYOUT: OnceLock<Layout> = OnceLock::new();
static N_TOO_DEEP: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Null until the first operation, and when the thread is torn down.
    static THREAD: Cell<*mut Thread> = const { Cell::new(null_mut()) };
    static OWNER: Owner = const { Owner };
}

/// What is kept for this thread, made now if need be; `None` while it is torn down.
#[inline(always)]
fn thread() -> Option<&'static Thread> {
    // SAFETY: the pointer is null, or leads to what is freed when the thread ends, after which it is null.
    match unsafe { THREAD.get().as_ref() } {
        None => make_thread(),
        found => found,
    }
}

#[cold]
#[inline(never)]
fn make_thread() -> Option<&'static Thread> {
    OWNER.try_with(|_| {}).ok()?;
    THREAD.set(Box::into_raw(Box::new(Thread::new())));
    // SAFETY: as in `thread`.
    unsafe { THREAD.get().as_ref() }
}

/// Frees what is kept when the thread ends.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        let thread = THREAD.replace(null_mut());
        if !thread.is_null() {
            // SAFETY: it came from a box, and nobody reaches it any more.
            drop(unsafe { Box::from_raw(thread) });
        }
    }
}

/// What a thread is in the middle of, and what it remembers.
struct Thread {
    n_open: Cell<usize>,
    /// How many of them are operations, and not ranges that somebody marked.
    n_operations: Cell<usize>,
    /// How many of those have told what they do: what is inside them does the same.
    n_working: Cell<usize>,
    open: [UnsafeCell<Open>; MAX_OPEN],
    sets: [UnsafeCell<Set>; N_SETS],
    known: lines::Known,
}

/// Rows whose hashes end alike.
struct Set {
    hashes: [u64; N_OF_SET],
    rows: [Row; N_OF_SET],
    /// The one that is given up next.
    oldest: usize,
}

struct Open {
    range: Range,
    /// `None` in entries that are not in use. It is never dropped with the thread, whose recorder may be gone by then.
    scope: Option<ManuallyDrop<Scope>>,
    is_operation: bool,
    is_working: bool,
}

/// Sets what all that follows relies on.
pub(super) fn prepare(library: Library, layout: Layout) {
    let _ = LIBRARY.set(library);
    let _ = LAYOUT.set(layout);
}

/// What was prepared.
pub(super) fn prepared() -> Option<(Library, Layout)> {
    Some((*LIBRARY.get()?, *LAYOUT.get()?))
}

/// What was forgotten so often is asked anew on all threads.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Forgets which shapes lines have met, and what was lost.
pub(super) fn forget() {
    rows::forget();
    N_TOO_DEEP.store(0, Relaxed);
    GENERATION.fetch_add(1 << 8, Relaxed);
}

/// Operations that were not recorded because they were inside too many others.
pub(super) fn n_too_deep() -> u64 {
    N_TOO_DEEP.load(Relaxed)
}

/// An operation begins, with what it is given.
pub(super) unsafe extern "C" fn begin_operation(made: *mut *mut c_void, range: Range) -> *mut *mut c_void {
    // SAFETY: PyTorch made room for a pointer, and tells of the range now.
    unsafe {
        made.write(null_mut());
        begin(range, Told::WithOperands);
    }
    made
}

/// An operation begins, by its name alone.
pub(super) unsafe extern "C" fn begin_name(made: *mut *mut c_void, range: Range) -> *mut *mut c_void {
    // SAFETY: as above.
    unsafe {
        made.write(null_mut());
        begin(range, Told::Name);
    }
    made
}

/// A step of the way back begins.
pub(super) unsafe extern "C" fn begin_backward(made: *mut *mut c_void, range: Range) -> *mut *mut c_void {
    // SAFETY: as above.
    unsafe {
        made.write(null_mut());
        begin(range, Told::Backward);
    }
    made
}

/// A range begins that somebody marked.
pub(super) unsafe extern "C" fn begin_marked(made: *mut *mut c_void, range: Range) -> *mut *mut c_void {
    // SAFETY: as above.
    unsafe {
        made.write(null_mut());
        begin(range, Told::Marked);
    }
    made
}

/// Any of them ends.
pub(super) unsafe extern "C" fn end(range: Range, _made: *mut c_void) {
    // SAFETY: as in `thread`.
    if let Some(thread) = unsafe { THREAD.get().as_ref() } {
        thread.close(range);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    WithOperands,
    Name,
    Backward,
    Marked,
}

/// # Safety
/// PyTorch tells that the range begins.
#[inline(always)]
unsafe fn begin(range: Range, told: Told) {
    if !calor::is_enabled() {
        return;
    }
    let Some(library) = LIBRARY.get() else { return };
    let Some(thread) = thread() else { return };
    // SAFETY: by the caller's promise; the name is used only here.
    let name = unsafe { library.name(range) };
    let mut hash = mix_text(told as u64 | GENERATION.load(Relaxed), name);
    // What is inside another operation was called by that, and not by a line.
    let is_outermost = told != Told::Marked && thread.n_operations.get() == 0;
    let caller = if is_outermost { lines::caller(&thread.known) } else { None };
    hash = mix(hash, caller.map_or(u64::from(is_outermost), |caller| caller.hash));
    let is_inside_work = thread.n_working.get() != 0;
    hash = mix(hash, u64::from(is_inside_work));
    let inputs = match LAYOUT.get() {
        // SAFETY: as above; the layout was tried on this library.
        Some(layout) if told == Told::WithOperands => Some(unsafe { Inputs::of(range, layout) }),
        _ => None,
    };
    if let Some(inputs) = &inputs {
        hash = inputs.hash(hash, is_convolution(name));
    }
    let row = match thread.row(hash) {
        Some(row) => row,
        None => thread.make(hash, told, name, (is_outermost, is_inside_work), caller, inputs),
    };
    let Some(site) = row.site else { return };
    if caller.is_some() && is_unsettled() {
        // SAFETY: the thread runs a Python function.
        unsafe { settle_with_lock() };
    }
    let scope = Scope::enter(site);
    if let Some(work) = row.work {
        scope.elements(work.elements).bytes(work.bytes).flops(work.flops);
    }
    thread.open(range, scope, told != Told::Marked, row.has_work);
}

/// Settles scopes of coroutines: PyTorch has let go of the interpreter's lock for the time of the operation.
///
/// # Safety
/// The thread is one of Python's.
#[cold]
#[inline(never)]
unsafe fn settle_with_lock() {
    // SAFETY: by the caller's promise the interpreter knows the thread; what is taken is given back.
    unsafe {
        let held = ffi::PyGILState_Ensure();
        settle();
        ffi::PyGILState_Release(held);
    }
}

/// Whether what a call gives depends on lists of numbers as well.
#[inline(always)]
fn is_convolution(name: &[u8]) -> bool {
    let Some(name) = name.strip_prefix(b"aten::") else { return false };
    [&b"conv"[..], b"_conv", b"mkldnn_conv", b"cudnn_conv"].iter().any(|start| name.starts_with(start))
}

impl Set {
    const EMPTY: Self = Self { hashes: [0; N_OF_SET], rows: [Row::NONE; N_OF_SET], oldest: 0 };
}

impl Thread {
    const fn new() -> Self {
        Self {
            n_open: Cell::new(0),
            n_operations: Cell::new(0),
            n_working: Cell::new(0),
            open: [const {
                UnsafeCell::new(Open { range: null(), scope: None, is_operation: false, is_working: false })
            }; MAX_OPEN],
            sets: [const { UnsafeCell::new(Set::EMPTY) }; N_SETS],
            known: lines::Known::none(),
        }
    }

    #[inline(always)]
    fn row(&self, hash: u64) -> Option<Row> {
        // SAFETY: only this thread reaches its rows, and the reference ends here.
        let set = unsafe { &*self.sets[hash as usize % N_SETS].get() };
        set.hashes.iter().position(|known| *known == hash).map(|at| set.rows[at])
    }

    /// The row of a call that is new to this thread, or that another one has taken the place of.
    #[cold]
    #[inline(never)]
    fn make(
        &self,
        hash: u64,
        told: Told,
        name: &[u8],
        is_inside: (bool, bool),
        caller: Option<Caller>,
        inputs: Option<Inputs<'_>>,
    ) -> Row {
        // A panic must not go through PyTorch; the call is then not recorded.
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let name = String::from_utf8_lossy(name);
            // SAFETY: the thread is still in the call in which the caller was found.
            let line = caller.and_then(|caller| unsafe { caller.line() });
            match told {
                Told::Marked => rows::marked(&name),
                Told::Backward => rows::backward(&name, line),
                Told::WithOperands | Told::Name if rows::is_engine(&name) => rows::engine(line.is_some()),
                Told::WithOperands | Told::Name => {
                    rows::operation(&name, is_inside, line, inputs.map(|inputs| inputs.operands()).as_ref())
                }
            }
        }));
        let row = made.unwrap_or(Row::NONE);
        // SAFETY: only this thread reaches its rows, and the reference ends here.
        let set = unsafe { &mut *self.sets[hash as usize % N_SETS].get() };
        let at = set.oldest % N_OF_SET;
        (set.hashes[at], set.rows[at], set.oldest) = (hash, row, at + 1);
        row
    }

    #[inline(always)]
    fn open(&self, range: Range, scope: Scope, is_operation: bool, is_working: bool) {
        let at = self.n_open.get();
        if at >= MAX_OPEN {
            N_TOO_DEEP.fetch_add(1, Relaxed);
            return;
        }
        // SAFETY: only this thread reaches its entries, and this one is not in use.
        unsafe {
            self.open[at].get().write(Open {
                range,
                scope: Some(ManuallyDrop::new(scope)),
                is_operation,
                is_working,
            });
        };
        self.n_open.set(at + 1);
        self.n_operations.set(self.n_operations.get() + usize::from(is_operation));
        self.n_working.set(self.n_working.get() + usize::from(is_working));
    }

    /// Closes a range and all that began inside it and did not end here: they end on another thread, or not at all.
    #[inline(always)]
    fn close(&self, range: Range) {
        let n = self.n_open.get();
        // SAFETY: only this thread reaches its entries.
        let is = |at: usize| unsafe { (*self.open[at].get()).range == range };
        if n == 0 {
            return;
        }
        if is(n - 1) {
            return self.pop(n - 1);
        }
        if let Some(at) = (0..n - 1).rev().find(|at| is(*at)) {
            (at..n).rev().for_each(|at| self.pop(at));
        }
    }

    #[inline(always)]
    fn pop(&self, at: usize) {
        // SAFETY: only this thread reaches its entries.
        let open = unsafe { &mut *self.open[at].get() };
        let (scope, is_operation, is_working) = (open.scope.take(), open.is_operation, open.is_working);
        self.n_open.set(at);
        self.n_operations.set(self.n_operations.get() - usize::from(is_operation));
        self.n_working.set(self.n_working.get() - usize::from(is_working));
        if let Some(scope) = scope {
            drop(ManuallyDrop::into_inner(scope));
        }
    }
}
