//! What a forked child finds. Only the forking thread exists there: a lock that another thread held would stay
//! locked for good. Locks over what the child goes on with (labels, names) are therefore held during the fork;
//! those over what is the parent's alone (see `process_lock`) are made anew in the child.

#![expect(unsafe_code, reason = "fork handlers are a C interface")]

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once, TryLockError};

use crate::process::{self, Labels};
use crate::recorder::registry;
use crate::recording;
use crate::site::{self, NamedSites};

/// Tries to get a lock before the fork goes on without it: a signal handler that forks may have interrupted the
/// one who holds it.
const TRIES: u32 = 10_000;

/// The locks that are held.
struct Held {
    _labels: Option<MutexGuard<'static, Labels>>,
    _sites: Option<MutexGuard<'static, NamedSites>>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// From now on, forked children start with a clean slate.
pub(crate) fn handle() {
    static ONCE: Once = Once::new();
    // SAFETY: the handlers take nothing, return nothing and do not unwind.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
    });
}

extern "C" fn before() {
    hold(Some(Held { _labels: lock(process::labels()), _sites: lock(site::named_sites()) }));
}

extern "C" fn in_parent() {
    hold(None);
}

extern "C" fn in_child() {
    hold(None);
    registry::start_afresh();
    crate::link::forget();
    crate::causal::forget();
    crate::labelled_site::forget();
    recording::forget();
    crate::sampling::forget();
    crate::gpu::forget();
    #[cfg(feature = "told-heap")]
    crate::heap::told::forget();
}

fn hold(held: Option<Held>) {
    // Gone if the thread is being torn down: then nothing is held.
    let _ = HELD.try_with(|cell| cell.replace(held));
}

fn lock<T>(mutex: &'static Mutex<T>) -> Option<MutexGuard<'static, T>> {
    (0..TRIES).find_map(|_| match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => {
            std::thread::yield_now();
            None
        }
    })
}
