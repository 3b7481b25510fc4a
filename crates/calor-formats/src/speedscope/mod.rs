//! The JSON of speedscope: frames once, and one profile for each thread, as events (begin, end) or as samples.
//!
//! **Reading.** Events become scopes and their timeline; samples become CPU samples, or allocations where the unit
//! is bytes. Where a file has events and samples of time under one name, the samples are their sum, and add to the
//! scopes what the events leave out. In a file of Calor the exporter names the metric, so that samples come back as
//! what they were. Events that close what is not open are left out, those that were never closed end with the profile, and
//! warnings count both.
//!
//! **Writing.** One sampled profile for each thread with the metric's self values, and for scopes that were recorded
//! with times one profile of events as well. Beside the weights of samples stands how often each was met, as a member
//! of ours, `counts`, which other readers pass over. The format has no place for labels, kinds of frames and modules.

mod document;
mod events;
mod reader;
mod samples;
mod sums;
mod writer;

pub use reader::read;
pub use writer::write;

use crate::opening::Opening;

/// What Calor writes as the exporter begins so; then come its version and the metric.
const EXPORTER: &str = "calor ";

/// What a document names as its schema.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Whether an input is of speedscope: it names the schema, or has the two keys that no other format has together.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    let names_schema = opening
        .value("$schema")
        .is_some_and(|value| value[..value.len().min(128)].windows(10).any(|window| window == b"speedscope"));
    names_schema || (opening.has_key("shared") && opening.has_key("profiles"))
}
