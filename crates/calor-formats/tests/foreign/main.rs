//! The formats of other tools that are text, from outside: real files are read, what is written is read back, and
//! nothing that is read does harm.

#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod csv;
mod damaged;
mod extremes;
mod fixtures;
mod folded;
#[path = "../native/generated.rs"]
mod generated;
mod metrics;
mod perf_script;
mod report;
mod speedscope;
mod told;
