//! The door of the heap: the program's calls of `malloc` and its relatives come here, and so do those by which it maps memory.
//! Each is passed on to the allocator that the program would have had; the core counts.

mod allocate;
mod mapping;
mod operators;
mod python;
mod ranges;
mod start;

use start::{TRACKER, ensure};

/// The library has come.
pub(crate) fn begin() {
    ensure();
    python::watch();
}

/// The program ends.
pub(crate) fn end() {
    TRACKER.end();
}

/// A file was unloaded.
pub(crate) fn forget_code() {
    TRACKER.forget_code();
}
