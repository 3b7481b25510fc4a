//! Sizes and lifetimes of blocks as a profile has them, and the clock that the library counts time by.

use calor_heap::Image;
use calor_model::{HeapBlocks, HeapHistograms};

use crate::perf::clock_nanos;

/// The steady clock at an instant of the processor's.
pub(super) fn nanos_of(image: &Image, ticks: u64) -> Option<u64> {
    let scale = nanos_per_tick(image)?;
    let ticks = ticks.checked_sub(image.region.started_ticks)?;
    Some(image.region.started_nanos + (ticks as f64 * scale) as u64)
}

fn nanos_per_tick(image: &Image) -> Option<f64> {
    let ticks = calor_paths::ticks().checked_sub(image.region.started_ticks)?;
    let nanos = clock_nanos().checked_sub(image.region.started_nanos)?;
    (ticks > 0).then(|| nanos as f64 / ticks as f64)
}

pub(super) fn histograms(image: &Image) -> HeapHistograms {
    let mut histograms = HeapHistograms { are_lifetimes_sampled: true, ..HeapHistograms::default() };
    for (bucket, &(count, bytes)) in (0..).zip(&image.sizes) {
        histograms.sizes.add_bucket(bucket, HeapBlocks { count, bytes });
    }
    let scale = nanos_per_tick(image).unwrap_or(1.0);
    for (bucket, &(count, bytes)) in image.lifetimes.iter().enumerate() {
        // The middle of the bucket stands for all in it.
        let ticks = if bucket == 0 { 0.0 } else { 0.75 * (1u64 << bucket) as f64 };
        histograms.lifetimes.record((ticks * scale) as u64, HeapBlocks { count, bytes });
    }
    histograms
}

/// What came between two looks.
pub(super) fn difference(now: &HeapHistograms, before: &HeapHistograms) -> HeapHistograms {
    let mut news = HeapHistograms { are_lifetimes_sampled: true, ..HeapHistograms::default() };
    for (new, now, before) in [
        (&mut news.sizes, &now.sizes, &before.sizes),
        (&mut news.lifetimes, &now.lifetimes, &before.lifetimes),
    ] {
        for (bucket, blocks) in now.iter() {
            let earlier =
                before.iter().find(|(other, _)| *other == bucket).map_or(HeapBlocks::default(), |it| it.1);
            new.add_bucket(
                bucket,
                HeapBlocks {
                    count: blocks.count.saturating_sub(earlier.count),
                    bytes: blocks.bytes.saturating_sub(earlier.bytes),
                },
            );
        }
    }
    news
}
