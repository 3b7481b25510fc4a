//! A condition variable that tells who woke whom.

use std::fmt;
use std::sync::{LockResult, PoisonError, WaitTimeoutResult};
use std::time::Duration;

use calor_model::LinkKind;

use crate::link::{self, Signal, Wait};

use super::MutexGuard;

/// As [`std::sync::Condvar`], for locks of this module.
#[derive(Default)]
pub struct Condvar {
    inner: std::sync::Condvar,
    /// When somebody was last to be woken, and by whom.
    notified: std::sync::Mutex<Signal>,
}

impl Condvar {
    /// One that nobody waits for.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: std::sync::Condvar::new(), notified: std::sync::Mutex::new(Signal::NONE) }
    }

    /// Gives the lock up, waits to be woken, and has the lock again.
    ///
    /// # Errors
    /// If somebody panicked while holding the lock.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (inner, object) = guard.give_up();
        let wait = link::wait();
        match self.inner.wait(inner) {
            Ok(inner) => Ok(MutexGuard::regained(inner, object, || self.tell(wait))),
            Err(poisoned) => {
                let inner = poisoned.into_inner();
                Err(PoisonError::new(MutexGuard::regained(inner, object, || self.tell(wait))))
            }
        }
    }

    /// Waits as long as a condition holds.
    ///
    /// # Errors
    /// If somebody panicked while holding the lock.
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits to be woken, for so long at most.
    ///
    /// # Errors
    /// If somebody panicked while holding the lock.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (inner, object) = guard.give_up();
        let wait = link::wait();
        let tell =
            |result: WaitTimeoutResult| if result.timed_out() { wait.give_up() } else { self.tell(wait) };
        match self.inner.wait_timeout(inner, timeout) {
            Ok((inner, result)) => Ok((MutexGuard::regained(inner, object, || tell(result)), result)),
            Err(poisoned) => {
                let (inner, result) = poisoned.into_inner();
                Err(PoisonError::new((MutexGuard::regained(inner, object, || tell(result)), result)))
            }
        }
    }

    /// Wakes one thread that waits.
    pub fn notify_one(&self) {
        self.note();
        self.inner.notify_one();
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        self.note();
        self.inner.notify_all();
    }

    fn note(&self) {
        let now = link::signal();
        if now.is_some() {
            *self.notified.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    fn tell(&self, wait: Wait) {
        let notified = *self.notified.lock().unwrap_or_else(PoisonError::into_inner);
        wait.end_as(LinkKind::Other, 0, notified);
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
