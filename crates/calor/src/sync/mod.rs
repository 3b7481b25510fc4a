//! Threads, locks, condition variables, channels and barriers as in the standard library, which also tell who waited for whom: with a timeline,
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
//! What is here has the signatures of `std`, so that for most programs only the `use` lines change. What is **not** here:
//! read-write locks, `thread::Builder` ([`spawn_named`] gives a thread its name) and parking, which [`link`](crate::link) can
//! tell; `Condvar::wait_timeout_while`, `Receiver::try_iter`, receivers as iterators by value, `Mutex::clear_poison` and
//! `ScopedJoinHandle::thread`; and the argument of [`scope`]'s closure does not live as long as the scope, so that threads of
//! a scope cannot start others in the same one. A [`MutexGuard`] of this module is not that of `std`: it goes with the
//! [`Condvar`] of this module alone.
//!
//! What is told is who made something available last, which is not always who was waited for: of a bounded channel the last
//! message that was taken out, of a condition variable who woke somebody last. Of the threads of a scope the last 64 to end are told. A `try_lock` or `try_recv` that finds
//! nothing tells nothing.
//!
//! While no timeline is recorded and there are no [experiments](crate::causal), what is added is a look at three flags, 24
//! bytes with every message and every lock, and a short lock in every wait of a bounded channel or a barrier. Compiled out,
//! these names are those of `std`.

mod barrier;
mod channel;
mod condvar;
mod mutex;
mod scoped;
mod thread;

pub use barrier::Barrier;
pub use channel::{Iter, Receiver, Sender, SyncSender, channel, sync_channel};
pub use condvar::Condvar;
pub use mutex::{Mutex, MutexGuard};
pub use scoped::{Scope, ScopedJoinHandle, scope};
pub use thread::{JoinHandle, spawn, spawn_named};

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number for one lock or channel, from 1.
fn next_object() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
