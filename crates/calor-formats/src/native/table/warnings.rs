//! What the profile could not see.

use calor_model::{Profile, Warning};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a warning takes at least.
const WARNING_BYTES: usize = 3;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let mut warnings = encoder.profile.warnings.clone();
    if encoder.n_spreads_dropped > 0 {
        let message = "the spread of some durations was not a number and was written as 0";
        warnings.push(Warning::counted("spread_unknown", message, encoder.n_spreads_dropped));
    }
    encoder.count(warnings.len());
    for warning in warnings {
        encoder.text(&warning.code);
        encoder.text(&warning.message);
        encoder.optional(warning.count);
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("warnings", WARNING_BYTES)?;
    let mut warnings = decoder.rows(n_rows, |decoder| {
        Ok(Warning {
            code: decoder.text("warning code")?.to_owned(),
            message: decoder.text("warning message")?.to_owned(),
            count: decoder.optional("warning count")?,
        })
    })?;
    // Reading the other sections may have brought warnings of its own.
    warnings.append(&mut profile.warnings);
    warnings.sort();
    warnings.dedup_by(|next, kept| {
        let is_same = next.code == kept.code && next.message == kept.message;
        if is_same && let Some(more) = next.count {
            kept.count = Some(kept.count.unwrap_or(0).saturating_add(more));
        }
        is_same
    });
    profile.warnings = warnings;
    Ok(())
}
