//! The scopes that are open on a thread, innermost last. One object may be open many times, in recursion and on many
//! threads, so what is open is not kept in the object. Scopes that end in another order than they began are found and
//! taken out; the recorder knows how to go on then.

#![expect(unsafe_code, reason = "the stack of a thread has no lock and no flag: only its thread touches it")]

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use calor::{Here, Life, Scope};
use pyo3::ffi;

use super::heap_type::{attached, held, none};
use super::object::ScopeObject;
use super::parked;
use crate::frame;
use crate::last_thread::LastThread;

/// Scopes that a thread may have open; more are not recorded. The recorder itself tells of what is nested deeper than it
/// goes.
const MAX_OPEN: usize = 1 << 16;

/// Open scopes of generators and coroutines, in all threads, and those that are parked. While there are none, nobody has
/// to ask whether their frames run.
pub(super) static SUSPENDABLE: AtomicUsize = AtomicUsize::new(0);

/// Scopes that are open, of all objects and threads. Only threads that hold the interpreter change it.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// Those of them whose threads have ended, without the interpreter.
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// Whether a scope is open that may have to be closed. The interpreter is held.
pub(super) fn is_any_open() -> bool {
    OPEN.load(Relaxed) > ENDED.load(Relaxed)
}

/// One more is open.
#[inline(always)]
fn count_open() {
    OPEN.store(OPEN.load(Relaxed) + 1, Relaxed);
}

/// One fewer is. After the last one of a recorder that is off meanwhile, `with` need not look at scopes.
#[inline(always)]
fn count_closed() {
    OPEN.store(OPEN.load(Relaxed).saturating_sub(1), Relaxed);
    if !is_any_open() && !calor::is_enabled() {
        attached(super::follow_recorder);
    }
}

/// An open scope.
pub(super) struct Entry {
    /// The object it was opened by. It is compared and never followed.
    pub(super) object: *mut ScopeObject,
    pub(super) scope: Scope,
    /// Of a scope in a generator or coroutine.
    pub(super) suspendable: Option<Box<Suspendable>>,
}

/// A scope whose frame may be left and come back to.
pub(super) struct Suspendable {
    /// The frame, held: it must be there to be asked whether it runs.
    pub(super) frame: *mut ffi::PyObject,
    pub(super) life: Life,
    pub(super) object: *mut ScopeObject,
}

// SAFETY: references are given back by threads that hold the interpreter, and the rest is plain.
unsafe impl Send for Suspendable {}

/// A thread's scopes.
struct OpenScopes {
    open: Vec<Entry>,
    /// Scopes beyond the limit.
    n_beyond: usize,
    /// The recorder of the thread, once it was on.
    here: Option<Here>,
}

static LAST: LastThread<*mut OpenScopes> = LastThread::new();

thread_local! {
    static OWN: Cell<*mut OpenScopes> = const { Cell::new(null_mut()) };
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
    /// Closes what is open when the thread ends.
    static OWNER: Owner = const { Owner };
}

/// This thread's scopes; null while the thread is torn down. The interpreter is held. Nothing that is called with them in
/// hand comes back here: the recorder calls nobody.
#[inline(always)]
fn own() -> *mut OpenScopes {
    // SAFETY: callers hold the interpreter.
    unsafe { LAST.get() }.unwrap_or_else(look)
}

#[cold]
#[inline(never)]
fn look() -> *mut OpenScopes {
    if IS_ENDING.get() {
        return null_mut();
    }
    if OWN.get().is_null() {
        // The recorder's own first, so that what is open at the end of the thread is closed before it.
        let here = Here::get();
        if OWNER.try_with(|_| {}).is_err() {
            return null_mut();
        }
        OWN.set(Box::into_raw(Box::new(OpenScopes { open: Vec::new(), n_beyond: 0, here })));
    }
    // SAFETY: callers hold the interpreter, and the owner forgets it.
    unsafe { LAST.set(OWN.get()) };
    OWN.get()
}

/// Runs `run` with the thread's stack. It may call the recorder, but nothing of the interpreter: that could collect
/// garbage, whose scopes are closed here.
pub(super) fn with_open<T: Default>(run: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
    // SAFETY: it is there as long as the thread, which alone reaches it, and nothing that runs with it comes back here.
    unsafe { own().as_mut() }.map_or_else(T::default, |own| run(&mut own.open))
}

/// Opens a scope, and gives a new reference to its object. A function of its own, so that while nothing is recorded nothing is
/// saved for it.
///
/// # Safety
/// The interpreter is held, and the object is a scope's.
#[inline(never)]
pub(super) unsafe fn enter(object: *mut ScopeObject) -> *mut ffi::PyObject {
    // SAFETY: as in `with_open`; the recorder is that of this thread.
    unsafe {
        if SUSPENDABLE.load(Relaxed) != 0 || frame::may_suspend() {
            enter_with_care(object, frame::may_suspend());
        } else if let Some(own) = own().as_mut() {
            let scope = own.enter((*object).site);
            drop(own.push(Entry { object, scope, suspendable: None }));
        }
        held(object.cast())
    }
}

impl OpenScopes {
    #[inline(always)]
    fn enter(&mut self, site: &'static calor::Site) -> Scope {
        match self.here {
            // SAFETY: it was got on this thread.
            Some(here) => unsafe { here.enter(site) },
            None => {
                self.here = Here::get();
                Scope::enter(site)
            }
        }
    }

    /// Remembers a scope; gives it back where there is nothing to remember.
    ///
    /// # Safety
    /// The object is there.
    #[inline(always)]
    unsafe fn push(&mut self, entry: Entry) -> Option<Entry> {
        // SAFETY: by the caller's promise, with the interpreter held.
        let n_open = unsafe { &mut (*entry.object).n_open };
        // While nothing is recorded there is nothing to remember, unless an outer scope of the same object is open.
        if *n_open == 0 && !entry.scope.is_recorded() {
            return Some(entry);
        }
        *n_open += 1;
        count_open();
        if self.open.len() == self.open.capacity() && !self.has_room() {
            return Some(entry);
        }
        self.open.push(entry);
        None
    }

    /// Makes room, up to the limit.
    #[cold]
    #[inline(never)]
    fn has_room(&mut self) -> bool {
        if self.open.len() >= MAX_OPEN {
            self.n_beyond += 1;
            return false;
        }
        self.open.reserve(self.open.len().max(32));
        true
    }
}

/// Closes the innermost scope of an object, and gives None. A function of its own, as [`enter`] is.
///
/// # Safety
/// The interpreter is held, and the object is a scope's.
#[inline(never)]
pub(super) unsafe fn leave(object: *mut ScopeObject) -> *mut ffi::PyObject {
    // SAFETY: as in `with_open`; the recorder is that of this thread.
    unsafe {
        if let Some(OpenScopes { open, n_beyond: 0, here: Some(here) }) = own().as_mut()
            && let Some(last) = open.last()
            && last.object == object
            && last.suspendable.is_none()
        {
            let Entry { scope, .. } = open.pop().unwrap_unchecked();
            (*object).n_open -= 1;
            here.leave(scope);
            count_closed();
        } else {
            leave_with_care(object);
        }
    }
    none()
}

/// Opens a scope where generators or coroutines have open ones, or in one.
///
/// # Safety
/// As for [`enter`].
#[cold]
#[inline(never)]
pub(super) unsafe fn enter_with_care(object: *mut ScopeObject, may_suspend: bool) {
    settle();
    let frame = if may_suspend { frame::object() } else { null_mut() };
    // SAFETY: as in `with_open`; a frame that runs is there, and so is the object.
    let unused = unsafe {
        let Some(own) = own().as_mut() else { return };
        let site = (*object).site;
        if frame.is_null() {
            let scope = own.enter(site);
            own.push(Entry { object, scope, suspendable: None })
        } else {
            ffi::Py_INCREF(frame);
            SUSPENDABLE.fetch_add(1, Relaxed);
            let mut life = Life::new(site);
            let scope = life.step();
            own.push(Entry {
                object,
                scope,
                suspendable: Some(Box::new(Suspendable { frame, life, object })),
            })
        }
    };
    release(unused.and_then(|entry| entry.suspendable));
}

/// # Safety
/// As for [`leave`].
#[cold]
#[inline(never)]
unsafe fn leave_with_care(object: *mut ScopeObject) {
    // SAFETY: as in `with_open`.
    if let Some(own) = unsafe { own().as_mut() }
        && own.n_beyond > 0
    {
        own.n_beyond -= 1;
        // SAFETY: the object is there.
        return unsafe { closed(object) };
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
    let found = found.or_else(|| {
        let mut parked = parked::take(object, frame)?;
        parked.life.complete(None);
        Some(Some(Box::new(parked)))
    });
    if let Some(suspendable) = found {
        // SAFETY: the object is there.
        unsafe { closed(object) };
        release(suspendable);
    }
}

/// One scope of an object is not open any more.
///
/// # Safety
/// The interpreter is held, and the object is there.
unsafe fn closed(object: *mut ScopeObject) {
    // SAFETY: by the caller's promise.
    let n_open = unsafe { &mut (*object).n_open };
    *n_open = n_open.saturating_sub(1);
    count_closed();
}

/// Runs `tell` with the open scope of an object, if there is one on this thread.
pub(super) fn with_scope(object: *mut ScopeObject, tell: impl FnOnce(&Scope)) {
    settle();
    let is_last = |open: &mut Vec<Entry>| {
        open.last().is_some_and(|last| last.object == object && last.suspendable.is_none())
    };
    let frame = if with_open(is_last) { null_mut() } else { frame::object() };
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

/// The same for whoever opens a scope for the frame that just began or goes on.
#[inline(always)]
pub(crate) fn settle_around_frame() {
    if SUSPENDABLE.load(Relaxed) != 0 {
        parked::settle_around_frame();
    }
}

/// Whether [`settle`] may have anything to do.
#[inline(always)]
pub(crate) fn is_unsettled() -> bool {
    SUSPENDABLE.load(Relaxed) != 0
}

impl Entry {
    /// Whether it was opened by that object, and by that frame where it matters.
    fn is_of(&self, object: *mut ScopeObject, frame: *mut ffi::PyObject) -> bool {
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
        IS_ENDING.set(true);
        LAST.forget();
        let own = OWN.replace(null_mut());
        if own.is_null() {
            return;
        }
        // SAFETY: it came from a box of this thread, and nobody has it any more.
        let mut own = unsafe { Box::from_raw(own) };
        ENDED.fetch_add(own.open.len() + own.n_beyond, Relaxed);
        while let Some(Entry { scope, suspendable, .. }) = own.open.pop() {
            drop(scope);
            // The interpreter is not held here: the frame stays, which is rare enough.
            if let Some(mut suspendable) = suspendable {
                SUSPENDABLE.fetch_sub(1, Relaxed);
                suspendable.life.complete(None);
            }
        }
    }
}
