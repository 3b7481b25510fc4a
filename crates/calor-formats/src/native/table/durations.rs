//! Statistics of durations, wherever a table has them: the exact figures as columns, then all histograms,
//! whose buckets are written as the distance from the one before.

use calor_model::DurationStats;

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a row takes at least.
pub(super) const ROW_BYTES: usize = 6;

pub(super) fn encode<'a>(encoder: &mut Encoder<'_>, rows: impl Iterator<Item = &'a DurationStats> + Clone) {
    encoder.column(rows.clone().map(|row| row.count));
    encoder.column(rows.clone().map(|row| row.total_nanos));
    encoder.column(rows.clone().map(|row| row.min_nanos));
    for row in rows.clone() {
        encoder.signed(row.max_nanos.wrapping_sub(row.min_nanos) as i64);
    }
    for row in rows.clone() {
        encoder.spread(row.squared_deviations);
    }
    encoder.column(rows.clone().map(|row| row.histogram().buckets().len() as u64));
    for row in rows.clone() {
        let mut next = 0;
        for &(bucket, _) in row.histogram().buckets() {
            encoder.varint(u64::from(bucket) - next);
            next = u64::from(bucket) + 1;
        }
    }
    for row in rows {
        encoder.column(row.histogram().buckets().iter().map(|&(_, count)| count));
    }
}

pub(super) fn decode(decoder: &mut Decoder<'_>, n_rows: usize) -> Result<Vec<DurationStats>, Error> {
    let counts = decoder.column("timed calls", n_rows)?;
    let totals = decoder.column("total time", n_rows)?;
    let shortest = decoder.column("shortest time", n_rows)?;
    let ranges = decoder.rows(n_rows, |decoder| decoder.signed("longest time"))?;
    let spreads = decoder.rows(n_rows, |decoder| decoder.spread("spread of times"))?;
    let lengths = decoder.rows(n_rows, |decoder| decoder.count("histogram buckets", 2))?;
    let n_buckets = lengths.iter().fold(0, |sum: usize, length| sum.saturating_add(*length));
    let mut buckets = decoder.integers("histogram bucket", n_buckets)?;
    let mut bucket_counts = decoder.integers("histogram count", n_buckets)?;
    let mut rows = Vec::with_capacity(n_rows);
    for (row, length) in lengths.into_iter().enumerate() {
        // The histogram is private to the statistics, which is why they are filled in and not built.
        let mut stats = DurationStats::default();
        stats.count = counts[row];
        stats.total_nanos = totals[row];
        stats.min_nanos = shortest[row];
        stats.max_nanos = shortest[row].wrapping_add_signed(ranges[row]);
        stats.squared_deviations = spreads[row];
        stats.reserve_histogram(length);
        let mut next = 0;
        for _ in 0..length {
            let bucket = histogram_bucket(&mut buckets, next)?;
            next = u64::from(bucket) + 1;
            let count = bucket_counts.varint("histogram count")?;
            if count == 0 {
                return Err(bucket_counts.refuse("histogram count", "a bucket that holds something", "0"));
            }
            stats.add_histogram_bucket(bucket, count);
        }
        rows.push(stats);
    }
    Ok(rows)
}

/// A bucket, written as the distance from `next`, the first that it can be.
#[inline]
fn histogram_bucket(decoder: &mut Decoder<'_>, next: u64) -> Result<u32, Error> {
    let distance = decoder.varint("histogram bucket")?;
    let bucket = next.checked_add(distance).and_then(|bucket| u32::try_from(bucket).ok());
    bucket.ok_or_else(|| {
        let found = format!("{next} + {distance}");
        decoder.refuse("histogram bucket", "a number of 32 bits", found)
    })
}
