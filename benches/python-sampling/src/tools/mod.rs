//! Who takes part.

mod austin;
mod py_spy;

use harness::sampled::{Tool, bare, calor, perf};

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Tool] = &[
    bare::TOOL,
    calor::TOOL,
    py_spy::NATIVE,
    py_spy::PAUSING,
    py_spy::NONBLOCKING,
    austin::TOOL,
    perf::WITH_DWARF,
];
