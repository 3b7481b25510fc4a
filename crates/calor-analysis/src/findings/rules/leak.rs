//! Blocks that are never freed and become more for as long as the program runs: not a table that is made once, and not a
//! cache that is full some day.

use calor_model::StackId;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HeapFacts, Need, Outcome, Rule, Share, Topic, Unit,
};
use crate::{HeapPath, HeapPlaces};

/// Fewer blocks are those of tables that are made once.
const LEAST_COUNT: u64 = 1_000;
/// Less is not worth looking for.
const LEAST_BYTES: u64 = 1 << 20;
/// The part of the peak that it has to be.
const LEAST_SHARE: f64 = 0.05;
/// Looks at the heap, over the run, that are needed to tell what becomes more from what was made at the start.
const LEAST_SNAPSHOTS: usize = 5;
/// What a place that leaks evenly holds after a quarter, a half and three quarters of the run, as a part of what it holds in
/// the end, less and more than which it is something else.
const EVENLY: [(f64, f64, f64); 3] = [(0.25, 0.08, 0.55), (0.5, 0.25, 0.75), (0.75, 0.5, 0.95)];
/// The part of it that would not be held if the blocks were freed in time.
const REMOVED: (f64, f64) = (0.7, 1.0);

pub(super) struct Leak;

const ABOUT: About<'_> = About {
    id: "HEAP-LEAK",
    version: 1,
    topic: Topic::Heap,
    title: "blocks are never freed and become more",
    needs: &[Need::Heap],
    suppresses: &["HEAP-GROWTH", "HEAP-HOTSPOT"],
};

impl Rule for Leak {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let Some(heap) = facts.heap() else { return Outcome::Fine };
        let large: Vec<&HeapPath> =
            heap.leaks.paths.iter().filter(|path| is_large(facts, heap, path)).collect();
        if large.is_empty() {
            return Outcome::Fine;
        }
        if heap.leaks.at_end.is_none() {
            return Outcome::NotEnough {
                missing: "the end of a process, which shows what is never freed".to_owned(),
                how: "calor record --heap -- PROGRAM, until it ends by itself".to_owned(),
            };
        }
        let snapshots = &facts.profile().heap.snapshots;
        if snapshots.len() < LEAST_SNAPSHOTS || facts.profile().runs.len() > 1 {
            return Outcome::NotEnough {
                missing: format!(
                    "{LEAST_SNAPSHOTS} snapshots of the heap of one run, to tell leaks from tables"
                ),
                how: "calor record --heap -- PROGRAM, with more work for it".to_owned(),
            };
        }
        let places = HeapPlaces::owners(facts.profile());
        let leaking = large.into_iter().filter(|path| is_growing_evenly(facts, &places, path));
        Outcome::of(leaking.map(|path| finding(facts, heap, path)).collect())
    }
}

fn is_large(facts: &Facts<'_>, heap: &HeapFacts, path: &HeapPath) -> bool {
    // What is held by an interpreter or a library alone was never asked for by a line of the program.
    let is_programs = facts.program_place(path.stack).is_programs;
    is_programs
        && path.site.live_count() >= LEAST_COUNT
        && path.site.live_bytes() >= LEAST_BYTES
        && share(heap, path).estimate >= LEAST_SHARE
}

fn share(heap: &HeapFacts, path: &HeapPath) -> Share {
    let of = |bytes: u64| bytes as f64 / heap.totals.peak_bytes.max(1) as f64;
    let live = path.site.live_bytes();
    let [low, high] = path.site.live_interval().unwrap_or([live; 2]);
    Share::between(of(low), of(live), of(high))
}

/// Whether a place came to hold what it does all the time, and not at the start or at once.
fn is_growing_evenly(facts: &Facts<'_>, places: &HeapPlaces, path: &HeapPath) -> bool {
    let held = held(facts, places, path.stack);
    let (Some(first), Some(last)) = (held.first(), held.last()) else { return false };
    let most = held.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0).max(1) as f64;
    let span = (last.0 - first.0).max(1) as f64;
    EVENLY.iter().all(|&(part, low, high)| {
        // The snapshot that is nearest to that part of the run.
        let at = first.0 as f64 + part * span;
        let near = held.iter().min_by_key(|(nanos, _)| (*nanos as f64 - at).abs() as u64);
        near.is_some_and(|(nanos, bytes)| {
            // A snapshot that was taken a little sooner or later than wanted is held against what an even leak has then.
            let moved = (*nanos as f64 - first.0 as f64) / span - part;
            (low + moved..=high + moved).contains(&(*bytes as f64 / most))
        })
    })
}

/// What a place held at each snapshot.
fn held(facts: &Facts<'_>, places: &HeapPlaces, place: StackId) -> Vec<(u64, u64)> {
    let at = |snapshot: &calor_model::HeapSnapshot| {
        let of_place = snapshot.iter().filter(|(stack, _)| places.of(*stack) == place);
        (snapshot.at_nanos, of_place.map(|(_, blocks)| blocks.bytes).sum())
    };
    facts.profile().heap.snapshots.iter().map(at).collect()
}

fn finding(facts: &Facts<'_>, heap: &HeapFacts, path: &HeapPath) -> Finding {
    let place = facts.program_place(path.stack);
    let (count, bytes, share) = (path.site.live_count(), path.site.live_bytes(), share(heap, path));
    let title = format!(
        "{count} blocks of `{}` are never freed, {:.1} MiB when the program ends",
        place.function,
        bytes as f64 / f64::from(1 << 20)
    );
    let gain =
        Gain::memory(share, REMOVED, "if 70 % to all of these blocks are freed when they are done with");
    let kept = path.site.live_count() as f64 / path.site.allocated_count.max(1) as f64;
    Finding::new(&ABOUT, title, place, gain)
        .because(
            "The number of these blocks rises evenly from the start of the run to its end, and nobody frees them. A program \
             that runs longer holds more, until its memory is gone.",
        )
        .with(Evidence::new("bytes never freed", bytes as f64, Unit::Bytes).against(LEAST_BYTES as f64))
        .with(Evidence::new("blocks never freed", count as f64, Unit::Count).against(LEAST_COUNT as f64))
        .with(Evidence::share("part of the peak", share).against(LEAST_SHARE))
        .with(Evidence::new("part of the place's blocks that stay", kept, Unit::Share))
        .fixed_by(
            Fix::new(
                "Free each block on every way out, errors among them; let an owner do it (Box, unique_ptr, with). Where it is \
                 kept on purpose, bound it; where references go round in a circle, make one of them weak.",
            )
            .with_code(
                "char *line = strdup(text);\nif (parse(line) < 0) return -1;\nfree(line);",
                "char *line = strdup(text);\nint parsed = parse(line);\nfree(line);\nif (parsed < 0) return -1;",
            ),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::{HeapBlocks, HeapSite};

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const PATH: [&str; 2] = ["app::main@src/main.rs:3", "app::intern@src/names.rs:7"];
    const MIB: u64 = 1 << 20;

    /// A place that holds so much at each second of ten, as a part of 10 MiB that it holds in the end.
    fn draft(count: u64, bytes: u64, held: impl Fn(u64) -> f64) -> Draft {
        let site = HeapSite {
            allocated_count: 2 * count,
            allocated_bytes: 2 * bytes,
            freed_count: count,
            freed_bytes: bytes,
            peak_bytes: bytes,
            peak_count: count,
            ..HeapSite::default()
        };
        let other = HeapSite { peak_bytes: 10 * MIB, ..HeapSite::default() };
        let mut draft =
            Draft::new().seconds(10.0).heap(&PATH, site).heap(&["app::main@src/main.rs:3"], other);
        for second in 0..=10 {
            draft = draft.snapshot(second as f64, &[(&PATH, (bytes as f64 * held(second)) as u64)]);
        }
        draft.change(|profile| {
            let summary = profile.heap.summary.as_mut().expect("a heap");
            summary.leaked = Some(HeapBlocks { count, bytes });
        })
    }

    fn judged(draft: Draft) -> Outcome {
        Leak.judge(&Facts::new(&draft.profile(), None))
    }

    const EVEN: fn(u64) -> f64 = |second| second as f64 / 10.0;

    #[test]
    fn blocks_that_become_more_and_are_never_freed_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(draft(5_000, 10 * MIB, EVEN)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/names.rs:7"));
        assert!(
            finding.title.contains("5000 blocks") && finding.title.contains("10.0 MiB"),
            "{}",
            finding.title
        );
        let (low, high) = finding.gain.memory.expect("memory");
        assert!(low > 1.5 && high > 1.99 && high < 2.01 && finding.gain.high == 1.0, "{:?}", finding.gain);
    }

    #[test]
    fn few_blocks_few_bytes_and_a_small_part_of_the_peak_are_fine() {
        assert_eq!(judged(draft(999, 10 * MIB, EVEN)), Outcome::Fine);
        assert_eq!(judged(draft(5_000, MIB - 1, EVEN)), Outcome::Fine);
        assert!(matches!(judged(draft(5_000, MIB, EVEN)), Outcome::Findings(_)));
        let larger = draft(5_000, 5 * MIB, EVEN).change(|profile| {
            profile.heap.summary.as_mut().expect("a heap").peak_bytes = 101 * MIB;
        });
        assert_eq!(judged(larger), Outcome::Fine);
    }

    #[test]
    fn tables_of_the_start_caches_that_fill_and_results_of_the_end_are_fine() {
        assert_eq!(
            judged(draft(5_000, 10 * MIB, |second| if second < 1 { 0.0 } else { 1.0 })),
            Outcome::Fine
        );
        assert_eq!(judged(draft(5_000, 10 * MIB, |second| (second as f64 / 4.0).min(1.0))), Outcome::Fine);
        assert_eq!(
            judged(draft(5_000, 10 * MIB, |second| if second < 9 { 0.0 } else { 1.0 })),
            Outcome::Fine
        );
    }

    #[test]
    fn a_program_that_still_runs_or_was_looked_at_too_seldom_does_not_tell() {
        let running = draft(5_000, 10 * MIB, EVEN).change(|profile| {
            profile.heap.summary.as_mut().expect("a heap").leaked = None;
        });
        let seldom = draft(5_000, 10 * MIB, EVEN)
            .change(|profile| profile.heap.snapshots = calor_model::HeapSnapshots::default());
        for draft in [running, seldom] {
            let profile = draft.profile();
            let all = findings(&Facts::new(&profile, None), &[&Leak], &[]);
            assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
        }
    }
}
