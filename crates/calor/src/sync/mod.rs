//! Threads, locks, channels and barriers as in the standard library, which also tell who waited for whom: with a timeline,
//! `calor whatif` finds the critical path through a program of several threads from them.
//!
//! ```
//! use calor::sync::{Mutex, channel, spawn};
//!
//! let (sender, receiver) = channel();
//! let worker = spawn(move || {
//!     calor::scope!("produce");
//!     sender.send(42)
//! });
//! assert_eq!(receiver.recv(), Ok(42));
//! worker.join().unwrap().unwrap();
//! ```
//!
//! Signatures are those of `std`, so that only the `use` lines change. While no timeline is recorded, what is added is a
//! look at two flags; compiled out, these names are those of `std`. Condition variables and read-write locks have no
//! wrapper here: tell them with [`link`](crate::link).

mod barrier;
mod channel;
mod mutex;
mod scoped;
mod thread;

pub use barrier::Barrier;
pub use channel::{Iter, Receiver, Sender, SyncSender, channel, sync_channel};
pub use mutex::{Mutex, MutexGuard};
pub use scoped::{Scope, ScopedJoinHandle, scope};
pub use thread::{JoinHandle, spawn, spawn_named};

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number for one lock or channel, from 1.
fn next_object() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
