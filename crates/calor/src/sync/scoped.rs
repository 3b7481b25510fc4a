//! Threads that borrow from the one that started them, which waits for all of them at the end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use calor_model::LinkKind;

use crate::link::{self, Signal};
use crate::own_memory::as_own;

use super::thread::{Ended, told};

/// As [`std::thread::scope`].
pub fn scope<'env, F, T>(work: F) -> T
where
    F: for<'scope> FnOnce(&Scope<'scope, 'env>) -> T,
{
    let all = Endings::default();
    let mut wait = None;
    let result = std::thread::scope(|inner| {
        let result = work(&Scope { inner, all: all.clone() });
        wait = Some(link::wait());
        result
    });
    if let Some(wait) = wait {
        wait.end_of_all(all.take());
    }
    result
}

/// Ends of the threads of a scope that are remembered: those of the last ones, so that a scope that starts threads all day
/// keeps no more. Who ended long before the last is not waited for whatever gets faster.
const MOST_ENDINGS: usize = 64;

/// When the threads of a scope ended, the last of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Endings(Arc<Mutex<VecDeque<Signal>>>);

impl Endings {
    /// A thread ended; nothing is noted unless somebody watches.
    pub(super) fn note(&self, ended: Signal) {
        if ended.is_some() {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() == MOST_ENDINGS {
                all.pop_front();
            }
            as_own(|| all.push_back(ended));
        }
    }

    fn take(&self) -> Vec<Signal> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

/// As [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env> {
    inner: &'scope std::thread::Scope<'scope, 'env>,
    all: Endings,
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that ends before the scope does.
    ///
    /// # Panics
    /// If the system has no thread to give, as in `std`.
    pub fn spawn<F, T>(&self, work: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let (ended, work) = told(work, Some(self.all.clone()));
        ScopedJoinHandle { inner: self.inner.spawn(work), ended }
    }
}

/// As [`std::thread::ScopedJoinHandle`].
#[derive(Debug)]
pub struct ScopedJoinHandle<'scope, T> {
    inner: std::thread::ScopedJoinHandle<'scope, T>,
    ended: Ended,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread to end.
    ///
    /// # Errors
    /// What the thread panicked with.
    pub fn join(self) -> std::thread::Result<T> {
        let wait = link::wait();
        let result = self.inner.join();
        wait.end_as(LinkKind::Join, 0, self.ended.get());
        result
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}
