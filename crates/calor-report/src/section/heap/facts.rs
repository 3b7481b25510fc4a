//! The heap in a few figures.

use calor_analysis::quantity::{byte_rate, bytes, counted, duration, estimated_bytes, percent};
use calor_analysis::{GROWTH_SURE_NANOS, Growth, GrowthTrend, HeapAnswer, short_name};
use calor_model::{HeapHistogram, HeapMode, Profile, Recorder};

use super::{gaps, growth};
use crate::document::{Body, Section};

/// All figures.
pub(crate) fn section(profile: &Profile, heap: &HeapAnswer) -> Section {
    let mut facts = totals(profile, heap);
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
        let (of, mark) = match histograms.are_lifetimes_sampled {
            true => ("sampled blocks that were freed", "~"),
            false => ("freed blocks", ""),
        };
        facts.push(("lifetimes", format!("half of the {of} lived at most {mark}{}", duration(short as f64))));
    }
    if let Some(residence) = &heap.residence {
        let mark = mark(heap);
        let text = format!(
            "{} when last looked at (RSS), {mark}{} of it beyond the heap: code, stacks, what the allocator keeps, and Calor's \
             own tables; {mark}{} when the heap was largest, {mark}{} at the start",
            bytes(residence.end.rss_bytes),
            bytes(residence.end.beyond_bytes()),
            bytes(residence.peak.beyond_bytes()),
            bytes(residence.start.beyond_bytes()),
        );
        facts.push(("memory", text));
    }
    of(facts)
}

/// Those that say how it is, each in a line if there is room.
pub(crate) fn short(profile: &Profile, heap: &HeapAnswer) -> Section {
    let mut facts = totals(profile, heap);
    // How it was watched stands in the title.
    facts.remove(0);
    facts.push(("growing", growing(profile, &heap.growth)));
    if let Some(residence) = &heap.residence {
        let (all, beyond) = (bytes(residence.end.rss_bytes), bytes(residence.end.beyond_bytes()));
        facts.push((
            "memory",
            format!("{all} when last looked at (RSS), {}{beyond} of it beyond the heap", mark(heap)),
        ));
    }
    Section { title: title(profile, heap), ..of(facts) }
}

/// How it was watched and how sure figures are, which a page has to say that has one list alone: in a terminal in a line.
pub(crate) fn heading(profile: &Profile, heap: &HeapAnswer, is_in_terminal: bool) -> Section {
    match is_in_terminal {
        true => Section::new("heap", title(profile, heap), Body::Lines(Vec::new())),
        false => of(vec![("watched", watched(profile, heap))]),
    }
}

fn title(profile: &Profile, heap: &HeapAnswer) -> String {
    format!("Heap, {}", watched_in_short(profile, heap))
}

fn of(facts: Vec<(&'static str, String)>) -> Section {
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value));
    Section::new("heap", "Heap", Body::Facts(facts.collect()))
}

/// What stands before an estimate.
fn mark(heap: &HeapAnswer) -> &'static str {
    if heap.totals.mode == HeapMode::Sampled { "~" } else { "" }
}

fn totals(profile: &Profile, heap: &HeapAnswer) -> Vec<(&'static str, String)> {
    let (totals, sum, mark) = (&heap.totals, &heap.totals.sum, mark(heap));
    let mut facts = vec![("watched", watched(profile, heap))];
    if !totals.has_sums() {
        facts.push(("allocated", "too little for a sample".to_owned()));
        facts.push(("peak", format!("{mark}{}", bytes(totals.peak_bytes))));
        return facts;
    }
    if sum.allocated_count == 0 {
        facts.push(("allocated", "nothing was allocated while it was watched".to_owned()));
        return facts;
    }
    let each = sum.allocated_bytes / sum.allocated_count;
    facts.push((
        "allocated",
        format!(
            "{} in {mark}{}, {mark}{} each",
            size(sum.allocated_bytes, sum.allocated_interval(), mark),
            counted(sum.allocated_count, "allocation"),
            bytes(each)
        ),
    ));
    let at = totals.peak_at_nanos.map(|at| format!(" at {}", duration(at as f64))).unwrap_or_default();
    let interval = sum.peak_interval().filter(|_| sum.peak_bytes == totals.peak_bytes);
    let peak = size(totals.peak_bytes, interval, mark);
    // Recorders count all bytes to find the peak, also where they take samples of who holds them.
    let by_samples = match sum.peak_interval() {
        Some(interval) if sum.peak_bytes != totals.peak_bytes => {
            format!(", counted; by the samples {}", estimated_bytes(sum.peak_bytes, Some(interval)))
        }
        _ => String::new(),
    };
    // The recorder says so where the peaks of several were at different moments.
    let is_of_one = profile.warnings.iter().any(|warning| warning.code == "heap_peak_of_one");
    let of = if is_of_one { ", of the largest process" } else { "" };
    facts.push(("peak", format!("{peak}{at}{of}{by_samples}")));
    facts.push(("not freed", not_freed(heap)));
    if sum.temporary_count > 0 {
        let share = percent(sum.temporary_count as f64 / sum.allocated_count as f64);
        let blocks = counted(sum.temporary_count, "block");
        let size = bytes(sum.temporary_bytes);
        facts.push((
            "temporary",
            format!("{mark}{size} in {mark}{blocks} ({share}), freed by the next event"),
        ));
    }
    if heap.mapped.allocated_count > 0 {
        let mapped = &heap.mapped;
        facts.push((
            "mapped",
            format!(
                "{} of all that in {mark}{} of its own (mmap), {mark}{} of the peak",
                size(mapped.allocated_bytes, mapped.allocated_interval(), mark),
                counted(mapped.allocated_count, "mapping"),
                bytes(mapped.peak_bytes)
            ),
        ));
    }
    facts
}

/// A size, which may be an estimate without an interval.
fn size(estimate: u64, interval: Option<[u64; 2]>, mark: &str) -> String {
    match interval {
        None => format!("{mark}{}", bytes(estimate)),
        interval => estimated_bytes(estimate, interval),
    }
}

/// What of a program the recorder of its heap saw.
enum Watched {
    /// Every way to memory, from outside.
    Mappings,
    /// What goes through the allocator that the program is built with.
    Allocator,
    /// Allocations, by a recorder that says no more.
    Allocations,
}

impl Watched {
    fn of(profile: &Profile, heap: &HeapAnswer) -> Self {
        let has = |recorder| profile.runs.iter().any(|run| run.recorders.contains(&recorder));
        match (has(Recorder::Cpu), has(Recorder::Scopes)) {
            _ if heap.mapped.allocated_count > 0 => Self::Mappings,
            (true, false) if has(Recorder::Heap) => Self::Mappings,
            (false, true) => Self::Allocator,
            // Memory over time beside the heap is looked at from outside, if not by the program itself.
            (false, false) if heap.residence.is_some() => Self::Mappings,
            _ => Self::Allocations,
        }
    }

    fn exactly(self) -> &'static str {
        match self {
            Self::Mappings => "every allocation and mapping (mmap)",
            Self::Allocator => "every allocation by calor::Alloc",
            Self::Allocations => "every allocation",
        }
    }

    fn by_samples(self) -> &'static str {
        match self {
            Self::Mappings => "by samples of allocations and mappings (mmap)",
            Self::Allocator => "by samples of allocations by calor::Alloc",
            Self::Allocations => "by samples",
        }
    }
}

/// What is said of figures that lack a part.
const CUT: &str = "but the recording is cut off";

fn watched(profile: &Profile, heap: &HeapAnswer) -> String {
    let totals = &heap.totals;
    let seen = Watched::of(profile, heap);
    if totals.mode != HeapMode::Sampled {
        return match gaps::is_cut(profile) {
            true => format!("{}, {CUT}", seen.exactly()),
            false => format!("{}: figures are exact", seen.exactly()),
        };
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
    let cut = if gaps::is_cut(profile) { format!(", {CUT}") } else { String::new() };
    format!("{}{}{samples}: {said}{cut}", seen.by_samples(), distance.unwrap_or_default())
}

fn watched_in_short(profile: &Profile, heap: &HeapAnswer) -> String {
    let distance =
        heap.totals.sampling_bytes.map(|distance| format!(" every {} in the mean", bytes(distance)));
    match heap.totals.mode {
        HeapMode::Sampled => {
            let cut = if gaps::is_cut(profile) { CUT } else { "± with 95 % certainty" };
            format!("by samples{}: estimates, {cut}", distance.unwrap_or_default())
        }
        _ => watched(profile, heap),
    }
}

fn not_freed(heap: &HeapAnswer) -> String {
    let (sum, mark) = (&heap.totals.sum, mark(heap));
    let text = format!(
        "{} in {mark}{}{}",
        size(sum.live_bytes(), sum.live_interval(), mark),
        counted(sum.live_count(), "block"),
        unseen_at_most(heap)
    );
    match heap.leaks.not_of_the_end() {
        None => format!("{text}; the program was not seen to end by itself"),
        Some(0) => format!("{text} when the program ended"),
        Some(others) => {
            let ended = bytes(heap.totals.leaked.unwrap_or_default().bytes);
            format!(
                "{text}: {mark}{ended} when processes ended, {mark}{} by others, which became another program (exec), \
                 were killed or go on",
                bytes(others)
            )
        }
    }
}

/// Where no sample was left, how much may be: samples are a Poisson process over bytes, which with 95 % certainty does not
/// leave out more than three of its distances (the rule of three).
pub(super) fn unseen_at_most(heap: &HeapAnswer) -> String {
    let totals = &heap.totals;
    match totals.sampling_bytes {
        Some(distance) if totals.mode == HeapMode::Sampled && totals.sum.live_bytes() == 0 => {
            format!(" (at most {}, with 95 % certainty)", bytes(distance.saturating_mul(3)))
        }
        _ => String::new(),
    }
}

fn growing(profile: &Profile, growth: &Growth) -> String {
    let Growth::Measured { span_nanos, paths, .. } = growth else { return growth::too_little(growth) };
    let over = format!("over {}", duration(*span_nanos as f64));
    let of = |trend| paths.iter().filter(move |row| row.trend == trend);
    let n_of = |trend| of(trend).count() as u64;
    let slowing = match n_of(GrowthTrend::Slowing) {
        0 => String::new(),
        n => format!(", {} slowing down", counted(n, "place")),
    };
    let first = of(GrowthTrend::Steady).next().and_then(|row| Some((row.stack?, row.slope.slope)));
    let Some((stack, slope)) = first else { return format!("nothing steadily {over}{slowing}") };
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let name = short_name(frame.kind, profile.strings.get(frame.name));
    let first = format!("`{name}` by {}", byte_rate(slope));
    let start = if *span_nanos < GROWTH_SURE_NANOS { ", maybe its start" } else { "" };
    match n_of(GrowthTrend::Steady) {
        1 => format!("{first}, steadily {over}{start}{slowing}"),
        n => format!("{} steadily {over}{start}, most {first}{slowing}", counted(n, "place")),
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
