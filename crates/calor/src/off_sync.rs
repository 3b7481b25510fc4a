//! Threads, locks, channels and barriers compiled out: those of the standard library.

pub use std::sync::mpsc::{Iter, Receiver, Sender, SyncSender, channel, sync_channel};
pub use std::sync::{Barrier, Condvar, Mutex, MutexGuard};
pub use std::thread::{JoinHandle, Scope, ScopedJoinHandle, scope, spawn};

/// As [`spawn`], with a name for the thread.
///
/// # Errors
/// If the system has no thread to give.
pub fn spawn_named<F, T>(name: impl Into<String>, work: F) -> std::io::Result<JoinHandle<T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    std::thread::Builder::new().name(name.into()).spawn(work)
}
