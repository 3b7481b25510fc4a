//! Who takes part.

mod calor_inside;
mod pprof;
mod samply;

use harness::sampled::{Tool, bare, calor, perf};

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Tool] = &[
    bare::TOOL,
    calor::TOOL,
    perf::WITH_DWARF,
    perf::WITH_FRAME_POINTERS,
    samply::TOOL,
    calor_inside::TOOL,
    pprof::TOOL,
];
