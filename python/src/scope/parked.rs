//! Scopes of generators and coroutines that do not run. Nobody tells when a generator is left or an `await` waits; but its
//! frame has no caller then. So whenever a scope is opened or closed while there are such scopes, those whose frame was
//! left are closed and put aside, and those whose frame runs again are opened again, where it runs now. Each time is a call
//! of its own, and the life of the whole is kept beside: as with futures of the SDK.

#![expect(unsafe_code, reason = "frames are objects of the interpreter")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::ffi;

use super::object::ScopeObject;
use super::open::{self, Entry, Suspendable};
use crate::frame;

/// Scopes that are put aside. Coroutines that are dropped close theirs; this is for what never does.
const MAX_PARKED: usize = 1 << 16;
/// Callers that are looked at for frames that run again.
const MAX_CALLERS: usize = 256;

/// By the address of their frame, outermost first. In no thread: a generator may go on in another one.
static PARKED: Mutex<Option<HashMap<usize, Vec<Suspendable>>>> = Mutex::new(None);
static N_PARKED: AtomicUsize = AtomicUsize::new(0);

/// Puts aside what does not run, and opens again what does.
#[cold]
#[inline(never)]
pub(super) fn settle() {
    park();
    if N_PARKED.load(Relaxed) != 0 {
        resume(frame::object());
    }
}

/// The same but for the scopes of the frame that just began or goes on: those are inside of whatever is opened for it.
#[cold]
#[inline(never)]
pub(super) fn settle_around_frame() {
    park();
    let frame = if N_PARKED.load(Relaxed) == 0 { std::ptr::null_mut() } else { frame::object() };
    if !frame.is_null() {
        let caller = frame::caller_of(frame);
        resume(caller);
        // SAFETY: a new reference, or null.
        unsafe { ffi::Py_XDECREF(caller) };
    }
}

/// Closes the innermost scopes whose frames were left.
fn park() {
    loop {
        let last = |open: &mut Vec<Entry>| {
            let frame = open.last()?.suspendable.as_ref()?.frame;
            // SAFETY: the scope holds its frame; somebody may close it while the frame is asked.
            unsafe { ffi::Py_INCREF(frame) };
            Some(frame)
        };
        let Some(frame) = open::with_open(last) else { return };
        let is_suspended = frame::is_suspended(frame);
        if is_suspended {
            open::release(open::with_open(|open| {
                let is_still_last =
                    |entry: &mut Entry| entry.suspendable.as_ref().is_some_and(|own| own.frame == frame);
                let Entry { scope, suspendable, .. } = open.pop_if(is_still_last)?;
                let mut own = suspendable?;
                own.life.pause(&scope);
                put_aside(own)
            }));
        }
        // SAFETY: taken above.
        unsafe { ffi::Py_DECREF(frame) };
        if !is_suspended {
            return;
        }
    }
}

/// Puts a scope aside; gives it back where there are too many.
fn put_aside(own: Box<Suspendable>) -> Option<Box<Suspendable>> {
    if N_PARKED.load(Relaxed) >= MAX_PARKED {
        return Some(own);
    }
    N_PARKED.fetch_add(1, Relaxed);
    // Those further out come later.
    lock().get_or_insert_default().entry(own.frame.addr()).or_default().insert(0, *own);
    None
}

/// Opens the scopes again whose frames are this one or among its callers, outermost first.
fn resume(mut frame: *mut ffi::PyObject) {
    let mut running: Vec<Vec<Suspendable>> = Vec::new();
    // SAFETY: a frame that runs; each caller is a new reference, given back below.
    unsafe { ffi::Py_XINCREF(frame) };
    for _ in 0..MAX_CALLERS {
        if frame.is_null() {
            break;
        }
        if let Some(found) = lock().as_mut().and_then(|parked| parked.remove(&frame.addr())) {
            N_PARKED.fetch_sub(found.len(), Relaxed);
            running.push(found);
        }
        let caller = frame::caller_of(frame);
        // SAFETY: as above; whoever runs it holds it too.
        unsafe { ffi::Py_DECREF(frame) };
        frame = caller;
    }
    // SAFETY: as above.
    unsafe { ffi::Py_XDECREF(frame) };
    open::with_open(|open| {
        for mut own in running.into_iter().rev().flatten() {
            let scope = own.life.step();
            open.push(Entry { object: own.object, scope, suspendable: Some(Box::new(own)) });
        }
    });
}

/// Takes the innermost scope of an object and a frame out.
pub(super) fn take(object: *mut ScopeObject, frame: *mut ffi::PyObject) -> Option<Suspendable> {
    let mut parked = lock();
    let parked = parked.as_mut()?;
    let of_frame = parked.get_mut(&frame.addr())?;
    let found = of_frame.remove(of_frame.iter().rposition(|own| own.object == object)?);
    if of_frame.is_empty() {
        parked.remove(&frame.addr());
    }
    N_PARKED.fetch_sub(1, Relaxed);
    Some(found)
}

/// Nobody calls into Python with this lock, so it is held for an instant only.
fn lock() -> MutexGuard<'static, Option<HashMap<usize, Vec<Suspendable>>>> {
    PARKED.lock().unwrap_or_else(PoisonError::into_inner)
}
