//! The scopes that are open on a thread, innermost last. One object may be open many times, in recursion and on many
//! threads, so what is open is not kept in the object. Scopes that end in another order than they began are found and
//! taken out; the recorder knows how to go on then.

#![expect(unsafe_code, reason = "the stack of a thread has no lock and no flag: only its thread touches it")]

use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use calor::{Life, Scope, Site};
use pyo3::ffi;

use super::parked;
use crate::frame;

/// Scopes that a thread may have open; more are not recorded. The recorder itself tells of what is nested deeper than it
/// goes.
const MAX_OPEN: usize = 1 << 16;

/// Open scopes of generators and coroutines, in all threads, and those that are parked. While there are none, nobody has
/// to ask whether their frames run.
pub(super) static SUSPENDABLE: AtomicUsize = AtomicUsize::new(0);

/// An open scope.
pub(super) struct Entry {
    /// The object it was opened by. It is compared and never followed.
    pub(super) object: *mut ffi::PyObject,
    pub(super) scope: Scope,
    /// Of a scope in a generator or coroutine.
    pub(super) suspendable: Option<Box<Suspendable>>,
}

/// A scope whose frame may be left and come back to.
pub(super) struct Suspendable {
    /// The frame, held: it must be there to be asked whether it runs.
    pub(super) frame: *mut ffi::PyObject,
    pub(super) life: Life,
    pub(super) object: *mut ffi::PyObject,
}

// SAFETY: references are given back by threads that hold the interpreter, and the rest is plain.
unsafe impl Send for Suspendable {}

thread_local! {
    /// Without a destructor, so that reaching it takes no check.
    static OPEN: UnsafeCell<ManuallyDrop<Vec<Entry>>> = const { UnsafeCell::new(ManuallyDrop::new(Vec::new())) };
    /// Scopes beyond the limit.
    static BEYOND: Cell<usize> = const { Cell::new(0) };
    /// Closes what is open when the thread ends.
    static OWNER: Owner = const { Owner };
}

/// Runs `run` with the thread's stack. It may call the recorder, but nothing of the interpreter: that could collect
/// garbage, whose scopes are closed here.
#[inline(always)]
pub(super) fn with_open<T>(run: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
    // The pointer alone comes out of it, so that nothing but the address is looked up.
    let open = OPEN.with(UnsafeCell::get);
    // SAFETY: it is there as long as the thread; only this thread reaches its stack, and nothing that runs with it comes
    // back here.
    run(unsafe { &mut *open })
}

/// Opens a scope.
#[inline(always)]
pub(super) fn enter(object: *mut ffi::PyObject, site: &'static Site) {
    if SUSPENDABLE.load(Relaxed) != 0 || frame::may_suspend() {
        return enter_with_care(object, site, frame::may_suspend());
    }
    let scope = Scope::enter(site);
    with_open(|open| push(open, Entry { object, scope, suspendable: None }));
}

#[inline(always)]
fn push(open: &mut Vec<Entry>, entry: Entry) {
    // While nothing is recorded there is nothing to remember, unless an outer scope of the same object is open.
    if open.is_empty() && !entry.scope.is_recorded() {
        return;
    }
    if open.len() == open.capacity() && !has_room(open) {
        return;
    }
    open.push(entry);
}

/// Makes room, up to the limit.
#[cold]
#[inline(never)]
fn has_room(open: &mut Vec<Entry>) -> bool {
    if open.len() >= MAX_OPEN {
        BEYOND.set(BEYOND.get() + 1);
        return false;
    }
    // After the recorder's own, so that what is open at the end of the thread is closed first.
    let _ = OWNER.try_with(|_| {});
    open.reserve(open.len().max(32));
    true
}

/// Closes the innermost scope of an object.
#[inline(always)]
pub(super) fn leave(object: *mut ffi::PyObject) {
    let is_done = with_open(|open| match open.last() {
        None => SUSPENDABLE.load(Relaxed) == 0,
        Some(last) if last.object == object && last.suspendable.is_none() && BEYOND.get() == 0 => {
            // SAFETY: there is a last one.
            drop(unsafe { open.pop().unwrap_unchecked() });
            true
        }
        _ => false,
    });
    if !is_done {
        leave_with_care(object);
    }
}

/// Opens a scope where generators or coroutines have open ones, or in one.
#[cold]
#[inline(never)]
pub(super) fn enter_with_care(object: *mut ffi::PyObject, site: &'static Site, may_suspend: bool) {
    settle();
    let frame = if may_suspend { frame::object() } else { std::ptr::null_mut() };
    if frame.is_null() {
        return with_open(|open| push(open, Entry { object, scope: Scope::enter(site), suspendable: None }));
    }
    // SAFETY: a frame that runs.
    unsafe { ffi::Py_INCREF(frame) };
    SUSPENDABLE.fetch_add(1, Relaxed);
    let unused = with_open(|open| {
        let mut life = Life::new(site);
        let scope = life.step();
        let is_kept = scope.is_recorded() || !open.is_empty();
        let suspendable = Some(Box::new(Suspendable { frame, life, object }));
        if !is_kept || open.len() == open.capacity() && !has_room(open) {
            return suspendable;
        }
        open.push(Entry { object, scope, suspendable });
        None
    });
    release(unused);
}

#[cold]
#[inline(never)]
fn leave_with_care(object: *mut ffi::PyObject) {
    let beyond = BEYOND.get();
    if beyond > 0 {
        return BEYOND.set(beyond - 1);
    }
    settle();
    let frame = frame::object();
    let found = with_open(|open| {
        let at = open.iter().rposition(|entry| entry.is_of(object, frame))?;
        let Entry { scope, mut suspendable, .. } = open.remove(at);
        if let Some(suspendable) = &mut suspendable {
            suspendable.life.complete(Some(&scope));
        }
        Some(suspendable)
    });
    match found {
        Some(suspendable) => release(suspendable),
        None => release(parked::take(object, frame).map(|mut found| {
            found.life.complete(None);
            Box::new(found)
        })),
    }
}

/// Runs `tell` with the open scope of an object, if there is one on this thread.
pub(super) fn with_scope(object: *mut ffi::PyObject, tell: impl FnOnce(&Scope)) {
    settle();
    let is_last = |open: &mut Vec<Entry>| {
        open.last().is_some_and(|last| last.object == object && last.suspendable.is_none())
    };
    let frame = if with_open(is_last) { std::ptr::null_mut() } else { frame::object() };
    with_open(|open| {
        if let Some(entry) = open.iter().rev().find(|entry| entry.is_of(object, frame)) {
            tell(&entry.scope);
        }
    });
}

/// Closes the scopes of generators and coroutines that do not run, and opens those again that do. For whoever opens scopes
/// of the recorder by another way.
#[inline(always)]
pub(crate) fn settle() {
    if SUSPENDABLE.load(Relaxed) != 0 {
        parked::settle();
    }
}

impl Entry {
    /// Whether it was opened by that object, and by that frame where it matters.
    fn is_of(&self, object: *mut ffi::PyObject, frame: *mut ffi::PyObject) -> bool {
        self.object == object && self.suspendable.as_ref().is_none_or(|own| own.frame == frame)
    }
}

/// Gives the frame back. The interpreter is held.
pub(super) fn release(suspendable: Option<Box<Suspendable>>) {
    if let Some(suspendable) = suspendable {
        SUSPENDABLE.fetch_sub(1, Relaxed);
        // SAFETY: it was taken when the scope was opened.
        unsafe { ffi::Py_DECREF(suspendable.frame) };
    }
}

struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        with_open(|open| {
            while let Some(Entry { scope, suspendable, .. }) = open.pop() {
                drop(scope);
                // The interpreter is not held here: the frame stays, which is rare enough.
                if let Some(mut suspendable) = suspendable {
                    SUSPENDABLE.fetch_sub(1, Relaxed);
                    suspendable.life.complete(None);
                }
            }
            open.shrink_to_fit();
        });
    }
}
