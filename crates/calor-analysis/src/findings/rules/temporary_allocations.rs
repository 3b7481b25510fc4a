//! A place allocates blocks that are freed again before anything else is allocated, over and over: each time the allocator
//! works for nothing that stays.

use crate::findings::allocation::AllocatorWork;
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HeapPlace, Need, Outcome, Rule, Share, Topic, Unit,
};

/// Fewer are over before anybody notices.
const LEAST_COUNT: u64 = 100_000;
/// The part of a place's allocations that has to be temporary.
const LEAST_TEMPORARY: f64 = 0.5;
/// The part of the allocator's work that a buffer which is kept saves: it runs beside other work where blocks are small, and a
/// buffer that is kept has to be cleared, and is read through memory.
const REMOVED: (f64, f64) = (0.25, 1.0);
/// Making a block is more than asking the allocator: how large it has to be, growing it, filling memory that is not in the
/// nearest cache. At most this part of what the function does besides (of formatted texts it was a third).
const BESIDE: f64 = 0.35;

pub(super) struct TemporaryAllocations;

const ABOUT: About<'_> = About {
    id: "HEAP-TEMPORARY-ALLOCATIONS",
    version: 1,
    topic: Topic::Heap,
    title: "blocks are freed as soon as they are allocated, over and over",
    needs: &[Need::ExactHeap],
    suppresses: &[],
};

impl Rule for TemporaryAllocations {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let places = facts.heap().map_or(&[][..], |heap| &heap.places);
        let allocator = AllocatorWork::of(facts);
        Outcome::of(places.iter().filter_map(|place| finding(facts, place, &allocator)).collect())
    }
}

fn finding(facts: &Facts<'_>, found: &HeapPlace, allocator: &AllocatorWork) -> Option<Finding> {
    let (site, place) = (&found.site, facts.program_place(found.stack));
    let temporary = site.temporary_count as f64 / site.allocated_count.max(1) as f64;
    if site.temporary_count < LEAST_COUNT || temporary < LEAST_TEMPORARY {
        return None;
    }
    let share = allocator.share(facts, found, site.temporary_count as f64);
    let high = share.high + BESIDE * (total(facts, found) - share.high).max(0.0);
    let whole = Share::between(share.low, share.estimate, high);
    let reason = "if a quarter to all of what the allocator does for them is saved, at most with what goes with a new block";
    let millions = site.temporary_count as f64 / 1e6;
    let title =
        format!("`{}` allocates {millions:.1} million blocks that it frees again at once", place.function);
    let bytes_each = site.temporary_bytes as f64 / site.temporary_count.max(1) as f64;
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(whole, REMOVED, reason))
            .because(
                "Each of these blocks is freed before the thread allocates anything else, so that one block which is kept \
                 could have served all of them. The allocator's work and the memory that it touches anew are for nothing.",
            )
            .with(Evidence::share("share of the time in the allocator for them", share))
            .with(
                Evidence::new("temporary allocations", site.temporary_count as f64, Unit::Count)
                    .against(LEAST_COUNT as f64),
            )
            .with(Evidence::new("part of the place's allocations", temporary, Unit::Share).against(LEAST_TEMPORARY))
            .with(Evidence::new("bytes of each", bytes_each, Unit::Bytes))
            .fixed_by(
                Fix::new("Keep one buffer outside the loop and clear it instead of making a new one each time.").with_code(
                    "for row in rows {\n    let mut line = String::new();\n    write(&mut line, row);\n}",
                    "let mut line = String::new();\nfor row in rows {\n    line.clear();\n    write(&mut line, row);\n}",
                ),
            ),
    )
}

/// The part of the time in the function and in what it calls; nothing where no samples tell.
fn total(facts: &Facts<'_>, place: &HeapPlace) -> f64 {
    let profile = facts.profile();
    let function = |stack| profile.frames.get(profile.stacks.get(stack).frame).function();
    let wanted = function(place.stack);
    let found = facts.functions().iter().find(|found| function(found.stack) == wanted);
    found.map_or(0.0, |found| found.total_share.estimate)
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    fn draft(allocated: u64, temporary: u64) -> Draft {
        let site = HeapSite {
            allocated_count: allocated,
            allocated_bytes: 64 * allocated,
            freed_count: allocated,
            freed_bytes: 64 * allocated,
            temporary_count: temporary,
            temporary_bytes: 64 * temporary,
            ..HeapSite::default()
        };
        let path = ["app::main@src/main.rs:3", "app::format@src/text.rs:7", "malloc!libc.so.6"];
        Draft::new().seconds(1.0).heap(&path, site)
    }

    fn judged(allocated: u64, temporary: u64) -> Outcome {
        TemporaryAllocations.judge(&Facts::new(&draft(allocated, temporary).profile(), None))
    }

    #[test]
    fn a_place_that_frees_millions_of_blocks_at_once_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(4_000_000, 4_000_000) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place") };
        assert_eq!(finding.place.source().as_deref(), Some("src/text.rs:7"));
        assert!(finding.title.contains("4.0 million"), "{}", finding.title);
        assert!(
            finding.gain.low < 1.01 && finding.gain.high > 1.35 && finding.gain.high < 1.4,
            "{:?}",
            finding.gain
        );
    }

    #[test]
    fn samples_in_the_allocator_tell_what_they_cost() {
        let path = ["app::main@src/main.rs:3", "app::format@src/text.rs:7", "malloc!libc.so.6"];
        let profile = draft(4_000_000, 4_000_000).cpu(&path, 400).cpu(&path[..2], 600).profile();
        let Outcome::Findings(found) = TemporaryAllocations.judge(&Facts::new(&profile, None)) else {
            panic!("found")
        };
        assert!((found[0].gain.share.estimate - 0.4).abs() < 1e-6, "{:?}", found[0].gain);
        assert!(found[0].gain.low > 1.05 && found[0].gain.high < 2.9, "{:?}", found[0].gain);
    }

    #[test]
    fn few_temporary_blocks_and_blocks_that_stay_are_fine() {
        assert_eq!(judged(99_999, 99_999), Outcome::Fine);
        assert_eq!(judged(4_000_000, 1_999_999), Outcome::Fine);
        assert!(matches!(judged(4_000_000, 2_000_000), Outcome::Findings(_)));
    }

    #[test]
    fn a_sampled_heap_does_not_tell_what_is_temporary() {
        let profile = draft(4_000_000, 4_000_000).sampled_heap().profile();
        let all = findings(&Facts::new(&profile, None), &[&TemporaryAllocations], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
        assert_eq!(all.not_enough[0].missing, "every block of the heap");
    }
}
