//! The heap in a few figures.

use calor_model::{HeapHistogram, HeapMode, Profile};

use crate::document::{Body, Section};
use crate::heap_facts::HeapFacts;
use crate::quantity::{bytes, counted, duration, estimated_bytes, percent};

pub(crate) fn section(profile: &Profile, heap: &HeapFacts) -> Section {
    let (totals, sum) = (&heap.totals, &heap.totals.sum);
    let mark = if totals.mode == HeapMode::Sampled { "~" } else { "" };
    let mut facts = vec![("watched", watched(heap))];
    let each = sum.allocated_bytes.checked_div(sum.allocated_count);
    let each = each.map(|each| format!(", {mark}{} each", bytes(each))).unwrap_or_default();
    facts.push((
        "allocated",
        format!(
            "{} in {mark}{}{each}",
            estimated_bytes(sum.allocated_bytes, sum.allocated_interval()),
            counted(sum.allocated_count, "allocation")
        ),
    ));
    if sum.temporary_count > 0 {
        let share = sum.temporary_count as f64 / sum.allocated_count.max(1) as f64;
        let allocations = counted(sum.temporary_count, "allocation");
        facts.push((
            "freed at once",
            format!("{mark}{} in {mark}{allocations} ({})", bytes(sum.temporary_bytes), percent(share)),
        ));
    }
    let at = totals.peak_at_nanos.map(|at| format!(" at {}", duration(at as f64))).unwrap_or_default();
    let interval = sum.peak_interval().filter(|_| sum.peak_bytes == totals.peak_bytes);
    facts.push(("peak", format!("{}{at}", estimated_bytes(totals.peak_bytes, interval))));
    facts.push(("not freed", not_freed(heap, mark)));
    let histograms = &profile.heap.histograms;
    if let Some((small, large)) = halves(&histograms.sizes) {
        let text = format!(
            "half of the allocations have at most {}, half of the bytes are in blocks of at least {}",
            bytes(small),
            bytes(large)
        );
        facts.push(("sizes", text));
    }
    if let Some(short) = at_most_half(&histograms.lifetimes) {
        let of =
            if histograms.are_lifetimes_sampled { "sampled blocks that were freed" } else { "freed blocks" };
        facts.push(("lifetimes", format!("half of the {of} lived at most {}", duration(short as f64))));
    }
    if let Some(residence) = &heap.residence {
        let text = format!(
            "{mark}{} beyond the heap at the end (of {}), {mark}{} when the heap was largest, {mark}{} at the start",
            bytes(residence.end.beyond_bytes()),
            bytes(residence.end.rss_bytes),
            bytes(residence.peak.beyond_bytes()),
            bytes(residence.start.beyond_bytes()),
        );
        facts.push(("memory", text));
    }
    let body = Body::Facts(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    Section::new("heap", "Heap", body)
}

fn watched(heap: &HeapFacts) -> String {
    let totals = &heap.totals;
    if totals.mode != HeapMode::Sampled {
        return "every allocation: figures are exact".to_owned();
    }
    let distance = totals.sampling_bytes.map(|distance| format!(" every {} in the mean", bytes(distance)));
    let samples = match totals.sum.samples {
        0 => String::new(),
        samples => format!(", {} in all", counted(samples, "sample")),
    };
    let said = if totals.sum.allocated_interval().is_some() {
        "figures are estimates, and ± is how far they may be off with 95 % certainty"
    } else {
        "figures are estimates"
    };
    format!("by samples{}{samples}: {said}", distance.unwrap_or_default())
}

fn not_freed(heap: &HeapFacts, mark: &str) -> String {
    let sum = &heap.totals.sum;
    let text = format!(
        "{} in {mark}{}",
        estimated_bytes(sum.live_bytes(), sum.live_interval()),
        counted(sum.live_count(), "block")
    );
    match heap.totals.leaked {
        None => text,
        Some(leaked) if leaked.bytes >= sum.live_bytes() => format!("{text}, held at the end of the program"),
        Some(leaked) => format!("{text}, {} of it held by processes when they ended", bytes(leaked.bytes)),
    }
}

/// The size that half of the blocks do not exceed, and the one that half of the bytes are in blocks of at least.
fn halves(sizes: &HeapHistogram) -> Option<(u64, u64)> {
    let half = sizes.total().bytes.div_ceil(2);
    let mut seen = 0_u64;
    let mut buckets: Vec<_> = sizes.iter().collect();
    buckets.reverse();
    let large = buckets.into_iter().find(|(_, blocks)| {
        seen = seen.saturating_add(blocks.bytes);
        seen >= half
    })?;
    Some((at_most_half(sizes)?, HeapHistogram::bounds(large.0).0))
}

/// The value that half of the blocks do not exceed: the end of its bucket.
fn at_most_half(histogram: &HeapHistogram) -> Option<u64> {
    let half = histogram.total().count.div_ceil(2);
    let mut seen = 0_u64;
    let (bucket, _) = histogram.iter().find(|(_, blocks)| {
        seen = seen.saturating_add(blocks.count);
        seen >= half
    })?;
    Some(HeapHistogram::bounds(bucket).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::HeapBlocks;

    #[test]
    fn most_blocks_are_small_and_most_bytes_in_large_ones() {
        let mut sizes = HeapHistogram::default();
        assert_eq!(halves(&sizes), None);
        sizes.record(16, HeapBlocks { count: 1000, bytes: 16_000 });
        sizes.record(100, HeapBlocks { count: 500, bytes: 50_000 });
        sizes.record(1 << 20, HeapBlocks { count: 3, bytes: 3 << 20 });
        assert_eq!(halves(&sizes), Some((31, 1 << 20)));
    }
}
