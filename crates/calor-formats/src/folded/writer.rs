//! A profile to folded stacks: the self values of one metric, threads added up.

use std::io::{BufWriter, Write};

use calor_model::Profile;

use super::name;
use crate::{Error, Metric, WriteOptions, weights};

/// Writes the call paths that have a value of their own, sorted by name.
///
/// # Errors
/// When the profile does not have the metric that was asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let weights = weights(profile, Metric::choose(options.metric, profile)?);
    let mut pieces: Vec<Vec<u8>> = Vec::with_capacity(weights.frames.len());
    for (_, frame) in weights.frames.iter() {
        let mut piece = Vec::new();
        name::write(frame, &weights.strings, &mut piece)?;
        pieces.push(piece);
    }
    let mut lines: Vec<(Vec<u8>, u64)> = Vec::new();
    let mut before = None;
    for row in weights.rows.iter().filter(|row| row.value > 0) {
        // Rows are sorted by path: those of one path, which differ in the thread, follow each other.
        if before == Some(row.stack)
            && let Some((_, value)) = lines.last_mut()
        {
            *value = value.saturating_add(row.value);
            continue;
        }
        before = Some(row.stack);
        let path = weights.stacks.path(row.stack);
        let names: Vec<&[u8]> = path.into_iter().map(|frame| pieces[frame.index()].as_slice()).collect();
        lines.push((names.join(&b';'), row.value));
    }
    lines.sort_unstable();
    let mut out = BufWriter::new(out);
    let mut lines = lines.into_iter().peekable();
    while let Some((names, mut value)) = lines.next() {
        // Paths that differ in what a line does not show, such as the module, are one line.
        while let Some((_, more)) = lines.next_if(|(next, _)| *next == names) {
            value = value.saturating_add(more);
        }
        out.write_all(&names)?;
        writeln!(out, " {value}")?;
    }
    out.flush()?;
    Ok(())
}
