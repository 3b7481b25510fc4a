//! The calls that are open on a thread, for the ways of tracing that tell of the beginning and the end of a call by
//! different events. Those events need not match: a call may have begun before tracing did, and some endings are never
//! told. So an end closes its own call and whatever was left open inside, or nothing.

#![expect(unsafe_code, reason = "a thread's own list, reached without the cost of a destructor's flag")]

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use calor::{CallScope, Here, LastNode, Site};
use pyo3::ffi::PyObject;

use crate::last_thread::LastThread;
use crate::scope::settle_around_frame;

/// Calls that may be open on a thread. Deeper ones are not recorded; their time is in the deepest that is.
const MAX_OPEN: usize = 1 << 16;

/// Which turn of tracing it is: calls of an earlier one are closed at a thread's next event.
static TURN: AtomicU64 = AtomicU64::new(0);
static TOO_DEEP: AtomicU64 = AtomicU64::new(0);

struct OpenCall {
    code: *mut PyObject,
    /// Closes it.
    scope: CallScope,
}

#[derive(Default)]
struct OpenCalls {
    calls: Vec<OpenCall>,
    /// Calls beyond the limit.
    n_beyond: usize,
    turn: u64,
    /// The recorder of the thread, once a function was recorded: by then the thread has a name.
    here: Option<Here>,
}

static LAST: LastThread<*mut OpenCalls> = LastThread::new();

thread_local! {
    static OPEN: Cell<*mut OpenCalls> = const { Cell::new(null_mut()) };
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
    static OWNER: Owner = const { Owner };
}

/// Frees the list when the thread ends.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        IS_ENDING.set(true);
        LAST.forget();
        let open = OPEN.replace(null_mut());
        if !open.is_null() {
            // SAFETY: it came from a box of this thread and nobody has it any more.
            unsafe { Box::from_raw(open) }.close_all();
        }
    }
}

/// A new turn of tracing begins, or one ends.
pub(super) fn next_turn() {
    TURN.fetch_add(1, Relaxed);
    if let Some(open) = here() {
        open.close_all();
        open.turn = TURN.load(Relaxed);
    }
}

/// Calls that were deeper than the limit, since the program began.
pub(super) fn n_too_deep() -> u64 {
    TOO_DEEP.load(Relaxed)
}

/// What was lost is of what was cleared.
pub(super) fn clear() {
    TOO_DEEP.store(0, Relaxed);
}

/// A call of a function begins on this thread. `last` is what [`super::codes::found`] has.
///
/// # Safety
/// The interpreter's lock is held.
#[inline(always)]
pub(super) unsafe fn begin(code: *mut PyObject, site: &'static Site, last: *mut LastNode) {
    settle_around_frame();
    let Some(open) = here() else { return };
    let Some(here) = open.here.filter(|_| open.turn == TURN.load(Relaxed) && open.calls.len() < MAX_OPEN)
    else {
        return open.begin_otherwise(code, site);
    };
    // SAFETY: it was got on this thread; by the caller's promise.
    let scope = unsafe { here.enter_call_again(site, last) };
    open.calls.push(OpenCall { code, scope });
}

/// A call of a function ends on this thread, or pauses: `false` if it is not the innermost, which [`end`] closes, too.
#[inline(always)]
pub(super) fn end_innermost(code: *mut PyObject) -> bool {
    let Some(open) = here() else { return true };
    let is_innermost = open.n_beyond == 0 && open.calls.last().is_some_and(|last| last.code == code);
    if is_innermost && let Some(OpenCall { scope, .. }) = open.calls.pop() {
        match open.here {
            // SAFETY: it was got on this thread.
            Some(here) => unsafe { here.leave_call(scope) },
            None => drop(scope),
        }
    }
    is_innermost
}

/// A call of a function ends on this thread, or pauses, wherever it is.
pub(super) fn end(code: *mut PyObject) {
    if !end_innermost(code)
        && let Some(open) = here()
    {
        open.end_otherwise(code);
    }
}

/// This thread's list; `None` while the thread is being torn down. The interpreter's lock is held. No two of these are held
/// at a time: what is called with one in hand is the recorder, which calls nobody.
#[inline(always)]
fn here() -> Option<&'static mut OpenCalls> {
    // SAFETY: the lock is held; it is null or this thread's box, and no other reference to it is held.
    unsafe { LAST.get().unwrap_or_else(look).as_mut() }
}

#[cold]
#[inline(never)]
fn look() -> *mut OpenCalls {
    if IS_ENDING.get() {
        return null_mut();
    }
    if OPEN.get().is_null() {
        OWNER.with(|_| {});
        OPEN.set(Box::into_raw(Box::new(OpenCalls { turn: TURN.load(Relaxed), ..OpenCalls::default() })));
    }
    // SAFETY: callers have the lock, and it is there until the owner forgets it.
    unsafe { LAST.set(OPEN.get()) };
    OPEN.get()
}

impl OpenCalls {
    #[cold]
    fn begin_otherwise(&mut self, code: *mut PyObject, site: &'static Site) {
        let turn = TURN.load(Relaxed);
        if self.turn != turn {
            self.close_all();
            self.turn = turn;
        }
        if self.calls.len() < MAX_OPEN {
            self.here = self.here.or_else(Here::get);
            self.calls.push(OpenCall { code, scope: CallScope::enter(site) });
        } else {
            self.n_beyond += 1;
            TOO_DEEP.fetch_add(1, Relaxed);
        }
    }

    #[cold]
    fn end_otherwise(&mut self, code: *mut PyObject) {
        let turn = TURN.load(Relaxed);
        if self.turn != turn {
            self.close_all();
            self.turn = turn;
        } else if self.n_beyond > 0 {
            self.n_beyond -= 1;
        } else if let Some(at) = self.calls.iter().rposition(|call| call.code == code) {
            while self.calls.len() > at {
                self.calls.pop();
            }
        }
    }

    /// Innermost first.
    fn close_all(&mut self) {
        while self.calls.pop().is_some() {}
        self.n_beyond = 0;
    }
}
