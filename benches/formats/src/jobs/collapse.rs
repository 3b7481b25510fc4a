//! The text of `perf script` to folded stacks.

use std::path::Path;

use calor_formats::{Format, WriteOptions, read_as, write};
use harness::Figures;
use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};

use super::{complete, folded_weight, output, timed};
use crate::inputs::Input;

/// Reads all of it, times, threads and modules too, and writes the stacks.
pub(crate) fn ours(input: Input, folder: &Path) -> Result<Figures, String> {
    let bytes = input.read(folder)?;
    let (figures, text) = timed(&bytes, |bytes| {
        let profile = read_as(bytes, Format::PerfScript).map_err(|error| error.to_string())?;
        let mut text = Vec::new();
        write(&profile, Format::Folded, &WriteOptions::default(), &mut text)
            .map_err(|error| error.to_string())?;
        Ok(text)
    })?;
    collapsed(figures, &bytes, &text)
}

/// Keeps the stacks alone.
pub(crate) fn inferno(input: Input, folder: &Path) -> Result<Figures, String> {
    let bytes = input.read(folder)?;
    let (figures, text) = timed(&bytes, |bytes| {
        let mut text = Vec::new();
        Folder::from(Options::default())
            .collapse(bytes, &mut text)
            .map_err(|error| format!("inferno: {error}"))?;
        Ok(text)
    })?;
    collapsed(figures, &bytes, &text)
}

/// Checks that every sample is there. An empty line ends each of them, and each says that it weighs a million.
fn collapsed(figures: Figures, script: &[u8], folded: &[u8]) -> Result<Figures, String> {
    let n_samples = script.windows(2).filter(|pair| pair == b"\n\n").count();
    complete("of weight", n_samples as u64 * 1_000_000, folded_weight(folded)?)?;
    let n_stacks = folded.iter().filter(|&&byte| byte == b'\n').count();
    Ok(output(figures, folded).with("stacks", n_stacks as f64))
}
