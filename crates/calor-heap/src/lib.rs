//! The core of the heap profiler. It runs inside the program that is watched, inside its `malloc`: so it never
//! allocates, takes no lock that another thread's pause could hold for long, calls nothing of the C library, and
//! counts what it could not follow.
//!
//! Two doors lead here: the allocator of the SDK and the library that is preloaded into a program. Both tell of each
//! block ([`Tracker`]). What is counted lies in one region of memory that may be a file shared with a recorder, which
//! reads it from outside ([`Image`]): a program that is killed leaves all that was counted, and ending costs nothing.
//!
//! | part | what it does |
//! |---|---|
//! | [`walk`] | the call path at an allocation, from unwind tables, with the unchanged part of the last one reused |
//! | `nodes`, `sites` | call paths as a tree, and a number for each that allocates |
//! | `python` | the Python functions of a path, and their names |
//! | `shadow` | from a block's address to its call path and size |
//! | `layout` | what the shared region looks like |
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
mod arena;
mod clock;
mod exact;
mod filter;
#[cfg(feature = "read")]
mod image;
mod layout;
mod lock;
mod nodes;
mod number;
mod number_table;
mod options;
mod peak;
mod python;
mod quick;
mod sampled;
mod shadow;
mod sites;
mod state;
mod sys;
mod thread;
mod tracker;
pub mod walk;

pub use clock::ticks;
#[cfg(feature = "read")]
pub use image::{
    FunctionImage, HeldImage, Image, ImageError, InterpreterImage, Module, PathTree, Pieces, SiteImage,
    ThreadImage,
};
pub use layout::{HISTOGRAM_BUCKETS, Mode, PythonWatch};
pub use options::Options;
pub use python::{Interpreter, PythonFrame};
pub use quick::Quick;
pub use sys::{SignalMask, own_memory, yield_now};
pub use thread::ThreadSlot;
pub use tracker::{Taken, Tracker};
pub use walk::path::MAX_FRAMES;
