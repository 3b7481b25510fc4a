//! What this thread does unseen: a part of NumPy that is imported late seeds generators and fills tables, with a thousand
//! operations that are nobody's line.

use std::cell::Cell;

use super::site_table;

thread_local! {
    /// How many are under way, within one another.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs something of which no operation is recorded. With the interpreter's lock held.
pub(super) fn run<T>(run: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    // Lines that were seen before would be found otherwise.
    let result = site_table::with_empty_table(run);
    DEPTH.set(DEPTH.get() - 1);
    result
}

/// Whether that is so now.
pub(super) fn is_on() -> bool {
    DEPTH.get() > 0
}
