//! Threads that borrow from the one that started them, which waits for all of them at the end.

use calor_model::LinkKind;

use crate::link;

use super::thread::{Ended, told};

/// As [`std::thread::scope`].
pub fn scope<'env, F, T>(work: F) -> T
where
    F: for<'scope> FnOnce(&Scope<'scope, 'env>) -> T,
{
    let all = Ended::default();
    let mut wait = None;
    let result = std::thread::scope(|inner| {
        let result = work(&Scope { inner, all: all.clone() });
        wait = Some(link::wait());
        result
    });
    // All have ended by now; the last of them is what was waited for.
    if let Some(wait) = wait {
        wait.end_as(LinkKind::Join, 0, all.get());
    }
    result
}

/// As [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env> {
    inner: &'scope std::thread::Scope<'scope, 'env>,
    /// When the last of its threads ended.
    all: Ended,
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
