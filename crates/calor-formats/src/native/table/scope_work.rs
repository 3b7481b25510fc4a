//! What a scope worked on: few rows have it, so it is written row by row.

use calor_model::{Profile, Work};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

pub(super) fn encode(encoder: &mut Encoder<'_>, work: &Work) {
    encoder.column([work.elements, work.bytes, work.flops]);
    encoder.count(work.backends.len());
    for &(name, calls) in &work.backends {
        encoder.strings("backend", [name]);
        encoder.varint(calls);
    }
    encoder.count(work.counters.len());
    for &(name, value) in &work.counters {
        encoder.strings("custom counter", [name]);
        encoder.signed(value);
    }
}

pub(super) fn decode(decoder: &mut Decoder<'_>, profile: &Profile) -> Result<Work, Error> {
    let elements = decoder.varint("elements")?;
    let bytes = decoder.varint("bytes worked on")?;
    let flops = decoder.varint("floating-point operations")?;
    let n_backends = decoder.count("backends", 2)?;
    let backends = decoder.rows(n_backends, |decoder| {
        Ok((decoder.string("backend", profile)?, decoder.varint("backend calls")?))
    })?;
    let n_counters = decoder.count("custom counters", 2)?;
    let counters = decoder.rows(n_counters, |decoder| {
        Ok((decoder.string("custom counter", profile)?, decoder.signed("custom counter value")?))
    })?;
    // Both lists are looked up by handle, which only works in this order.
    if !backends.is_sorted_by(|a, b| a.0 < b.0) || !counters.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(decoder.refuse(
            "work",
            "backends and counters in the order of their names",
            "another order",
        ));
    }
    Ok(Work { elements, bytes, flops, backends, counters })
}
