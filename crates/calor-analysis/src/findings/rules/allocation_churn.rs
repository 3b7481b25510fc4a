//! A place allocates and frees many times more than it ever holds: blocks come and go, and each costs the allocator's work.

use calor_model::FrameKind;

use crate::findings::allocation::AllocatorWork;
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HeapPlace, Need, Outcome, Rule, Topic, Unit,
};

/// Fewer blocks are over before anybody notices.
const LEAST_COUNT: u64 = 100_000;
/// Blocks that came for each that was there when the heap was largest: what is filled once and kept has one.
const LEAST_TURNOVER: f64 = 20.0;
/// Places at which more blocks than this are freed at once are temporaries, which have a rule of their own.
const MOST_TEMPORARY: f64 = 0.5;
/// The allocator's part of the time from where on it is worth a change.
const LEAST_SHARE: f64 = 0.05;
/// Objects of Python of no more bytes come from the interpreter's own pools, and nobody can keep them.
const OBJECT_BYTES: f64 = 512.0;
/// The part of this that can go where blocks are kept and used again.
const REMOVED: (f64, f64) = (0.4, 0.95);

pub(super) struct AllocationChurn;

const ABOUT: About<'_> = About {
    id: "HEAP-CHURN",
    version: 1,
    topic: Topic::Heap,
    title: "blocks come and go, many times more than are ever held",
    needs: &[Need::ExactHeap],
    suppresses: &[],
};

impl Rule for AllocationChurn {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let places = facts.heap().map_or(&[][..], |heap| &heap.places);
        let allocator = AllocatorWork::of(facts);
        let finding = |place: &HeapPlace| finding(facts, place, &allocator);
        Outcome::of(places.iter().filter_map(finding).collect())
    }
}

fn finding(facts: &Facts<'_>, found: &HeapPlace, allocator: &AllocatorWork) -> Option<Finding> {
    let site = &found.site;
    let count = site.allocated_count as f64;
    let turnover = count / site.peak_count.max(site.live_count()).max(1) as f64;
    let temporary = site.temporary_count as f64 / count.max(1.0);
    let mean = site.allocated_bytes as f64 / count.max(1.0);
    let is_object = facts.kind(found.stack) == FrameKind::Python && mean < OBJECT_BYTES;
    let is_churn = turnover >= LEAST_TURNOVER && temporary < MOST_TEMPORARY && !is_object;
    if site.allocated_count < LEAST_COUNT || !is_churn {
        return None;
    }
    let share = allocator.share(facts, found, count);
    if share.estimate < LEAST_SHARE {
        return None;
    }
    let place = facts.program_place(found.stack);
    let millions = count / 1e6;
    let title = format!(
        "`{}` allocates and frees {millions:.1} million blocks, {turnover:.0} for each that it holds",
        place.function
    );
    let reason = "if 40 % to nearly all of these blocks are kept and used again";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
            .because(
                "Each of these blocks costs a search for a free one, its release, and memory that is no longer in the \
                 cache. Few of them are needed at the same time, so a few that are kept could serve all.",
            )
            .with(Evidence::share("share of the time in the allocator", share).against(LEAST_SHARE))
            .with(Evidence::new("blocks allocated", count, Unit::Count).against(LEAST_COUNT as f64))
            .with(Evidence::new("blocks for each that is held", turnover, Unit::Ratio).against(LEAST_TURNOVER))
            .with(Evidence::new("bytes of each in the mean", mean, Unit::Bytes))
            .fixed_by(
                Fix::new(
                    "Keep the blocks: reuse containers with clear(), take objects from a pool or an arena, or store small \
                     values in place instead of behind a pointer.",
                )
                .with_code(
                    "for request in requests {\n    let mut parts = Vec::new();\n    let mut names = Vec::new();\n    \
                     split(request, &mut parts, &mut names);\n}",
                    "let (mut parts, mut names) = (Vec::new(), Vec::new());\nfor request in requests {\n    parts.clear();\n    \
                     names.clear();\n    split(request, &mut parts, &mut names);\n}",
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

    const PATH: [&str; 2] = ["app::main@src/main.rs:3", "app::split@src/text.rs:7"];

    fn draft(count: u64, held: u64, temporary: u64) -> Draft {
        let site = HeapSite {
            allocated_count: count,
            allocated_bytes: 64 * count,
            freed_count: count,
            freed_bytes: 64 * count,
            peak_count: held,
            peak_bytes: 64 * held,
            temporary_count: temporary,
            ..HeapSite::default()
        };
        Draft::new().seconds(1.0).heap(&[PATH[0], PATH[1], "malloc!libc.so.6"], site)
    }

    fn judged(draft: Draft) -> Outcome {
        AllocationChurn.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn blocks_that_come_and_go_are_found_at_their_line_and_cost_what_the_allocator_took() {
        let draft = draft(4_000_000, 100, 0)
            .cpu(&PATH, 600)
            .cpu(&[PATH[0], PATH[1], "malloc!libc.so.6"], 250)
            .cpu(&[PATH[0], PATH[1], "cfree!libc.so.6"], 150);
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place") };
        assert_eq!(finding.place.source().as_deref(), Some("src/text.rs:7"));
        assert!((finding.gain.share.estimate - 0.4).abs() < 1e-6, "{:?}", finding.gain);
        assert!(finding.gain.low > 1.1 && finding.gain.high < 1.9, "{:?}", finding.gain);
    }

    #[test]
    fn without_samples_the_number_of_blocks_tells() {
        let Outcome::Findings(found) = judged(draft(4_000_000, 100, 0)) else { panic!("found") };
        assert!((found[0].gain.share.estimate - 0.06).abs() < 1e-6, "{:?}", found[0].gain);
    }

    #[test]
    fn few_blocks_blocks_that_stay_temporaries_and_a_small_part_of_the_time_are_fine() {
        assert_eq!(judged(draft(99_999, 100, 0).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(100_000, 100, 0).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(4_000_000, 200_001, 0)), Outcome::Fine);
        assert_eq!(judged(draft(4_000_000, 100, 2_000_000)), Outcome::Fine);
        assert_eq!(judged(draft(4_000_000, 100, 0).seconds(2.0)), Outcome::Fine);
    }

    #[test]
    fn objects_of_python_are_fine_and_arrays_are_not() {
        let python = |bytes| {
            let count = 4_000_000;
            let site =
                HeapSite { allocated_count: count, allocated_bytes: bytes * count, ..HeapSite::default() };
            let site = HeapSite { freed_count: count, freed_bytes: bytes * count, ..site };
            Draft::new().seconds(1.0).heap(&["py:split@text.py:7", "malloc!libc.so.6"], site)
        };
        assert_eq!(judged(python(511)), Outcome::Fine);
        assert!(matches!(judged(python(512)), Outcome::Findings(_)));
    }

    #[test]
    fn a_sampled_heap_does_not_tell_how_many_blocks_there_were() {
        let profile = draft(4_000_000, 100, 0).sampled_heap().profile();
        let all = findings(&Facts::new(&profile, None), &[&AllocationChurn], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
