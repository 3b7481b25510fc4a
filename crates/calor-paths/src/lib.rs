//! Call paths of a program, walked and kept inside it: where an allocation, a launch or anything else came from. It runs
//! wherever it is called, inside `malloc` too: so it never allocates, takes no lock that another thread's pause could hold
//! for long, calls nothing of the C library, and needs no standard library.
//!
//! Whoever counts something by call path has one [`Paths`] for the process and one [`Walker`] for each thread, and is given a
//! number for each path. What the numbers stand for lies in a [`Region`] of memory, which may be a file shared with a
//! recorder, and in which there is room for the counts as well. Another process reads it (feature `read`): a program that
//! is killed leaves all that was written.
//!
//! | part | what it does |
//! |---|---|
//! | `walk` | the call path at an instruction, from unwind tables, with the unchanged part of the last one reused |
//! | `nodes`, `sites` | call paths as a tree, and a number for each that was asked for |
//! | `python` | the Python functions of a path, and their names |
//! | `modules` | the loaded files that paths go through |
//! | `layout`, `region` | what the region looks like, and its blocks |
//! | `image` | the same, read from outside |

#![cfg_attr(not(any(test, feature = "read")), no_std)]
#![expect(
    unsafe_code,
    reason = "memory is mapped, shared and read by address; each file says what it relies on"
)]
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the rules are those of the file; repeating them hides them"
)]

mod clock;
#[cfg(feature = "read")]
mod image;
mod layout;
mod lock;
mod modules;
mod nodes;
mod number_table;
mod paths;
mod python;
mod region;
mod sites;
pub mod sys;
mod walk;

pub use clock::ticks;
#[cfg(feature = "read")]
pub use image::{
    BlockImage, FunctionImage, ImageError, InterpreterImage, Module, PathTree, Pieces, RegionImage, Words,
};
pub use layout::{BLOCK, Header, Kind, MAX_SITES};
pub use lock::{Lock, LockGuard};
pub use paths::{Paths, Walker};
pub use python::{Interpreter, PythonFrame};
pub use region::Region;
pub use walk::Registers;
pub use walk::objects::{is_same_file, use_loader};
pub use walk::path::MAX_FRAMES;
pub use walk::rules::Rules;
