//! The programs whose heap is profiled. They are a library so that the program alone and the programs with a profiler
//! inside run the same code.

#[cfg(feature = "calor")]
pub mod with_calor;
pub mod workloads;
