//! Containers grow step by step: each step takes a larger block and moves all that is there already.

use calor_model::{FrameKind, StackId};

use crate::findings::allocation::{
    MemoryWork, is_first_block, is_growing, memory_work, sites_without_watching,
};
use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit,
};

/// Growing that takes less of the time is what growing containers cost anywhere.
const LEAST_SHARE: f64 = 0.08;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 20;
/// What goes if the room is made once: all moves, but not the one allocation and the first touch of its pages.
const REMOVED: (f64, f64) = (0.4, 1.0);
/// Blocks that are not in a cache yet and calls that come between make the filling slow as well: of short containers, a third of
/// what growing takes, or more.
const BESIDE: f64 = 1.6;

/// The part of another finding's blocks that steps have to be for it to be a symptom.
const LEAST_ACCOUNTED: f64 = 0.5;
/// Figures by which that is told.
const STEPS: &str = "steps";
const TEMPORARY: &str = "temporary allocations";

pub(super) struct StepwiseGrowth;

const ABOUT: About<'_> = About {
    id: "HEAP-STEPWISE-GROWTH",
    version: 1,
    topic: Topic::Heap,
    title: "containers grow step by step and move what they hold each time",
    needs: &[Need::CpuSamples],
    // Blocks that are replaced by larger ones are freed by the next event of their thread, and moving them copies memory.
    suppresses: &["CPU-MEMORY-COPIES", "HEAP-CHURN", "HEAP-PAGE-FAULTS", "HEAP-TEMPORARY-ALLOCATIONS"],
};

impl Rule for StepwiseGrowth {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let sites = sites_without_watching(facts, |stack| is_step(facts, stack)).into_iter();
        let heavy = sites.filter(|site| site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES);
        Outcome::of(heavy.map(|site| finding(facts, &site)).collect())
    }

    /// Blocks that are freed at once may be those that growing replaces, or others: their numbers tell.
    fn accounts_for(&self, cause: &Finding, symptom: &Finding) -> bool {
        let figure = |finding: &Finding, metric: &str| {
            finding.evidence.iter().find(|one| one.metric == metric).map(|one| one.value)
        };
        match figure(symptom, TEMPORARY) {
            Some(temporary) => figure(cause, STEPS).unwrap_or(0.0) >= LEAST_ACCOUNTED * temporary,
            None => true,
        }
    }
}

fn finding(facts: &Facts<'_>, site: &CpuSite) -> Finding {
    let place = facts.place(site.stack);
    let title = format!(
        "`{}` spends {:.0} % of the program's time making containers larger",
        place.function,
        100.0 * site.share.estimate
    );
    let share = Share::between(site.share.low, site.share.estimate, (BESIDE * site.share.high).min(1.0));
    let gain = Gain::removed(share, REMOVED, "if 40 % to all of these steps go by making room once");
    let mut finding = Finding::new(&ABOUT, title, place, gain)
        .because(
            "A container that is full takes a larger block and moves all that it holds. One that is made with room for all \
             does that never, and one that is kept and cleared does it once.",
        )
        .with(Evidence::share("share of the time in growing", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in growing", site.samples as f64, Unit::Count))
        .fixed_by(
            Fix::new(
                "Make room for what is known to come: Vec::with_capacity or reserve, vector::reserve, a list made at once by a \
                 comprehension, \"\".join(parts) instead of +=. Or keep the container and clear it.",
            )
            .with_code(
                "let mut rows = Vec::new();\nfor line in lines { rows.push(parse(line)); }",
                "let mut rows = Vec::with_capacity(lines.len());\nfor line in lines { rows.push(parse(line)); }",
            ),
        );
    if let Some(steps) = steps(facts, site.stack) {
        finding = finding.with(Evidence::new(STEPS, steps as f64, Unit::Count));
    }
    finding
}

/// Whether samples of a path are of work that goes if nothing has to grow. Pages that are touched first have to be made ready
/// anyway, and small blocks that were freed before are joined when the next large one is asked for, whoever asks.
fn is_step(facts: &Facts<'_>, stack: StackId) -> bool {
    let caller = facts.profile().stacks.get(stack).parent;
    let is_joining = |stack: StackId| facts.name(stack).contains("malloc_consolidate");
    facts.kind(stack) != FrameKind::Kernel
        && !is_joining(stack)
        && !caller.is_some_and(is_joining)
        && is_growing(facts, stack)
        && !is_first_block(facts, stack)
        && memory_work(facts, stack) != MemoryWork::Watching
}

/// Blocks that were taken to make containers of a function larger, where the heap was watched.
fn steps(facts: &Facts<'_>, place: StackId) -> Option<u64> {
    let profile = facts.profile();
    profile.heap.summary?;
    let function = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame).function();
    let of_place = profile.heap.iter().filter(|(key, _)| {
        let site = facts.program_site(key.stack);
        site.is_some_and(|site| function(site) == function(place))
            && is_growing(facts, key.stack)
            && !is_first_block(facts, key.stack)
    });
    Some(of_place.map(|(_, site)| site.allocated_count).sum()).filter(|steps| *steps > 0)
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;

    const READ: [&str; 2] = ["app::main@src/main.rs:3", "app::read@src/rows.rs:7"];

    fn draft(growing: u64, others: u64) -> Draft {
        let grow = [READ[0], READ[1], "alloc::raw_vec::RawVec<T,A>::grow_one", "realloc!libc.so.6"];
        let moved = [&grow[..], &["memmove!libc.so.6"]].concat();
        Draft::new().seconds(1.0).cpu(&moved, growing).cpu(&READ, others)
    }

    fn judged(draft: Draft) -> Outcome {
        StepwiseGrowth.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn growing_is_found_at_the_line_that_fills_the_container_with_its_steps() {
        let site = HeapSite { allocated_count: 90, allocated_bytes: 9_000, ..HeapSite::default() };
        let path = [READ[0], READ[1], "alloc::raw_vec::RawVec<T,A>::grow_one", "realloc!libc.so.6"];
        let Outcome::Findings(found) = judged(draft(300, 700).heap(&path, site)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/rows.rs:7"));
        assert!(finding.gain.low > 1.1 && finding.gain.high < 2.2, "{:?}", finding.gain);
        assert_eq!(finding.evidence.last().map(|last| last.value), Some(90.0));
    }

    #[test]
    fn growing_below_the_threshold_is_fine() {
        assert_eq!(judged(draft(79, 921)), Outcome::Fine);
        assert!(matches!(judged(draft(81, 919)), Outcome::Findings(_)));
        assert_eq!(judged(draft(19, 100)), Outcome::Fine);
    }

    #[test]
    fn copies_and_allocations_that_make_nothing_larger_are_fine() {
        let draft = Draft::new()
            .seconds(1.0)
            .cpu(&[READ[0], READ[1], "memmove!libc.so.6"], 500)
            .cpu(&[READ[0], READ[1], "malloc!libc.so.6"], 500);
        assert_eq!(judged(draft), Outcome::Fine);
    }

    #[test]
    fn pages_that_are_touched_first_and_blocks_that_are_joined_are_no_steps() {
        let realloc = [READ[0], READ[1], "alloc::raw_vec::RawVec<T,A>::grow_one", "realloc!libc.so.6"];
        let touched = [&realloc[..], &["memmove!libc.so.6", "kernel:[kernel]"]].concat();
        let joined = [&realloc[..], &["malloc_consolidate!libc.so.6", "unlink_chunk!libc.so.6"]].concat();
        let draft = Draft::new().seconds(1.0).cpu(&touched, 300).cpu(&joined, 300).cpu(&READ, 400);
        assert_eq!(judged(draft), Outcome::Fine);
    }

    #[test]
    fn the_first_block_of_a_container_is_no_step() {
        let first = [READ[0], READ[1], "alloc::raw_vec::RawVecInner<A>::finish_grow", "malloc!libc.so.6"];
        let inlined =
            [READ[0], READ[1], "alloc::raw_vec::finish_grow", "alloc::alloc::alloc", "malloc!libc.so.6"];
        let draft = Draft::new().seconds(1.0).cpu(&first, 300).cpu(&inlined, 300).cpu(&READ, 400);
        assert_eq!(judged(draft), Outcome::Fine);
        // C++ makes room by a new block and never by realloc.
        let vector = [READ[0], READ[1], "std::vector<int>::_M_realloc_insert!app", "malloc!libc.so.6"];
        let draft = Draft::new().seconds(1.0).cpu(&vector, 300).cpu(&READ, 700);
        assert!(matches!(judged(draft), Outcome::Findings(_)));
    }

    #[test]
    fn it_accounts_for_temporary_blocks_that_are_mostly_its_steps() {
        let told = |blocks: u64| {
            let site = HeapSite { allocated_count: 90, allocated_bytes: 9_000, ..HeapSite::default() };
            let path = [READ[0], READ[1], "alloc::raw_vec::RawVec<T,A>::grow_one", "realloc!libc.so.6"];
            let Outcome::Findings(found) = judged(draft(300, 700).heap(&path, site)) else { panic!("found") };
            let symptom = found[0].clone().with(Evidence::new(TEMPORARY, blocks as f64, Unit::Count));
            StepwiseGrowth.accounts_for(&found[0], &symptom)
        };
        assert!(told(180) && !told(181));
    }

    #[test]
    fn counting_steps_for_calor_is_no_growing() {
        let path = [READ[0], READ[1], "alloc::raw_vec::RawVec<T,A>::grow_one", "realloc!libcalor_preload.so"];
        let draft = Draft::new().seconds(1.0).cpu(&path, 500).cpu(&READ, 500);
        assert_eq!(judged(draft), Outcome::Fine);
    }
}
