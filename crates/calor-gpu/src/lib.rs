//! What runs on GPUs for a process: each kernel and each copy with how long it took and what launched it.
//!
//! NVIDIA's driver tells it through CUPTI, a library that programs which use CUDA have loaded, or have beside them. It is opened
//! by name and nothing of it is linked, so there is no need of it to build or to run anything else. Two things are asked for:
//! a record of each kernel, copy and filling of memory when it is done (`activity`), and a call whenever the program is
//! about to launch one, at which whoever launched it is asked where it is. Both have the number of the launch, by which they
//! are joined (`launches`). These two run wherever CUPTI calls, also in a library that is loaded into a program: without
//! standard library, allocator or lock.
//!
//! A session (feature `session`) opens CUPTI in a program of one's own and adds up at once what is joined: memory follows the
//! number of different kernels and origins, and not how long the program runs.

#![cfg_attr(not(any(test, feature = "session")), no_std)]

mod activity;
mod launches;
#[cfg(feature = "session")]
pub mod session;

pub use activity::{Activity, Copy, Kernel, Record, Way, launch, least_bytes, read};
pub use launches::{Launches, Origin};
