//! One place holds most of the heap when it is largest, in a way that costs more memory than it has to: as a spike that is
//! soon over, or in so many small blocks that pointers and the allocator's own bytes weigh as much as what they hold.

use calor_model::HEAP_LIVE;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HeapFacts, HeapPlace, Need, Outcome, Rule, Topic, Unit,
};

/// The part of the peak that one place has to hold.
const LEAST_SHARE: f64 = 0.5;
/// A smaller peak troubles nobody.
const LEAST_BYTES: u64 = 64 << 20;
/// A heap that is nearly as large as at its peak for no more of the time than this has a spike.
const SPIKE: f64 = 0.2;
/// What counts as nearly as large.
const NEARLY: f64 = 0.6;
/// Looks at the heap that are needed to tell a spike.
const LEAST_POINTS: usize = 20;
/// A place that allocates its peak so many times over comes to it again and again: no spike, however few looks met it.
const MOST_TURNS: u64 = 4;
/// Blocks of no more bytes each in the mean are small ones.
const SMALL_BYTES: f64 = 64.0;
/// What a block takes beside what it holds: its header, rounding, and the pointer to it.
const BESIDE_BYTES: (f64, f64) = (8.0, 32.0);
/// The part of a spike that goes if its work is done in pieces.
const REMOVED_OF_SPIKE: (f64, f64) = (0.4, 0.95);

pub(super) struct HeapHotspot;

const ABOUT: About<'_> = About {
    id: "HEAP-HOTSPOT",
    version: 1,
    topic: Topic::Heap,
    title: "one place holds most of the heap where it is largest",
    needs: &[Need::Heap],
    suppresses: &[],
};

impl Rule for HeapHotspot {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let Some(heap) = facts.heap() else { return Outcome::Fine };
        let most = heap.places.iter().max_by_key(|place| place.site.peak_bytes);
        let Some(most) = most.filter(|place| is_most(heap, place)) else { return Outcome::Fine };
        let found = small_blocks(facts, heap, most).or_else(|| spike(facts, heap, most));
        Outcome::of(found.into_iter().collect())
    }
}

fn is_most(heap: &HeapFacts, place: &HeapPlace) -> bool {
    place.site.peak_bytes >= LEAST_BYTES && heap.share_of_peak(&place.site).estimate >= LEAST_SHARE
}

fn finding(facts: &Facts<'_>, heap: &HeapFacts, found: &HeapPlace, how: &str, gain: Gain) -> Finding {
    let place = facts.program_place(found.stack);
    let share = heap.share_of_peak(&found.site);
    let title = format!(
        "`{}` holds {:.0} % of the heap at its peak of {:.0} MiB, {how}",
        place.function,
        100.0 * share.estimate,
        heap.totals.peak_bytes as f64 / f64::from(1 << 20)
    );
    let bytes = found.site.peak_bytes as f64;
    Finding::new(&ABOUT, title, place, gain)
        .with(Evidence::share("part of the peak", share).against(LEAST_SHARE))
        .with(Evidence::new("bytes at the peak", bytes, Unit::Bytes).against(LEAST_BYTES as f64))
}

fn small_blocks(facts: &Facts<'_>, heap: &HeapFacts, found: &HeapPlace) -> Option<Finding> {
    let count = found.site.peak_count;
    let mean = found.site.peak_bytes as f64 / count.max(1) as f64;
    if count == 0 || mean > SMALL_BYTES {
        return None;
    }
    let part = |beside: f64| (beside / (mean + beside)).min(0.9);
    let removed = (part(BESIDE_BYTES.0), part(BESIDE_BYTES.1));
    let reason = "if these values lie side by side, without a header, rounding and a pointer for each";
    let gain = Gain::memory(heap.share_of_peak(&found.site), removed, reason);
    Some(
        finding(facts, heap, found, &format!("in {count} small blocks"), gain)
            .because(
                "Every block has a header, is rounded up, and is known by a pointer: for blocks this small that is a good part \
                 of the memory. Blocks that lie apart are also slow to walk over.",
            )
            .with(Evidence::new("blocks at the peak", count as f64, Unit::Count))
            .with(Evidence::new("bytes of each in the mean", mean, Unit::Bytes).against(SMALL_BYTES))
            .fixed_by(
                Fix::new(
                    "Store the values in one block: a vector of values instead of boxes, an array of NumPy instead of a list of \
                     numbers, a class with __slots__, one text with offsets instead of a string for each.",
                )
                .with_code("prices = [float(x) for x in rows]", "prices = np.fromiter(rows, dtype=np.float64)"),
            ),
    )
}

fn spike(facts: &Facts<'_>, heap: &HeapFacts, found: &HeapPlace) -> Option<Finding> {
    let points = facts.profile().heap_points(HEAP_LIVE);
    let is_again = found.site.allocated_bytes >= found.site.peak_bytes.saturating_mul(MOST_TURNS);
    if points.len() < LEAST_POINTS || is_again {
        return None;
    }
    let peak = heap.totals.peak_bytes as f64;
    let is_near = |value: f64| value >= NEARLY * peak;
    let n_near = points.iter().filter(|point| is_near(point.value)).count();
    let part = n_near as f64 / points.len() as f64;
    // A heap that is largest at the end was filled, and may be what the program is for.
    let is_over = points.iter().rev().take(points.len() / 4).all(|point| !is_near(point.value));
    if part > SPIKE || !is_over {
        return None;
    }
    let reason = "if the work is done in pieces, or what is no longer needed is let go before";
    let gain = Gain::memory(heap.share_of_peak(&found.site), REMOVED_OF_SPIKE, reason);
    Some(
        finding(facts, heap, found, &format!("for {:.0} % of the time", 100.0 * part), gain)
            .because(
                "The heap is nearly this large for a small part of the run alone, yet a machine has to have the memory. What is \
                 held then by one place is often a whole file or a whole result, where a piece after the other would do.",
            )
            .with(Evidence::new("part of the time near the peak", part, Unit::Share).against(SPIKE))
            .fixed_by(
                Fix::new("Read, convert and write in pieces, and free the input before the next stage begins.").with_code(
                    "text = open(path).read()\nrows = [parse(line) for line in text.splitlines()]",
                    "with open(path) as lines:\n    rows = [parse(line) for line in lines]",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const MIB: u64 = 1 << 20;

    /// A place that holds so much of a peak of so many MiB in so many blocks, and what was held over time, of 1.
    fn draft(peak: u64, share: f64, count: u64, live: impl Fn(u64) -> f64) -> Draft {
        let held = (peak as f64 * share * MIB as f64) as u64;
        let site = |bytes, count| HeapSite {
            allocated_bytes: bytes,
            allocated_count: count,
            peak_bytes: bytes,
            peak_count: count,
            ..HeapSite::default()
        };
        Draft::new()
            .seconds(4.0)
            .heap(&["app::main@src/main.rs:3", "app::read@src/rows.rs:7"], site(held, count))
            .heap(&["app::main@src/main.rs:3"], site(peak * MIB - held, 1))
            .change(|profile| {
                for at in 0..40 {
                    let live = (live(at) * (peak * MIB) as f64) as u64;
                    profile.push_heap_point(at * 100_000_000, Some(live), Some(live + MIB));
                }
            })
    }

    fn judged(draft: Draft) -> Outcome {
        HeapHotspot.judge(&Facts::new(&draft.profile(), None))
    }

    const SPIKE_AT_TEN: fn(u64) -> f64 = |at| if (10..15).contains(&at) { 1.0 } else { 0.2 };
    const ALWAYS: fn(u64) -> f64 = |_| 1.0;

    #[test]
    fn a_spike_of_one_place_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(draft(100, 0.8, 3, SPIKE_AT_TEN)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/rows.rs:7"));
        assert!(finding.title.contains("80 % of the heap at its peak of 100 MiB"), "{}", finding.title);
        let (low, high) = finding.gain.memory.expect("memory");
        assert!(low > 1.4 && high < 4.5, "{:?}", finding.gain);
    }

    #[test]
    fn a_place_that_comes_to_its_peak_again_and_again_has_no_spike() {
        let turns = |times: u64| {
            draft(100, 0.8, 3, SPIKE_AT_TEN).change(move |profile| {
                let (key, mut site) =
                    profile.heap.iter().next().map(|(key, site)| (key, *site)).expect("one");
                site.allocated_bytes *= times - 1;
                (site.peak_bytes, site.peak_count) = (0, 0);
                profile.heap.add(key, &site);
            })
        };
        assert!(matches!(judged(turns(3)), Outcome::Findings(_)));
        assert_eq!(judged(turns(4)), Outcome::Fine);
    }

    #[test]
    fn many_small_blocks_are_found_whenever_they_are_held() {
        let Outcome::Findings(found) = judged(draft(100, 0.8, 2_000_000, ALWAYS)) else { panic!("found") };
        assert!(found[0].title.contains("2000000 small blocks"), "{}", found[0].title);
        let (low, high) = found[0].gain.memory.expect("memory");
        assert!(low > 1.1 && high < 1.8, "{:?}", found[0].gain);
    }

    #[test]
    fn what_is_held_all_the_time_until_the_end_or_by_many_is_fine() {
        assert_eq!(judged(draft(100, 0.8, 3, ALWAYS)), Outcome::Fine);
        assert_eq!(judged(draft(100, 0.8, 3, |at| if at >= 35 { 1.0 } else { 0.2 })), Outcome::Fine);
        assert_eq!(
            judged(draft(100, 0.8, 3, |at| if (10..19).contains(&at) { 1.0 } else { 0.2 })),
            Outcome::Fine
        );
        assert_eq!(judged(draft(100, 0.49, 3, SPIKE_AT_TEN)), Outcome::Fine);
        assert_eq!(judged(draft(63, 1.0, 3, SPIKE_AT_TEN)), Outcome::Fine);
        assert_eq!(judged(draft(100, 0.8, 1_300_000, ALWAYS)), Outcome::Fine);
    }

    #[test]
    fn without_a_heap_nothing_is_told() {
        let profile = Draft::new().seconds(1.0).profile();
        let all = findings(&Facts::new(&profile, None), &[&HeapHotspot], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
