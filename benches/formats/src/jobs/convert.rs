//! Reading profiles of others and writing them in another format.

use std::path::Path;

use calor_formats::{Format, WriteOptions, read, write};
use calor_model::Profile;
use harness::Figures;
use prost::Message;

use super::{complete, folded_weight, n_samples, output, timed};
use crate::inputs::{Input, pprof};

/// A pprof file to a profile.
pub(crate) fn read_samples(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, profile) = timed(&input.read(folder)?, profile)?;
    complete("samples", pprof::N_SAMPLES as u64, n_samples(&profile))?;
    Ok(figures.with("paths", profile.stacks.len() as f64))
}

/// The floor: the message as it is, decoded.
pub(crate) fn decode_message(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, message) = timed(&input.read(folder)?, |bytes| {
        pprof::Profile::decode(bytes).map_err(|error| format!("prost: {error}"))
    })?;
    complete("samples", pprof::N_SAMPLES as u64, message.samples.len() as u64)?;
    Ok(figures)
}

/// A pprof file to a `.calor` file.
pub(crate) fn samples_to_native(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, bytes) = timed(&input.read(folder)?, |bytes| converted(bytes, Format::Native))?;
    complete("samples", pprof::N_SAMPLES as u64, n_samples(&profile(&bytes)?))?;
    Ok(output(figures, &bytes))
}

/// A pprof file to folded stacks.
pub(crate) fn samples_to_folded(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, bytes) = timed(&input.read(folder)?, |bytes| converted(bytes, Format::Folded))?;
    // Ten milliseconds a sample, written in nanoseconds.
    complete("nanoseconds", pprof::N_SAMPLES as u64 * 10_000_000, folded_weight(&bytes)?)?;
    Ok(output(figures, &bytes))
}

/// A Chrome trace to a profile.
pub(crate) fn read_trace(input: Input, folder: &Path) -> Result<Figures, String> {
    let bytes = input.read(folder)?;
    let (figures, profile) = timed(&bytes, profile)?;
    complete("spans", n_events(&bytes)?, profile.timeline.n_spans() as u64)?;
    Ok(figures.with("paths", profile.stacks.len() as f64))
}

/// The floor: the trace as JSON and no more.
pub(crate) fn parse_json(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, value) = timed(&input.read(folder)?, |bytes| {
        serde_json::from_slice::<serde_json::Value>(bytes).map_err(|error| format!("serde_json: {error}"))
    })?;
    match value.is_object() {
        true => Ok(figures),
        false => Err("expected the trace to be an object".to_owned()),
    }
}

/// A Chrome trace to a `.calor` file.
pub(crate) fn trace_to_native(input: Input, folder: &Path) -> Result<Figures, String> {
    let bytes = input.read(folder)?;
    let (figures, file) = timed(&bytes, |bytes| converted(bytes, Format::Native))?;
    complete("spans", n_events(&bytes)?, profile(&file)?.timeline.n_spans() as u64)?;
    Ok(output(figures, &file))
}

/// How many spans a trace of the generator has.
fn n_events(trace: &[u8]) -> Result<u64, String> {
    let text = std::str::from_utf8(trace).map_err(|error| format!("the trace is not text: {error}"))?;
    Ok(text.matches("\"ph\": \"X\"").count() as u64)
}

fn profile(bytes: &[u8]) -> Result<Profile, String> {
    read(bytes).map_err(|error| error.to_string())
}

fn converted(bytes: &[u8], format: Format) -> Result<Vec<u8>, String> {
    let profile = profile(bytes)?;
    let mut file = Vec::new();
    write(&profile, format, &WriteOptions::default(), &mut file).map_err(|error| error.to_string())?;
    Ok(file)
}
