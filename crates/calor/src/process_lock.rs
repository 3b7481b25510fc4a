//! A lock that belongs to one process. In a forked child, whoever held it does not exist, and what it guards is
//! the parent's: the child starts with a fresh lock and a fresh value.

#![expect(unsafe_code, reason = "the lock is behind a pointer that a fork handler can replace")]

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The lock.
pub(crate) struct ProcessLock<T> {
    /// Null until first used.
    mutex: AtomicPtr<Mutex<T>>,
}

impl<T: Default + 'static> ProcessLock<T> {
    pub(crate) const fn new() -> Self {
        Self { mutex: AtomicPtr::new(null_mut()) }
    }

    /// Waits for the lock. If somebody panicked with it, the value is taken as it is.
    pub(crate) fn lock(&self) -> MutexGuard<'static, T> {
        self.mutex().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless somebody holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'static, T>> {
        match self.mutex().try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Starts afresh, in a forked child. What the parent had is left where it is: it cannot be torn down here.
    pub(crate) fn forget(&self) {
        self.mutex.store(null_mut(), Release);
    }

    fn mutex(&self) -> &'static Mutex<T> {
        // SAFETY: the pointer is null or a leaked box.
        if let Some(mutex) = unsafe { self.mutex.load(Acquire).as_ref() } {
            return mutex;
        }
        let fresh = Box::into_raw(Box::<Mutex<T>>::default());
        match self.mutex.compare_exchange(null_mut(), fresh, AcqRel, Acquire) {
            // SAFETY: the box was just leaked.
            Ok(_) => unsafe { &*fresh },
            // SAFETY: nobody else has seen this box; the earlier one is leaked.
            Err(earlier) => unsafe {
                drop(Box::from_raw(fresh));
                &*earlier
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_somebody_panicked_with_is_still_a_lock() {
        static LOCK: ProcessLock<u32> = ProcessLock::new();
        let panicked = std::thread::spawn(|| {
            let _guard = LOCK.lock();
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.join().is_err());
        *LOCK.try_lock().expect("nobody holds it") = 1;
        assert_eq!(*LOCK.lock(), 1);
    }

    #[test]
    fn after_a_fork_the_lock_is_free_and_its_value_new() {
        static LOCK: ProcessLock<u32> = ProcessLock::new();
        let mut of_the_parent = LOCK.lock();
        *of_the_parent = 7;
        assert!(LOCK.try_lock().is_none());
        LOCK.forget();
        assert_eq!(LOCK.try_lock().as_deref(), Some(&0));
    }
}
