//! The sample table. The instant of a sample is written for the rows that have one, as the distance from the
//! instant before.

use calor_model::{Profile, SampleKey, SampleKind, SampleWeight};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::warn_of_unknown;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 6;

/// The kinds, by their number in a file.
const KINDS: [SampleKind; 3] = [SampleKind::Cpu, SampleKind::OffCpu, SampleKind::Wall];

/// Set beside the kind when the instant is known.
const HAS_INSTANT: u8 = 0x80;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let samples = &encoder.profile.samples;
    let keys = || samples.iter().map(|(key, _)| key);
    encoder.count(samples.len());
    for key in keys() {
        let kind = KINDS.iter().position(|kind| *kind == key.kind).map_or(!HAS_INSTANT, |at| at as u8);
        encoder.byte(kind | if key.at_nanos.is_some() { HAS_INSTANT } else { 0 });
    }
    encoder.stacks("sample stack", keys().map(|key| key.stack));
    encoder.threads("sample thread", keys().map(|key| key.thread));
    encoder.label_sets("sample labels", keys().map(|key| key.labels));
    encoder.deltas(keys().filter_map(|key| key.at_nanos));
    encoder.column(samples.iter().map(|(_, weight)| weight.count));
    encoder.column(samples.iter().map(|(_, weight)| weight.nanos));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("samples", ROW_BYTES)?;
    let kinds = decoder.bytes("sample kinds", n_rows)?;
    let stacks = decoder.stacks("sample stack", n_rows, profile)?;
    let threads = decoder.rows(n_rows, |decoder| decoder.thread("sample thread", profile))?;
    let labels = decoder.rows(n_rows, |decoder| decoder.label_set("sample labels", profile))?;
    let n_instants = kinds.iter().filter(|&&kind| kind & HAS_INSTANT != 0).count();
    let mut instants = decoder.deltas("sample times", n_instants)?.into_iter();
    let counts = decoder.column("sample counts", n_rows)?;
    let nanos = decoder.column("sample weights", n_rows)?;
    let mut n_unknown = 0;
    for row in 0..n_rows {
        let at_nanos = if kinds[row] & HAS_INSTANT == 0 { None } else { instants.next() };
        let Some(&kind) = KINDS.get(usize::from(kinds[row] & !HAS_INSTANT)) else {
            n_unknown += 1;
            continue;
        };
        let key = SampleKey { kind, stack: stacks[row], thread: threads[row], labels: labels[row], at_nanos };
        let n_before = profile.samples.len();
        profile.samples.add(key, SampleWeight { count: counts[row], nanos: nanos[row] });
        if profile.samples.len() == n_before {
            return Err(decoder.refuse("samples", "every row once", format!("row {row} again")));
        }
    }
    warn_of_unknown(profile, "kinds of samples", n_unknown);
    Ok(())
}
