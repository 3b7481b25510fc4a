//! Profilers as objects: start and stop by name, guards, named allocations, bottlenecks, a report.
//!
//! Thin over the recorder of scopes: each profiler has a call tree of its own, so its figures are as exact,
//! and its profile is read by the same reports. Use it where a profiler is handed around, or where names are
//! only known at run time; use [`scope!`](crate::scope) where every nanosecond counts.

mod begin;
pub mod bottleneck;
mod calls;
pub mod compute;
pub mod error;
mod global;
mod guard;
pub mod memory;
mod operation;
mod outcome;
mod profiler;
pub mod report;
pub mod timeline;
mod tree;

pub use bottleneck::{Bottleneck, BottleneckAnalyzer, BottleneckKind, Severity, Thresholds};
pub use compute::{ComputeProfiler, OperationStats};
pub use error::{Error, Result};
pub(crate) use global::{add_global_to, reset_global};
pub use global::{global_profiler, record_alloc, record_free, start, stop};
pub use guard::ProfileGuard;
pub use memory::{MemoryProfiler, MemoryStats};
pub use outcome::Outcome;
pub use profiler::Profiler;
pub use report::{Report, ReportFormat};
pub use timeline::{TimelineEvent, TimelineProfiler};

/// Runs the code of the guide as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/classic-api.md")]
struct Guide;
