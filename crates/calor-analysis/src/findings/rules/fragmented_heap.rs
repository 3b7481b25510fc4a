//! The allocator keeps much more memory than the program holds, for long: free blocks lie scattered between used ones, or in
//! arenas of threads that do not need them, and their pages cannot go back.

use calor_model::{HEAP_LIVE, HeapMode, RSS};

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Place, Rule, Share, Topic, Unit,
};

/// Allocators keep some for their own ease.
const LEAST_BYTES: f64 = 67_108_864.0;
/// The part of the program's memory that has to be kept for nothing.
const LEAST_SHARE: f64 = 0.3;
/// The part of the looks at the memory in which that has to be so; what is freed just before the end is no fault.
const LEAST_TIME: f64 = 0.3;
/// Looks that are needed to tell.
const LEAST_POINTS: usize = 20;
/// Where every block is watched, Calor's tables take up to this part of the heap at its largest.
const WATCHERS_PART: f64 = 0.25;
/// The part that goes back with another allocator, fewer arenas or a trim.
const REMOVED: (f64, f64) = (0.25, 0.95);

pub(super) struct FragmentedHeap;

const ABOUT: About<'_> = About {
    id: "HEAP-FRAGMENTATION",
    version: 1,
    topic: Topic::Heap,
    title: "the allocator keeps much more memory than the program holds",
    needs: &[Need::Heap],
    suppresses: &["HEAP-HOTSPOT"],
};

/// What was kept for nothing at a look.
struct Kept {
    bytes: f64,
    live: f64,
    rss: f64,
}

impl Rule for FragmentedHeap {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let looks = looks(facts);
        if looks.len() < LEAST_POINTS || facts.profile().runs.len() > 1 {
            return Outcome::NotEnough {
                missing: format!("{LEAST_POINTS} looks at the memory of one run beside its heap"),
                how: "calor record --heap -- PROGRAM, for two seconds or more".to_owned(),
            };
        }
        let n_looks = looks.len();
        let is_much = |kept: &Kept| kept.bytes >= LEAST_BYTES && kept.bytes >= LEAST_SHARE * kept.rss;
        let mut much: Vec<Kept> = looks.into_iter().filter(is_much).collect();
        let time = much.len() as f64 / n_looks as f64;
        if time < LEAST_TIME {
            return Outcome::Fine;
        }
        much.sort_by(|a, b| (a.bytes / a.rss).total_cmp(&(b.bytes / b.rss)));
        Outcome::of(vec![finding(&much[much.len() / 2], &much, time)])
    }
}

fn finding(middle: &Kept, much: &[Kept], time: f64) -> Finding {
    let part = |kept: &Kept| kept.bytes / kept.rss.max(1.0);
    let share = Share::between(part(&much[0]), part(middle), part(&much[much.len() - 1]));
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    let title = format!(
        "{:.0} MiB of memory are kept for {:.0} MiB that the program holds on its heap",
        mib(middle.rss),
        mib(middle.live)
    );
    let reason = "of the memory of the process, if a quarter to nearly all of what lies free goes back";
    Finding::new(&ABOUT, title, Place::whole_program(), Gain::memory(share, REMOVED, reason))
        .because(
            "The heap was larger before, and what was freed did not go back to the machine: a page goes back only if nothing on \
             it is in use, and small blocks that stay are spread over all of them.",
        )
        .with(Evidence::share("part of the memory that is kept for nothing", share).against(LEAST_SHARE))
        .with(Evidence::new("bytes kept for nothing", middle.bytes, Unit::Bytes).against(LEAST_BYTES))
        .with(Evidence::new("part of the time", time, Unit::Share).against(LEAST_TIME))
        .fixed_by(Fix::new(
            "Allocate what lives long apart from what is soon freed (an arena for each). Call malloc_trim(0) after the large \
             release, bound the arenas (MALLOC_ARENA_MAX=2), or try another allocator (jemalloc, mimalloc).",
        ))
        .by_setting()
}

/// Memory that the heap held before, holds no more, and that is still there, at each look.
fn looks(facts: &Facts<'_>) -> Vec<Kept> {
    let profile = facts.profile();
    let (live, rss) = (profile.heap_points(HEAP_LIVE), profile.heap_points(RSS));
    let is_exact = profile.heap.summary.is_some_and(|summary| summary.mode == HeapMode::Exact);
    let watchers = if is_exact { WATCHERS_PART } else { 0.0 };
    let Some(first) = live.first().zip(rss.first()) else { return Vec::new() };
    // What is not the heap's at the start is code, stacks and the like.
    let beyond_at_start = (first.1.value - first.0.value).max(0.0);
    let mut largest = 0.0_f64;
    let look = |point: &calor_model::CounterPoint| {
        largest = largest.max(point.value);
        let after = rss.partition_point(|other| other.at_nanos < point.at_nanos);
        let near = rss.get(after).or(rss.last())?;
        let beyond = near.value - point.value - beyond_at_start - watchers * largest;
        // No more than what the heap gave up can be kept of it.
        let bytes = beyond.min(largest - point.value).max(0.0);
        Some(Kept { bytes, live: point.value, rss: near.value })
    };
    live.iter().filter_map(look).collect()
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    /// Looks at heap and memory in MiB, twenty and more of them, of a sampled heap.
    fn draft(n_looks: u64, look: impl Fn(u64) -> (u64, u64)) -> Draft {
        let site = HeapSite { peak_bytes: 400 << 20, ..HeapSite::default() };
        Draft::new().seconds(4.0).heap(&["app::main@src/main.rs:3"], site).sampled_heap().change(|profile| {
            for at in 0..n_looks {
                let (live, rss) = look(at);
                profile.push_heap_point(at * 100_000_000, Some(live << 20), Some(rss << 20));
            }
        })
    }

    fn judged(draft: Draft) -> Outcome {
        FragmentedHeap.judge(&Facts::new(&draft.profile(), None))
    }

    /// A heap of 400 MiB shrinks to 100 at a look, and so much memory stays.
    fn shrunk(from: u64, rss: u64) -> impl Fn(u64) -> (u64, u64) {
        move |at| match at {
            0 => (1, 11),
            at if at < from => (400, 410),
            _ => (100, rss),
        }
    }

    #[test]
    fn memory_that_stays_when_the_heap_shrinks_is_found() {
        let Outcome::Findings(found) = judged(draft(40, shrunk(20, 390))) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one finding") };
        assert!(finding.title.contains("390 MiB of memory are kept for 100 MiB"), "{}", finding.title);
        assert!(finding.is_knob);
        let (low, high) = finding.gain.memory.expect("memory");
        assert!(low > 1.15 && high < 4.0, "{:?}", finding.gain);
    }

    #[test]
    fn memory_that_goes_back_stays_for_a_moment_or_never_was_the_heaps_is_fine() {
        assert_eq!(judged(draft(40, shrunk(20, 140))), Outcome::Fine);
        assert_eq!(judged(draft(40, shrunk(35, 390))), Outcome::Fine);
        assert_eq!(judged(draft(40, |at| if at == 0 { (1, 11) } else { (100, 390) })), Outcome::Fine);
        assert_eq!(judged(draft(40, shrunk(20, 160))), Outcome::Fine);
        assert!(matches!(judged(draft(40, shrunk(20, 180))), Outcome::Findings(_)));
    }

    #[test]
    fn tables_that_watch_every_block_are_not_the_programs() {
        let exact = |rss| {
            draft(40, shrunk(20, rss)).change(|profile| {
                profile.heap.summary.as_mut().expect("a heap").mode = HeapMode::Exact;
            })
        };
        assert_eq!(judged(exact(250)), Outcome::Fine);
        assert!(matches!(judged(exact(390)), Outcome::Findings(_)));
    }

    #[test]
    fn few_looks_do_not_tell() {
        let profile = draft(19, shrunk(5, 390)).profile();
        let all = findings(&Facts::new(&profile, None), &[&FragmentedHeap], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
