//! Threads that tell when they began and ended, and who started and joined them.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Thread};

use calor_model::LinkKind;

use crate::link::{self, Signal};

use super::scoped::Endings;

/// As [`std::thread::spawn`].
///
/// # Panics
/// If the system has no thread to give, as there.
pub fn spawn<F, T>(work: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (ended, work) = told(work, None);
    JoinHandle { inner: std::thread::spawn(work), ended }
}

/// As [`spawn`], with a name for the thread, which reports then show.
///
/// # Errors
/// If the system has no thread to give.
pub fn spawn_named<F, T>(name: impl Into<String>, work: F) -> std::io::Result<JoinHandle<T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (ended, work) = told(work, None);
    Ok(JoinHandle { inner: Builder::new().name(name.into()).spawn(work)?, ended })
}

/// As [`std::thread::JoinHandle`].
#[derive(Debug)]
pub struct JoinHandle<T> {
    inner: std::thread::JoinHandle<T>,
    ended: Ended,
}

impl<T> JoinHandle<T> {
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

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        self.inner.thread()
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

/// When a thread ended, once it has.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended(Arc<Mutex<Signal>>);

impl Ended {
    pub(super) fn get(&self) -> Signal {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes when it is dropped, also by a panic: for whoever joins this thread, and for whoever waits for all of a scope.
struct Ending {
    own: Ended,
    all: Option<Endings>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let ended = link::signal();
        *self.own.0.lock().unwrap_or_else(PoisonError::into_inner) = ended;
        if let Some(all) = &self.all {
            all.note(ended);
        }
    }
}

/// The same work, which says on its thread that it began because of this one, and when it ends.
pub(super) fn told<F, T>(work: F, all: Option<Endings>) -> (Ended, impl FnOnce() -> T + use<F, T>)
where
    F: FnOnce() -> T,
{
    let started = link::signal();
    let ended = Ended::default();
    let ending = Ending { own: ended.clone(), all };
    let told = move || {
        link::wait().begin(started);
        let _ending = ending;
        work()
    };
    (ended, told)
}
