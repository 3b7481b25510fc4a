//! The recorder of the thread that the interpreter runs on, found by one comparison where it is the same thread as before.

#![expect(unsafe_code, reason = "whoever asks holds the interpreter's lock")]

use std::cell::Cell;

use calor::Here;

use crate::last_thread::LastThread;

static LAST: LastThread<Here> = LastThread::new();

thread_local! {
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
    /// Forgets the thread when it ends.
    static OWNER: Owner = const { Owner };
}

/// That of this thread; `None` while the recorder is off and was never asked for, and while the thread is torn down.
///
/// # Safety
/// The thread has the interpreter's lock.
#[inline(always)]
pub(crate) unsafe fn of_thread() -> Option<Here> {
    // SAFETY: by the caller's promise.
    unsafe { LAST.get() }.or_else(look)
}

#[cold]
#[inline(never)]
fn look() -> Option<Here> {
    if IS_ENDING.get() {
        return None;
    }
    let here = Here::get()?;
    // After the recorder's own, so that this is forgotten first.
    OWNER.try_with(|_| {}).ok()?;
    // SAFETY: callers have the lock, and the owner forgets it.
    unsafe { LAST.set(here) };
    Some(here)
}

struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        IS_ENDING.set(true);
        LAST.forget();
    }
}
