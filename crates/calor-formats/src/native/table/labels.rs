//! The label table, without its first row, which is the empty set and always there.

use calor_model::Profile;

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// How many labels a set may have. Interning a set compares its labels with each other, so that a set of
/// millions would keep a reader busy for hours.
const MAX_LABELS: usize = 1024;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let sets = || encoder.profile.labels.iter().skip(1).map(|(_, set)| set);
    if let Some(found) = sets().map(<[_]>::len).find(|&found| found > MAX_LABELS) {
        return encoder.refuse(Error::TooManyLabels { found, limit: MAX_LABELS });
    }
    let labels = || encoder.profile.labels.iter().skip(1).flat_map(|(_, set)| set.iter().copied());
    let lengths: Vec<u64> = sets().map(|set| set.len() as u64).collect();
    let (keys, values): (Vec<_>, Vec<_>) = labels().unzip();
    encoder.count(lengths.len());
    encoder.column(lengths);
    encoder.strings("label key", keys);
    encoder.strings("label value", values);
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("label sets", 1)?;
    let lengths = decoder.rows(n_rows, |decoder| match decoder.varint("label set length")? {
        length if length <= MAX_LABELS as u64 => Ok(length as usize),
        length => {
            let expected = format!("at most {MAX_LABELS} labels in a set");
            Err(decoder.refuse("label set length", expected, length.to_string()))
        }
    })?;
    let n_labels = lengths.iter().sum();
    let keys = decoder.rows(n_labels, |decoder| decoder.string("label key", profile))?;
    let values = decoder.rows(n_labels, |decoder| decoder.string("label value", profile))?;
    let labels: Vec<_> = keys.into_iter().zip(values).collect();
    let mut rest = labels.as_slice();
    for (row, length) in lengths.into_iter().enumerate() {
        let (set, after) = rest.split_at(length);
        rest = after;
        if !set.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(decoder.refuse(
                "label set",
                "keys in ascending order",
                format!("others in row {row}"),
            ));
        }
        if profile.labels.intern(set).index() != row + 1 {
            return Err(decoder.refuse("label sets", "every set once", format!("row {row} again")));
        }
    }
    Ok(())
}
