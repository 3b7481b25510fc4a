//! The time of GPUs by scope.

use calor_model::{GpuScopeKey, GpuWork, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 4;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let scopes = &encoder.profile.gpu.scopes;
    encoder.count(scopes.len());
    encoder.stacks("GPU scope stack", scopes.keys().map(|key| key.stack));
    encoder.label_sets("GPU scope labels", scopes.keys().map(|key| key.labels));
    encoder.column(scopes.values().map(|work| work.count));
    encoder.column(scopes.values().map(|work| work.nanos));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("GPU scopes", ROW_BYTES)?;
    let stacks = decoder.stacks("GPU scope stack", n_rows, profile)?;
    let labels = decoder.rows(n_rows, |decoder| decoder.label_set("GPU scope labels", profile))?;
    let counts = decoder.column("GPU work of scopes", n_rows)?;
    let nanos = decoder.column("GPU time of scopes", n_rows)?;
    for row in 0..n_rows {
        let key = GpuScopeKey { stack: stacks[row], labels: labels[row] };
        let work = GpuWork { count: counts[row], nanos: nanos[row] };
        if profile.gpu.scopes.insert(key, work).is_some() {
            return Err(decoder.refuse("GPU scopes", "every row once", format!("row {row} again")));
        }
    }
    Ok(())
}
