//! Whether the machine's stack has room for another frame. Up to 3.10 Python's frames nest on it, since 3.12 the
//! interpreter counts those that do; with 3.11 nobody minds, since there they do not nest unless somebody runs them. A
//! decorated function nests in every version, as whatever is called by native code does.

#![expect(unsafe_code, reason = "the system is asked for a thread's stack")]

use std::cell::Cell;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::ffi::{self, PyObject};

/// What is left for native code that Python calls, at most a quarter of the stack.
const RESERVE: usize = 512 << 10;
/// What a frame takes on the machine's stack, with that of calling it: 3.11 takes some 500 bytes of it.
const FRAME_BYTES: usize = 1 << 10;

/// Traced calls that were refused.
pub(crate) static TRACED: AtomicU64 = AtomicU64::new(0);
/// Calls that were run without being traced, with all inside them.
pub(crate) static UNTRACED: AtomicU64 = AtomicU64::new(0);
/// Decorated calls that were refused.
pub(crate) static DECORATED: AtomicU64 = AtomicU64::new(0);

/// Begins to count anew.
pub(crate) fn clear() {
    for counter in [&TRACED, &UNTRACED, &DECORATED] {
        counter.store(0, Relaxed);
    }
}

thread_local! {
    /// Addresses above it have room. Highest until it is known.
    static FLOOR: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Addresses above it are in the first eighth of the stack. Highest until it is known.
    static MARK: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Where the stack ends. Highest until it is known.
    static LOWEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Whether there is room for another frame here.
#[inline(always)]
pub(crate) fn is_there() -> bool {
    let here = 0_u8;
    let here = (&raw const here).addr();
    here > FLOOR.get() || look(here)
}

/// Whether an eighth of the stack is taken: from there on it is worth asking how deep a program means to go.
#[inline(always)]
pub(crate) fn is_deep() -> bool {
    let here = 0_u8;
    let here = (&raw const here).addr();
    here <= MARK.get() && is_below_mark(here)
}

#[cold]
#[inline(never)]
fn is_below_mark(here: usize) -> bool {
    if MARK.get() == usize::MAX {
        MARK.set(own_stack().map_or(0, |(lowest, bytes)| lowest + bytes / 8 * 7));
    }
    here <= MARK.get()
}

/// Counts a call that is refused, and raises `RecursionError` in its place.
///
/// # Safety
/// The thread has the interpreter's lock, and no exception is under way.
#[cold]
#[inline(never)]
pub(crate) unsafe fn refuse(counter: &AtomicU64, message: &CStr) -> *mut PyObject {
    counter.fetch_add(1, Relaxed);
    // SAFETY: by the caller's promise.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_RecursionError, message.as_ptr()) };
    std::ptr::null_mut()
}

/// Whether a thread with a stack of so many bytes, or of the usual size if it is 0, can hold so many frames.
pub(crate) fn is_enough(stack_bytes: usize, n_frames: usize) -> bool {
    let stack_bytes = if stack_bytes == 0 { usual_bytes() } else { stack_bytes };
    n_frames * FRAME_BYTES + RESERVE <= stack_bytes
}

#[cold]
#[inline(never)]
fn look(here: usize) -> bool {
    // A stack that the program made itself is not known to the system: nothing can be said about it.
    if FLOOR.get() != usize::MAX && here < LOWEST.get() {
        return true;
    }
    // Asked again before anything is refused: a program may have raised the limit of its first stack meanwhile.
    let Some((lowest, bytes)) = own_stack() else {
        FLOOR.set(0);
        return true;
    };
    let floor = lowest + RESERVE.min(bytes / 4);
    FLOOR.set(floor);
    LOWEST.set(lowest);
    !(lowest..floor).contains(&here)
}

/// The lowest address of this thread's stack, and its size.
#[cfg(not(target_os = "linux"))]
fn own_stack() -> Option<(usize, usize)> {
    None
}

/// The lowest address of this thread's stack, and its size.
#[cfg(target_os = "linux")]
fn own_stack() -> Option<(usize, usize)> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut lowest, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are made by the first call, read by the second and given back by the last.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let outcome = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (outcome == 0 && bytes > 0).then_some((lowest.addr(), bytes))
    }
}

/// The size of the stacks that new threads have.
fn usual_bytes() -> usize {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut bytes = 0;
    // SAFETY: as above.
    unsafe {
        if libc::pthread_attr_init(attributes.as_mut_ptr()) == 0 {
            libc::pthread_attr_getstacksize(attributes.as_ptr(), &raw mut bytes);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
        }
    }
    bytes
}
