//! The JSON of the Firefox Profiler, written only: its processed format in version 55, which every later version of
//! the viewer converts by itself.
//!
//! Each thread of the profile becomes one of theirs, with samples weighted by one metric, and markers for its spans
//! and marks; what ran on GPUs becomes a thread of its own. Columns are written directly: the crate that the field
//! uses for this format takes weights as whole numbers of 32 bits, which hold neither a microsecond nor three
//! gigabytes, and knows neither files nor lines.

mod category;
mod counters;
mod markers;
mod meta;
mod samples;
mod tables;
mod thread;

use std::io::{BufWriter, Write};

use calor_model::Profile;

use crate::opening::Opening;
use crate::{Error, Format, Metric, WriteOptions, weights};

/// Whether an input is of this format.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    const VERSION: &[u8] = b"\"preprocessedProfileVersion\"";
    let meta = opening.value("meta").unwrap_or_default();
    opening.has_key("threads") && meta.windows(VERSION.len()).any(|window| window == VERSION)
}

/// Reads a profile.
///
/// # Errors
/// Always: the format is only written.
pub fn read(_: &[u8]) -> Result<Profile, Error> {
    Err(Error::NotReadable { format: Format::Firefox })
}

/// Writes a profile, one thread after the other.
///
/// Samples that carry a time stand at their time. Other metrics carry none: where a thread has a timeline, a call
/// path stands where it first ran, otherwise one stands behind the other and the name of the thread says so. Every
/// counter becomes a track of the only kind that the viewer draws, that of memory, and its description says its unit.
///
/// # Errors
/// When the profile does not have the metric that is asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let metric = Metric::choose(options.metric, profile)?;
    let weights = weights(profile, metric);
    let mut out = BufWriter::new(out);
    out.write_all(b"{\"meta\":")?;
    write_json(&mut out, &meta::Meta::new(profile, &weights))?;
    out.write_all(b",\"libs\":[],\"threads\":[")?;
    let threads = thread::choose(profile, &weights);
    for (place, thread) in threads.iter().enumerate() {
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        write_json(&mut out, &thread::columns(profile, &weights, thread))?;
    }
    out.write_all(b"],\"pages\":[],\"profilerOverhead\":[],\"counters\":[")?;
    for (place, counter) in counters::columns(profile, &threads).enumerate() {
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        write_json(&mut out, &counter)?;
    }
    out.write_all(b"]}\n")?;
    Ok(out.flush()?)
}

fn write_json(out: &mut impl Write, value: &impl serde::Serialize) -> Result<(), Error> {
    serde_json::to_writer(out, value).map_err(|error| Error::Write(error.into()))
}

/// Nanoseconds in the milliseconds that the format counts in.
fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}
