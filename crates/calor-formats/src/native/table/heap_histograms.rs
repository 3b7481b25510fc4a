//! How large blocks were and how long they lived: two histograms by powers of two.

use calor_model::{HeapBlocks, HeapHistogram, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a bucket takes.
const BUCKET_BYTES: usize = 3;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let histograms = &encoder.profile.heap.histograms;
    encoder.byte(u8::from(histograms.are_lifetimes_sampled));
    for histogram in [&histograms.sizes, &histograms.lifetimes] {
        encoder.count(histogram.iter().len());
        histogram.iter().for_each(|(bucket, _)| encoder.byte(bucket));
        encoder.column(histogram.iter().map(|(_, blocks)| blocks.count));
        encoder.column(histogram.iter().map(|(_, blocks)| blocks.bytes));
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let histograms = &mut profile.heap.histograms;
    histograms.are_lifetimes_sampled = match decoder.byte("whether lifetimes are sampled")? {
        0 => false,
        1 => true,
        other => {
            return Err(decoder.refuse("whether lifetimes are sampled", "0 or 1", other.to_string()));
        }
    };
    for histogram in [&mut histograms.sizes, &mut histograms.lifetimes] {
        *histogram = decode_histogram(decoder)?;
    }
    Ok(())
}

fn decode_histogram(decoder: &mut Decoder<'_>) -> Result<HeapHistogram, Error> {
    let n_buckets = decoder.count("buckets of the heap", BUCKET_BYTES)?;
    let buckets = decoder.bytes("buckets of the heap", n_buckets)?;
    if !buckets.is_sorted_by(|a, b| a < b) || buckets.last().is_some_and(|last| *last > HeapHistogram::LAST) {
        let expected = format!("ascending numbers of at most {}", HeapHistogram::LAST);
        return Err(decoder.refuse("buckets of the heap", expected, format!("{buckets:?}")));
    }
    let counts = decoder.column("blocks of a bucket", n_buckets)?;
    let bytes = decoder.column("bytes of a bucket", n_buckets)?;
    let mut histogram = HeapHistogram::default();
    for ((bucket, count), bytes) in buckets.iter().zip(counts).zip(bytes) {
        histogram.add_bucket(*bucket, HeapBlocks { count, bytes });
    }
    Ok(histogram)
}
