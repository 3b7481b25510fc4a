//! Large blocks are taken from the kernel and given back over and over, so that each time their pages have to be made ready
//! again: cleared, entered, and taken out.

use calor_model::{HeapSite, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::HeapPlaces;
use crate::findings::allocation::{MemoryWork, is_growing, memory_sites};
use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, HeapPlace, Need, Outcome, Rule, Share, Topic, Unit,
};

/// Less of the time than this goes into pages anywhere.
const LEAST_SHARE: f64 = 0.05;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 20;
/// From this size on C libraries take a block from the kernel for itself.
const LARGE_BYTES: f64 = 131_072.0;
/// Pages that are used for the first time cost once; so many times the same memory has to have come.
const LEAST_TURNOVER: f64 = 8.0;
/// The largest block of a container that doubles again and again is so many times its mean block.
const STEPS_OF_GROWTH: f64 = 4.0;
/// What making a page ready takes at most, and its size: more time than these blocks can have taken is that of other blocks.
const PAGE_NANOS: f64 = 8_000.0;
const PAGE_BYTES: f64 = 4_096.0;
/// The part of it that can go; some pages would be touched first anyway.
const REMOVED: (f64, f64) = (0.5, 1.0);

pub(super) struct RepeatedPageFaults;

const ABOUT: About<'_> = About {
    id: "HEAP-PAGE-FAULTS",
    version: 1,
    topic: Topic::Heap,
    title: "large blocks come from the kernel and go back to it over and over",
    needs: &[Need::CpuSamples, Need::Heap],
    suppresses: &["HEAP-TEMPORARY-ALLOCATIONS"],
};

impl Rule for RepeatedPageFaults {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let large = recurring(facts);
        let mut found: IndexMap<StackId, Pages, RandomState> = IndexMap::default();
        for site in memory_sites(facts, MemoryWork::Pages) {
            let near = large.iter().filter(|place| is_near(facts, place, &site));
            if let Some(block) = near.max_by_key(|place| place.site.allocated_bytes) {
                let pages = found.entry(block.stack).or_insert(Pages {
                    block: *block,
                    share: Share::default(),
                    samples: 0,
                });
                pages.share = pages.share.with(site.share);
                pages.samples += site.samples;
            }
        }
        let is_much = |pages: &&Pages| pages.share.estimate >= LEAST_SHARE && pages.samples >= LEAST_SAMPLES;
        let bounded = found.values().map(|pages| pages.bounded(facts));
        Outcome::of(bounded.filter(|pages| is_much(&pages)).map(|pages| finding(facts, &pages)).collect())
    }
}

/// Samples on pages near a place that allocates large blocks.
struct Pages {
    block: HeapPlace,
    share: Share,
    samples: u64,
}

impl Pages {
    /// No more than the pages of these blocks can have taken.
    fn bounded(&self, facts: &Facts<'_>) -> Self {
        let pages = self.block.site.allocated_bytes as f64 / PAGE_BYTES;
        let most = facts.share(pages * PAGE_NANOS).estimate;
        let factor = (most / self.share.estimate.max(f64::MIN_POSITIVE)).min(1.0);
        Self { share: self.share.scaled(factor), ..*self }
    }
}

/// Places that allocate large blocks over and over. Containers that grow take larger and larger blocks, which are no such;
/// but containers that are made anew and grow again are.
fn recurring(facts: &Facts<'_>) -> Vec<HeapPlace> {
    let profile = facts.profile();
    let owners = HeapPlaces::owners(profile);
    let mut places: IndexMap<StackId, [HeapSite; 2], RandomState> = IndexMap::default();
    for (key, site) in profile.heap.iter() {
        let of_place = places.entry(owners.of(key.stack)).or_default();
        of_place[usize::from(is_growing(facts, key.stack))].add(site);
    }
    let places = places.into_iter().map(|(stack, [plain, grown])| {
        let mut site = plain;
        site.add(&pages_of_growth(grown));
        HeapPlace { stack, site }
    });
    places.filter(is_recurring).collect()
}

/// What containers that grew were at last: one that doubles has asked for twice of that, and pages that it moves to a larger
/// block are not made ready anew. One that grows by equal steps has no small blocks among large ones, and asked for its bytes
/// many times without being made anew.
fn pages_of_growth(grown: HeapSite) -> HeapSite {
    let held = grown.peak_bytes.max(grown.live_bytes()) as f64;
    let mean = grown.allocated_bytes as f64 / grown.allocated_count.max(1) as f64;
    match mean <= held / STEPS_OF_GROWTH {
        true => HeapSite {
            allocated_bytes: grown.allocated_bytes / 2,
            freed_bytes: grown.freed_bytes / 2,
            ..grown
        },
        false => HeapSite::default(),
    }
}

fn finding(facts: &Facts<'_>, Pages { block, share, samples }: &Pages) -> Finding {
    let place = facts.program_place(block.stack);
    let mean = mean_bytes(block);
    let title = format!(
        "`{}` spends {:.0} % of the time on pages of {} blocks of {:.1} MiB that come and go",
        place.function,
        100.0 * share.estimate,
        block.site.allocated_count,
        mean / f64::from(1 << 20)
    );
    let gain = Gain::removed(*share, REMOVED, "if half to all of these pages are kept and used again");
    Finding::new(&ABOUT, title, place, gain)
            .because(
                "A block of this size comes from the kernel and goes back when it is freed. Each time the kernel clears its \
                 pages and enters them one by one as they are first touched, which can take longer than the work on them.",
            )
            .with(Evidence::share("share of the time on pages", *share).against(LEAST_SHARE))
            .with(Evidence::new("bytes of a block in the mean", mean, Unit::Bytes).against(LARGE_BYTES))
            .with(Evidence::new("times the memory held at the peak", turnover(block), Unit::Ratio).against(LEAST_TURNOVER))
            .with(Evidence::new("samples on pages", *samples as f64, Unit::Count))
            .fixed_by(
                Fix::new(
                    "Keep the block outside the loop and fill it anew: clear() and resize(), out= in NumPy. Where that cannot be, \
                     make the allocator keep it: MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ of glibc.",
                )
                .with_code(
                    "for frame in frames:\n    scaled = frame * gain + offset\n    write(scaled)",
                    "scaled = np.empty_like(frames[0])\nfor frame in frames:\n    np.multiply(frame, gain, out=scaled)\n    \
                     scaled += offset\n    write(scaled)",
                ),
            )
}

fn mean_bytes(place: &HeapPlace) -> f64 {
    place.site.allocated_bytes as f64 / place.site.allocated_count.max(1) as f64
}

fn turnover(place: &HeapPlace) -> f64 {
    let held = place.site.peak_bytes.max(place.site.live_bytes()) as f64;
    place.site.allocated_bytes as f64 / held.max(mean_bytes(place)).max(1.0)
}

fn is_recurring(place: &HeapPlace) -> bool {
    mean_bytes(place) >= LARGE_BYTES && turnover(place) >= LEAST_TURNOVER
}

/// Whether a block was allocated by the function that touched pages, or by one that it calls or is called by.
fn is_near(facts: &Facts<'_>, place: &HeapPlace, site: &CpuSite) -> bool {
    facts.program_place(place.stack).is_related(&facts.place(site.stack))
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const SCALE: [&str; 2] = ["app::main@src/main.rs:3", "app::scale@src/image.rs:7"];

    fn draft(faults: u64, others: u64, bytes: u64, count: u64) -> Draft {
        let site = HeapSite {
            allocated_count: count,
            allocated_bytes: bytes * count,
            freed_count: count,
            freed_bytes: bytes * count,
            peak_count: 1,
            peak_bytes: bytes,
            ..HeapSite::default()
        };
        Draft::new()
            .seconds(1.0)
            .cpu(&[SCALE[0], SCALE[1], "memset!libc.so.6", "kernel:[kernel]"], faults)
            .cpu(&SCALE, others)
            .heap(&[SCALE[0], SCALE[1], "malloc!libc.so.6"], site)
    }

    fn judged(draft: Draft) -> Outcome {
        RepeatedPageFaults.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn large_blocks_that_come_and_go_are_found_where_they_are_allocated() {
        let Outcome::Findings(found) = judged(draft(300, 700, 8 << 20, 300)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/image.rs:7"));
        assert!(finding.title.contains("30 %") && finding.title.contains("8.0 MiB"), "{}", finding.title);
        assert!(finding.gain.low > 1.12 && finding.gain.high < 1.6, "{:?}", finding.gain);
    }

    /// Vectors that grow to 128 MiB by pushes, so many times one after the other, in so many blocks each.
    fn growing(rounds: u64, blocks: u64, bytes: u64) -> Outcome {
        let path = [SCALE[0], SCALE[1], "alloc::raw_vec::RawVec<T>::grow_one!app", "realloc!libc.so.6"];
        let site = HeapSite {
            allocated_count: rounds * blocks,
            allocated_bytes: rounds * bytes,
            freed_count: rounds * blocks,
            freed_bytes: rounds * bytes,
            peak_count: 1,
            peak_bytes: 128 << 20,
            ..HeapSite::default()
        };
        let fault = [SCALE[0], SCALE[1], "core::ptr::write!app", "kernel:[kernel]"];
        judged(Draft::new().seconds(1.0).cpu(&fault, 900).cpu(&SCALE, 100).heap(&path, site))
    }

    #[test]
    fn containers_that_grow_anew_again_and_again_are_found() {
        let Outcome::Findings(found) = growing(12, 19, 256 << 20) else { panic!("found") };
        assert_eq!(found[0].place.source().as_deref(), Some("src/image.rs:7"));
    }

    #[test]
    fn containers_that_grow_once_or_step_by_step_are_fine() {
        assert_eq!(growing(1, 19, 256 << 20), Outcome::Fine);
        // One that grows by 1 MiB at a time has asked for 8 GiB in all.
        assert_eq!(growing(1, 128, 8 << 30), Outcome::Fine);
    }

    #[test]
    fn few_faults_small_blocks_and_memory_that_is_touched_once_are_fine() {
        assert_eq!(judged(draft(49, 951, 8 << 20, 300)), Outcome::Fine);
        assert!(matches!(judged(draft(51, 949, 8 << 20, 300)), Outcome::Findings(_)));
        assert_eq!(judged(draft(19, 80, 8 << 20, 300)), Outcome::Fine);
        assert_eq!(judged(draft(300, 700, 131_071, 300)), Outcome::Fine);
        assert_eq!(judged(draft(300, 700, 8 << 20, 7)), Outcome::Fine);
    }

    #[test]
    fn more_time_than_the_pages_of_these_blocks_can_take_is_of_other_blocks() {
        // 30 blocks of 1 MiB are 7,680 pages, 61 ms at most; 10 are 20 ms.
        let Outcome::Findings(found) = judged(draft(300, 700, 1 << 20, 30)) else { panic!("found") };
        assert!((found[0].gain.share.estimate - 0.0614).abs() < 0.001, "{:?}", found[0].gain);
        assert_eq!(judged(draft(300, 700, 1 << 20, 10)), Outcome::Fine);
    }

    #[test]
    fn faults_elsewhere_are_of_other_blocks() {
        let elsewhere = ["app::main@src/main.rs:3", "app::other@src/other.rs:7", "kernel:[kernel]"];
        assert_eq!(judged(draft(0, 700, 8 << 20, 300).cpu(&elsewhere, 300)), Outcome::Fine);
    }

    #[test]
    fn without_the_heap_nothing_tells_whether_blocks_came_back() {
        let path = [SCALE[0], SCALE[1], "kernel:[kernel]"];
        let profile = Draft::new().seconds(1.0).cpu(&path, 500).profile();
        let all = findings(&Facts::new(&profile, None), &[&RepeatedPageFaults], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
