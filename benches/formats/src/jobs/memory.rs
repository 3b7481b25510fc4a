//! How much memory a report takes, measured against the profile it is about.

use std::hint::black_box;
use std::path::Path;

use calor_analysis::findings::{Circumstances, judge};
use calor_report::Options;
use harness::Figures;
use harness::memory::{anonymous_bytes, peak_bytes, reset_peak, resident_bytes};

use super::megabytes;
use crate::inputs::Input;

/// Does what a command does: reads the file, makes the profile, drops the file, makes the text. The peak is told with
/// the bytes of the file, which are there while the profile is made, and without. The profile's size is by how much
/// memory has grown with the profile alone left. Memory that was freed but not returned would count for
/// it, so the growth by a second copy is measured as well, which finds nothing freed to fill.
pub(crate) fn measure(input: Input, folder: &Path) -> Result<Figures, String> {
    // The first reading makes its own buffers.
    anonymous_bytes()?;
    let (empty, resident) = (megabytes(anonymous_bytes()?), megabytes(resident_bytes()?));
    let bytes = input.read(folder)?;
    let input_mb = bytes.len() as f64 / 1e6;
    let profile = calor_formats::read(&bytes).map_err(|error| error.to_string())?;
    let reading = megabytes(peak_bytes()?) - resident;
    drop(bytes);
    reset_peak()?;
    let profile_mb = megabytes(anonymous_bytes()?) - empty;
    let findings = judge(&profile, &Circumstances::default().of_report()).findings;
    let options = Options { findings, ..Options::default() };
    let mut text = Vec::new();
    calor_report::render(&profile, &options, &mut text).map_err(|error| error.to_string())?;
    black_box(text);
    let reporting = megabytes(peak_bytes()?) - resident;
    let peak = reporting.max(reading - input_mb);
    let first_copy = black_box(profile.clone());
    let before = megabytes(anonymous_bytes()?);
    let second_copy = black_box(profile.clone());
    let copy_mb = megabytes(anonymous_bytes()?) - before;
    drop((first_copy, second_copy));
    Ok(Figures::default()
        .with("input_mb", input_mb)
        .with("peak_mb", peak)
        .with("with_file_mb", reporting.max(reading))
        .with("profile_mb", profile_mb)
        .with("copy_mb", copy_mb)
        .with("x_profile", peak / profile_mb)
        .with("x_copy", peak / copy_mb))
}
