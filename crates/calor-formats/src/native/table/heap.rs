//! The heap table: the heap as a whole, one row for each call path that allocated, then how sure estimates are.

use calor_model::{HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSummary, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::warn_of_unknown;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 11;

/// How the heap was watched, as one byte.
mod mode {
    pub(super) const NOT_WATCHED: u8 = 0;
    pub(super) const EXACT: u8 = 1;
    pub(super) const SAMPLED: u8 = 2;
}

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let heap = &encoder.profile.heap;
    match heap.summary {
        None => encoder.byte(mode::NOT_WATCHED),
        Some(summary) => {
            encoder.byte(if summary.mode == HeapMode::Exact { mode::EXACT } else { mode::SAMPLED });
            encoder.varint(summary.peak_bytes);
            encoder.optional(summary.peak_at_nanos);
        }
    }
    encoder.count(heap.len());
    encoder.stacks("heap stack", heap.iter().map(|(key, _)| key.stack));
    encoder.threads("heap thread", heap.iter().map(|(key, _)| key.thread));
    encoder.label_sets("heap labels", heap.iter().map(|(key, _)| key.labels));
    for figure in FIGURES {
        encoder.column(heap.iter().map(|(_, site)| *figure(&mut { *site })));
    }
    // An exact heap of which no more is known looks as it did in version 1.0.
    let has_estimates =
        heap.iter().any(|(_, site)| site.samples != 0 || variances(site).map(f64::to_bits) != [0; 3]);
    let has_ending = heap.summary.is_some_and(|heap| heap.leaked.is_some() || heap.sampling_bytes.is_some());
    if has_estimates || has_ending {
        encode_addition(encoder);
    }
}

/// What version 1.3 added behind the columns.
fn encode_addition(encoder: &mut Encoder<'_>) {
    let heap = &encoder.profile.heap;
    let leaked = heap.summary.and_then(|heap| heap.leaked);
    encoder.optional(leaked.map(|leaked| leaked.bytes));
    encoder.optional(leaked.map(|leaked| leaked.count));
    encoder.optional(heap.summary.and_then(|heap| heap.sampling_bytes));
    encoder.column(heap.iter().map(|(_, site)| site.samples));
    for variance in 0..3 {
        heap.iter().for_each(|(_, site)| encoder.spread(variances(site)[variance]));
    }
}

fn variances(site: &HeapSite) -> [f64; 3] {
    [site.allocated_variance, site.live_variance, site.peak_variance]
}

/// The figures of a row, in the order of their columns.
const FIGURES: [fn(&mut HeapSite) -> &mut u64; 8] = [
    |site| &mut site.allocated_bytes,
    |site| &mut site.allocated_count,
    |site| &mut site.freed_bytes,
    |site| &mut site.freed_count,
    |site| &mut site.peak_bytes,
    |site| &mut site.peak_count,
    |site| &mut site.temporary_count,
    |site| &mut site.temporary_bytes,
];

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    profile.heap.summary = decode_summary(decoder, profile)?;
    let n_rows = decoder.count("heap rows", ROW_BYTES)?;
    let stacks = decoder.stacks("heap stack", n_rows, profile)?;
    let threads = decoder.rows(n_rows, |decoder| decoder.thread("heap thread", profile))?;
    let labels = decoder.rows(n_rows, |decoder| decoder.label_set("heap labels", profile))?;
    let mut sites = vec![HeapSite::default(); n_rows];
    for figure in FIGURES {
        for site in &mut sites {
            *figure(site) = decoder.varint("heap figures")?;
        }
    }
    if !decoder.is_at_end() {
        decode_addition(decoder, profile, &mut sites)?;
    }
    for (row, site) in sites.iter().enumerate() {
        profile.heap.add(HeapKey { stack: stacks[row], thread: threads[row], labels: labels[row] }, site);
        if profile.heap.len() != row + 1 {
            return Err(decoder.refuse("heap rows", "every row once", format!("row {row} again")));
        }
    }
    Ok(())
}

fn decode_summary(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<Option<HeapSummary>, Error> {
    let mode = match decoder.byte("heap mode")? {
        mode::NOT_WATCHED => return Ok(None),
        mode::EXACT => HeapMode::Exact,
        mode::SAMPLED => HeapMode::Sampled,
        _ => {
            // Estimates are the lesser claim.
            warn_of_unknown(profile, "ways to watch a heap", 1);
            HeapMode::Sampled
        }
    };
    let peak_bytes = decoder.varint("peak of the heap")?;
    let peak_at_nanos = decoder.optional("time of the peak")?;
    Ok(Some(HeapSummary::new(mode, peak_bytes, peak_at_nanos)))
}

fn decode_addition(
    decoder: &mut Decoder<'_>,
    profile: &mut Profile,
    sites: &mut [HeapSite],
) -> Result<(), Error> {
    let bytes = decoder.optional("leaked bytes")?;
    let count = decoder.optional("leaked blocks")?;
    let sampling_bytes = decoder.optional("distance of samples")?;
    if let Some(summary) = &mut profile.heap.summary {
        summary.leaked = bytes.zip(count).map(|(bytes, count)| HeapBlocks { count, bytes });
        summary.sampling_bytes = sampling_bytes;
    }
    for site in &mut *sites {
        site.samples = decoder.varint("sampled allocations")?;
    }
    let variances: [fn(&mut HeapSite) -> &mut f64; 3] =
        [|site| &mut site.allocated_variance, |site| &mut site.live_variance, |site| &mut site.peak_variance];
    for variance in variances {
        for site in &mut *sites {
            *variance(site) = decoder.spread("variance of a heap figure")?;
        }
    }
    Ok(())
}
