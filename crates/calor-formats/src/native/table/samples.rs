//! The sample table. The instant of a sample is written for the rows that have one, as the distance from the
//! instant before.

use calor_model::{LabelSetId, Profile, SampleKey, SampleKind, SampleWeight, ThreadId};

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
    let n_instants = kinds.iter().filter(|&&kind| kind & HAS_INSTANT != 0).count();
    let mut stacks = decoder.integers("sample stack", n_rows)?;
    let mut threads = decoder.integers("sample thread", n_rows)?;
    let mut labels = decoder.integers("sample labels", n_rows)?;
    let mut instants = decoder.integers("sample times", n_instants)?;
    let mut counts = decoder.integers("sample counts", n_rows)?;
    let mut nanos = decoder.integers("sample weights", n_rows)?;
    let (n_stacks, n_threads) = (profile.stacks.len(), profile.threads.len());
    let n_labels = profile.labels.len();
    let (mut stack, mut instant, mut n_unknown) = (0, 0_u64, 0);
    profile.samples.reserve(n_rows);
    // All columns at once: none of them is held apart from its bytes.
    for (row, &code) in kinds.iter().enumerate() {
        let stack = stacks.stack_after("sample stack", &mut stack, n_stacks)?;
        let thread = ThreadId::from_index(threads.index("sample thread", n_threads)?);
        let labels = LabelSetId::from_index(labels.index("sample labels", n_labels)?);
        let at_nanos = if code & HAS_INSTANT == 0 {
            None
        } else {
            instant = instant.wrapping_add_signed(instants.signed("sample times")?);
            Some(instant)
        };
        let weight =
            SampleWeight { count: counts.varint("sample counts")?, nanos: nanos.varint("sample weights")? };
        let Some(&kind) = KINDS.get(usize::from(code & !HAS_INSTANT)) else {
            n_unknown += 1;
            continue;
        };
        let key = SampleKey { kind, stack, thread, labels, at_nanos };
        if !profile.samples.insert(key, weight) {
            return Err(decoder.refuse("samples", "every row once", format!("row {row} again")));
        }
    }
    warn_of_unknown(profile, "kinds of samples", n_unknown);
    Ok(())
}
