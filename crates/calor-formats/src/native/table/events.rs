//! Events by call path: one row for each counter, path, thread and set of labels.

use calor_model::{EventKey, EventWeight, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 6;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let events = &encoder.profile.events;
    encoder.count(events.len());
    encoder.strings("event name", events.iter().map(|(key, _)| key.name));
    encoder.stacks("event stack", events.iter().map(|(key, _)| key.stack));
    encoder.threads("event thread", events.iter().map(|(key, _)| key.thread));
    encoder.label_sets("event labels", events.iter().map(|(key, _)| key.labels));
    encoder.column(events.iter().map(|(_, weight)| weight.events));
    encoder.column(events.iter().map(|(_, weight)| weight.samples));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("event rows", ROW_BYTES)?;
    let names = decoder.rows(n_rows, |decoder| decoder.string("event name", profile))?;
    let stacks = decoder.stacks("event stack", n_rows, profile)?;
    let threads = decoder.rows(n_rows, |decoder| decoder.thread("event thread", profile))?;
    let labels = decoder.rows(n_rows, |decoder| decoder.label_set("event labels", profile))?;
    let events = decoder.column("events", n_rows)?;
    let samples = decoder.column("samples of events", n_rows)?;
    for row in 0..n_rows {
        let key =
            EventKey { name: names[row], stack: stacks[row], thread: threads[row], labels: labels[row] };
        profile.events.add(key, EventWeight { events: events[row], samples: samples[row] });
        if profile.events.len() != row + 1 {
            return Err(decoder.refuse("event rows", "every row once", format!("row {row} again")));
        }
    }
    Ok(())
}
