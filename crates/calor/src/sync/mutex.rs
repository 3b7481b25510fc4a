//! A lock that tells who had to wait for whom, and for how long it was held.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use crate::link::{self, Hold, Signal, Wait};

/// As [`std::sync::Mutex`].
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    /// Its number among locks and channels; 0 until it is used.
    object: AtomicU64,
    inner: std::sync::Mutex<Guarded<T>>,
}

/// When the lock was released last lies beside the value, behind the lock.
#[derive(Default)]
pub(super) struct Guarded<T: ?Sized> {
    released: Signal,
    value: T,
}

impl<T> Mutex<T> {
    /// A lock that nobody holds.
    pub const fn new(value: T) -> Self {
        let guarded = Guarded { released: Signal::NONE, value };
        Self { object: AtomicU64::new(0), inner: std::sync::Mutex::new(guarded) }
    }

    /// The value, for good.
    ///
    /// # Errors
    /// If somebody panicked while holding the lock.
    pub fn into_inner(self) -> LockResult<T> {
        match self.inner.into_inner() {
            Ok(guarded) => Ok(guarded.value),
            Err(poisoned) => Err(PoisonError::new(poisoned.into_inner().value)),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    ///
    /// # Errors
    /// If somebody panicked while holding it.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let wait = link::wait();
        match self.inner.lock() {
            Ok(inner) => Ok(self.held(inner, wait)),
            Err(poisoned) => Err(PoisonError::new(self.held(poisoned.into_inner(), wait))),
        }
    }

    /// The lock, if it can be had at once.
    ///
    /// # Errors
    /// If it is held, or somebody panicked while holding it.
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let wait = link::wait();
        match self.inner.try_lock() {
            Ok(inner) => Ok(self.held(inner, wait)),
            Err(TryLockError::WouldBlock) => {
                wait.give_up();
                Err(TryLockError::WouldBlock)
            }
            Err(TryLockError::Poisoned(poisoned)) => {
                Err(TryLockError::Poisoned(PoisonError::new(self.held(poisoned.into_inner(), wait))))
            }
        }
    }

    /// The value, which nobody else can reach meanwhile.
    ///
    /// # Errors
    /// If somebody panicked while holding the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        match self.inner.get_mut() {
            Ok(guarded) => Ok(&mut guarded.value),
            Err(poisoned) => Err(PoisonError::new(&mut poisoned.into_inner().value)),
        }
    }

    /// Whether somebody panicked while holding the lock.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    fn held<'a>(&'a self, inner: std::sync::MutexGuard<'a, Guarded<T>>, wait: Wait) -> MutexGuard<'a, T> {
        let hold = Hold::begin(wait, inner.released);
        MutexGuard { inner: Some(inner), hold, object: &self.object }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner.try_lock() {
            Ok(guarded) => f.debug_struct("Mutex").field("data", &&guarded.value).finish_non_exhaustive(),
            Err(_) => f.debug_struct("Mutex").finish_non_exhaustive(),
        }
    }
}

/// As [`std::sync::MutexGuard`].
#[must_use = "the lock is released when the guard is dropped"]
pub struct MutexGuard<'a, T: ?Sized> {
    /// Taken out when dropped, so that what is told does not lengthen the hold.
    inner: Option<std::sync::MutexGuard<'a, Guarded<T>>>,
    hold: Option<Hold>,
    object: &'a AtomicU64,
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner.as_ref().expect("only dropping takes it out").value
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner.as_mut().expect("only dropping takes it out").value
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The guard of `std`, which goes with a condition variable; to others the lock is released from here on.
    pub(super) fn give_up(mut self) -> (std::sync::MutexGuard<'a, Guarded<T>>, &'a AtomicU64) {
        let mut inner = self.inner.take().expect("only dropping takes it out");
        if let Some((hold, released)) = self.release(&mut inner) {
            hold.end(self.object.load(Relaxed), released);
        }
        (inner, self.object)
    }

    /// The lock is held again, after `tell` has told why.
    pub(super) fn regained(
        inner: std::sync::MutexGuard<'a, Guarded<T>>,
        object: &'a AtomicU64,
        tell: impl FnOnce(),
    ) -> Self {
        tell();
        let hold = Hold::begin(link::wait(), inner.released);
        Self { inner: Some(inner), hold, object }
    }

    /// Notes that the lock is released now, and what there is to tell of having held it.
    fn release(&mut self, inner: &mut Guarded<T>) -> Option<(Hold, Signal)> {
        let released = link::signal();
        inner.released = released;
        let hold = self.hold.take().filter(|_| released.is_some())?;
        if self.object.load(Relaxed) == 0 {
            // Whoever holds the lock is the only one to give it a number.
            self.object.store(super::next_object(), Relaxed);
        }
        Some((hold, released))
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        let told = self.release(&mut inner);
        drop(inner);
        if let Some((hold, released)) = told {
            hold.end(self.object.load(Relaxed), released);
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
