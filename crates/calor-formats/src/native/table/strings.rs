//! The string table: all lengths, then all text.

use calor_model::Profile;

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let strings = &encoder.profile.strings;
    encoder.count(strings.len());
    encoder.column(strings.iter().map(|(_, text)| text.len() as u64));
    for (_, text) in strings.iter() {
        encoder.bytes(text.as_bytes());
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("strings", 1)?;
    let lengths = decoder.column("string lengths", n_rows)?;
    for (index, length) in lengths.into_iter().enumerate() {
        let n_bytes = usize::try_from(length)
            .map_err(|_| decoder.refuse("string length", "a length in memory", length.to_string()))?;
        let text = decoder.utf8("string", n_bytes)?;
        if profile.strings.intern(text).index() != index {
            return Err(decoder.refuse("strings", "every string once", format!("row {index} again")));
        }
    }
    Ok(())
}
