//! A profile to folded stacks: the self values of one metric, threads added up.

use std::io::{BufWriter, Write};

use calor_model::Profile;

use super::lines::Lines;
use crate::{Error, Metric, WriteOptions, weights};

/// How much is handed over at once: a line of a deep path is hundreds of bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes the call paths that have a value of their own, sorted by name: by the outermost first.
///
/// # Errors
/// When the profile does not have the metric that was asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let weights = weights(profile, Metric::choose(options.metric, profile)?);
    let lines = Lines::new(&weights)?;
    drop(weights);
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    lines.write(&mut out)?;
    out.flush()?;
    Ok(())
}
