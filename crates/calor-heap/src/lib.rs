//! The core of the heap profiler. It runs inside the program that is watched, inside its `malloc`: so it never
//! allocates, takes no lock that another thread's pause could hold for long, calls nothing of the C library, and
//! counts what it could not follow.
//!
//! Two doors lead here: the allocator of the SDK and the library that is preloaded into a program. Both report each
//! block ([`Tracker`]). Which call path allocated it is the business of `calor-paths`; what is counted lies beside the paths in
//! one region of memory that may be a file shared with a recorder, which reads it from outside ([`Image`]): a program that
//! is killed leaves all that was counted, and ending costs nothing.
//!
//! | part | what it does |
//! |---|---|
//! | `shadow` | from a block's address to its call path and size |
//! | `layout` | what the heap adds to the shared region |
//! | `peak` | when the whole heap is largest, without a counter that all threads write |
//! | `exact`, `sampled` | the two ways of watching |

#![cfg_attr(not(any(test, feature = "read")), no_std)]
#![expect(
    unsafe_code,
    reason = "memory is mapped, shared and read by address; each file says what it relies on"
)]
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the rules are those of the file; repeating them hides them"
)]

mod address_table;
mod exact;
mod filter;
#[cfg(feature = "read")]
mod image;
mod layout;
mod number;
mod options;
mod peak;
mod quick;
mod sampled;
mod shadow;
mod state;
mod thread;
mod tracker;

#[cfg(feature = "read")]
pub use image::{HeldImage, Image, SiteImage, ThreadImage};
pub use layout::{HISTOGRAM_BUCKETS, Mode, PythonWatch};
pub use options::Options;
pub use quick::Quick;
pub use thread::ThreadSlot;
pub use tracker::{Taken, Tracker};
