//! The scope table. What most rows do not have (an estimate, open calls, work, memory, futures) is announced
//! by a bit of the row's flags and written only for the rows that have it.

use calor_model::{FutureStats, Profile, ScopeKey, ScopeMemory, ScopeStats};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::{durations, scope_work};
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 5 + durations::ROW_BYTES;

/// The bits of a row's flags.
mod flag {
    pub(super) const ESTIMATED: u8 = 1;
    pub(super) const OPEN: u8 = 2;
    pub(super) const WORK: u8 = 4;
    pub(super) const MEMORY: u8 = 8;
    pub(super) const FUTURE: u8 = 16;
}

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let scopes = &encoder.profile.scopes;
    let rows = || scopes.iter().map(|(_, stats)| stats);
    let with = |bit: u8| rows().filter(move |stats| flags_of(stats) & bit != 0);
    encoder.count(scopes.len());
    encoder.stacks("scope stack", scopes.iter().map(|(key, _)| key.stack));
    encoder.threads("scope thread", scopes.iter().map(|(key, _)| key.thread));
    encoder.label_sets("scope labels", scopes.iter().map(|(key, _)| key.labels));
    for stats in rows() {
        encoder.byte(flags_of(stats));
    }
    for stats in rows() {
        encoder.signed(stats.calls.wrapping_sub(stats.timed.count) as i64);
    }
    let timed: Vec<_> = rows().map(|stats| &stats.timed).collect();
    durations::encode(encoder, timed.iter().copied());

    encoder.column(with(flag::ESTIMATED).map(|stats| stats.total_nanos));
    for stats in with(flag::ESTIMATED) {
        encoder.spread(stats.total_variance);
    }
    for stats in with(flag::OPEN) {
        encoder.signed(stats.open_calls);
        encoder.signed(stats.open_nanos);
    }
    for stats in with(flag::WORK) {
        scope_work::encode(encoder, &stats.work);
    }
    for memory in rows().filter_map(|stats| stats.memory) {
        encoder.column([memory.allocated_bytes, memory.allocated_count, memory.freed_bytes]);
        encoder.column([memory.freed_count, memory.peak_bytes]);
    }
    let futures: Vec<_> = rows().filter_map(|stats| stats.future.as_deref()).collect();
    encoder.column(futures.iter().map(|future| future.cancelled));
    durations::encode(encoder, futures.iter().map(|future| &future.wall));
}

fn flags_of(stats: &ScopeStats) -> u8 {
    let is_estimated = stats.total_nanos != stats.timed.total_nanos || stats.total_variance.to_bits() != 0;
    let is_open = stats.open_calls != 0 || stats.open_nanos != 0;
    [
        (flag::ESTIMATED, is_estimated),
        (flag::OPEN, is_open),
        (flag::WORK, !stats.work.is_empty()),
        (flag::MEMORY, stats.memory.is_some()),
        (flag::FUTURE, stats.future.is_some()),
    ]
    .into_iter()
    .fold(0, |flags, (bit, is_set)| if is_set { flags | bit } else { flags })
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("scopes", ROW_BYTES)?;
    let stacks = decoder.stacks("scope stack", n_rows, profile)?;
    let threads = decoder.rows(n_rows, |decoder| decoder.thread("scope thread", profile))?;
    let labels = decoder.rows(n_rows, |decoder| decoder.label_set("scope labels", profile))?;
    let flags = decoder.bytes("scope flags", n_rows)?;
    let untimed = decoder.rows(n_rows, |decoder| decoder.signed("scope calls"))?;
    let mut rows: Vec<ScopeStats> = durations::decode(decoder, n_rows)?
        .into_iter()
        .zip(untimed)
        .map(|(timed, untimed)| ScopeStats {
            calls: timed.count.wrapping_add_signed(untimed),
            total_nanos: timed.total_nanos,
            timed,
            ..ScopeStats::default()
        })
        .collect();
    decode_flagged(decoder, profile, flags, &mut rows)?;
    for (row, stats) in rows.into_iter().enumerate() {
        let key = ScopeKey { stack: stacks[row], thread: threads[row], labels: labels[row] };
        profile.scopes.add(key, stats);
        if profile.scopes.len() != row + 1 {
            return Err(decoder.refuse("scopes", "every row once", format!("row {row} again")));
        }
    }
    Ok(())
}

/// The columns that only some rows have.
fn decode_flagged(
    decoder: &mut Decoder<'_>,
    profile: &Profile,
    flags: &[u8],
    rows: &mut [ScopeStats],
) -> Result<(), Error> {
    let with = |bit: u8| (0..flags.len()).filter(move |&row| flags[row] & bit != 0);
    for row in with(flag::ESTIMATED) {
        rows[row].total_nanos = decoder.varint("scope total")?;
    }
    for row in with(flag::ESTIMATED) {
        rows[row].total_variance = decoder.spread("variance of the total")?;
    }
    for row in with(flag::OPEN) {
        rows[row].open_calls = decoder.signed("open calls")?;
        rows[row].open_nanos = decoder.signed("time of open calls")?;
    }
    for row in with(flag::WORK) {
        rows[row].work = scope_work::decode(decoder, profile)?;
    }
    for row in with(flag::MEMORY) {
        rows[row].memory = Some(ScopeMemory {
            allocated_bytes: decoder.varint("bytes allocated")?,
            allocated_count: decoder.varint("allocations")?,
            freed_bytes: decoder.varint("bytes freed")?,
            freed_count: decoder.varint("frees")?,
            peak_bytes: decoder.varint("peak bytes")?,
        });
    }
    let n_futures = with(flag::FUTURE).count();
    let cancelled = decoder.column("cancelled futures", n_futures)?;
    let walls = durations::decode(decoder, n_futures)?;
    for (row, (cancelled, wall)) in with(flag::FUTURE).zip(cancelled.into_iter().zip(walls)) {
        rows[row].future = Some(Box::new(FutureStats { wall, cancelled }));
    }
    Ok(())
}
