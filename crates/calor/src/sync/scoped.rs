//! Threads that borrow from the one that started them, which waits for all of them at the end.

use std::sync::{Arc, Mutex, PoisonError};

use calor_model::LinkKind;

use crate::link;

use super::thread::{Ended, told};

/// As [`std::thread::scope`].
pub fn scope<'env, F, T>(work: F) -> T
where
    F: for<'scope> FnOnce(&Scope<'scope, 'env>) -> T,
{
    let all: Arc<Mutex<Vec<Ended>>> = Arc::default();
    let mut wait = None;
    let result = std::thread::scope(|inner| {
        let result = work(&Scope { inner, all: Arc::clone(&all) });
        wait = Some(link::wait());
        result
    });
    // All have ended by now; the last of them is what was waited for.
    let ended = all.lock().unwrap_or_else(PoisonError::into_inner);
    let last = ended.iter().map(Ended::get).max_by_key(|signal| signal.ticks());
    if let (Some(wait), Some(last)) = (wait, last) {
        wait.end_as(LinkKind::Join, 0, last);
    }
    result
}

/// As [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env> {
    inner: &'scope std::thread::Scope<'scope, 'env>,
    all: Arc<Mutex<Vec<Ended>>>,
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
        let (ended, work) = told(work);
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(ended.clone());
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
