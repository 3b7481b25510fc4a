//! Threads that are started here, for a short while, to read symbols. In a program that watches its own heap they have to
//! be known as not the program's.

use std::sync::OnceLock;

static BEGIN: OnceLock<fn()> = OnceLock::new();

/// Says what such threads do first. The first call counts.
pub fn begin_own_threads_with(begin: fn()) {
    let _ = BEGIN.set(begin);
}

/// What every such thread does first.
pub(crate) fn begin() {
    if let Some(begin) = BEGIN.get() {
        begin();
    }
}
