//! Much of the time goes into copying memory from one place to another, which by itself computes nothing.

use calor_model::{FrameKind, StackId};

use crate::findings::allocation::{MemoryWork, memory_work};
use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Place, Rule, Share, Topic, Unit,
};
use crate::wait_reason::bare;

/// Copies of one function of the program that take less than this of the whole are part of any work.
const LEAST_SHARE: f64 = 0.10;
/// Ends of the names of functions that copy a value for whoever calls them.
const CLONES: [&str; 2] = ["::clone", "::to_owned"];
/// Fewer samples of copies are too few to found advice on.
const LEAST_SAMPLES: u64 = 20;
/// The part of the copies that can go: some of them move data to where it is needed.
const REMOVED: (f64, f64) = (0.4, 1.0);

/// Functions of containers that move what lies behind a place to make room there or to close a gap, in Rust, C++ and Python.
const SHIFTS: [&str; 11] = [
    "insert",
    "remove",
    "drain",
    "splice",
    "insert_str",
    "emplace",
    "erase",
    "insert_aux",
    "ins1",
    "list_insert",
    "list_ass_slice",
];
/// The part of a function's copies that has to be shifting for advice about that.
const LEAST_SHIFTING: f64 = 0.5;

pub(super) struct MemoryCopies;

const ABOUT: About<'_> = About {
    id: "CPU-MEMORY-COPIES",
    version: 1,
    topic: Topic::Cpu,
    title: "a function copies much memory",
    needs: &[Need::CpuSamples],
    suppresses: &[],
};

impl Rule for MemoryCopies {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let sites = facts.cpu_sites(|stack| is_in_copy(facts, stack)).into_iter();
        let sites = sites.map(|site| CpuSite { stack: asker(facts, site.stack), ..site });
        let is_for_block = |stack: StackId| {
            let work = memory_work(facts, stack);
            matches!(work, MemoryWork::Allocator | MemoryWork::Pages) && !is_in_copy(facts, stack)
        };
        let blocks = facts.cpu_sites(is_for_block);
        let sites = sites.filter(|site| !is_nameless(facts.name(site.stack)));
        let heavy = sites.filter(|site| site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES);
        let finding = |site: CpuSite| {
            let place = facts.place(site.stack);
            let title = format!(
                "`{}` spends {:.0} % of the program's time copying memory",
                place.function,
                100.0 * site.share.estimate
            );
            let share = with_blocks(facts, &site, &blocks);
            let reason = "if 40 % to all of these copies can go, at most with the blocks that they fill";
            let gain = Gain::removed(share, REMOVED, reason);
            if is_shifting(facts, &site) {
                return shifting(place, &site, gain);
            }
            Finding::new(&ABOUT, title, place, gain)
                .because(
                    "The time is spent in memcpy or memmove, which move bytes and compute nothing. Common sources are \
                     clones of whole containers, values passed where references would do, and buffers that are put \
                     together from parts only to be read once.",
                )
                .with(Evidence::share("share of the time in copies", site.share).against(LEAST_SHARE))
                .with(Evidence::new("samples in copies", site.samples as f64, Unit::Count))
                .fixed_by(
                    Fix::new("Pass references or views instead of copies, move values instead of cloning them, and write \
                              into the buffer that is read in the end.")
                        .with_code("let rows = table.rows.clone();\nsum(&rows)", "sum(&table.rows)"),
                )
        };
        let found: Vec<Finding> = heavy.map(finding).collect();
        match cut_off(facts).filter(|_| found.is_empty()) {
            Some(share) => Outcome::NotEnough {
                missing: format!(
                    "who asks for the copies that take {:.0} % of the time: their call paths are cut off",
                    100.0 * share.estimate
                ),
                how: "calor record -- PROGRAM, or perf record --call-graph dwarf PROGRAM".to_owned(),
            },
            None => Outcome::of(found),
        }
    }
}

/// Copies that nobody knows the callers of, where those are many: their part of the time.
fn cut_off(facts: &Facts<'_>) -> Option<Share> {
    let cpu = facts.cpu();
    let stacks = cpu.stacks().filter(|stack| is_in_copy(facts, *stack) && is_cut_off(facts, *stack));
    let (samples, nanos) = stacks.map(|stack| cpu.own(stack)).fold((0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let share = cpu.share(samples, nanos);
    (share.estimate >= LEAST_SHARE && samples >= LEAST_SAMPLES).then_some(share)
}

/// Whether a function's name is not known.
fn is_nameless(name: &str) -> bool {
    ["[", "(unknown", "0x"].iter().any(|start| name.starts_with(start))
}

/// Whether no caller of a copy has a name.
fn is_cut_off(facts: &Facts<'_>, stack: StackId) -> bool {
    let mut at = Some(stack);
    while let Some(path) = at {
        let name = facts.name(path);
        let is_native = !matches!(facts.kind(path), FrameKind::Kernel | FrameKind::Synthetic);
        if is_native && !is_nameless(name) && !is_copy(name) {
            return false;
        }
        at = facts.profile().stacks.get(path).parent;
    }
    true
}

/// The copies of a function, at most with what the allocator and the kernel do there for blocks that are copied into.
fn with_blocks(facts: &Facts<'_>, copies: &CpuSite, blocks: &[CpuSite]) -> Share {
    let function =
        |stack: StackId| facts.profile().frames.get(facts.profile().stacks.get(stack).frame).function();
    let blocks = blocks.iter().find(|site| function(site.stack) == function(copies.stack));
    let Share { low, estimate, high } = copies.share;
    let Some(blocks) = blocks else { return copies.share };
    // Of both together, not the most of each: those add up to more than there is.
    let nanos = |site: &CpuSite| site.stacks.iter().map(|stack| facts.cpu().own(*stack).1).sum::<f64>();
    let both = facts.cpu().share(copies.samples + blocks.samples, nanos(copies) + nanos(blocks));
    Share::between(low, estimate, high.max(both.high))
}

/// Whether most copies of a function are of elements that make room for others.
fn is_shifting(facts: &Facts<'_>, site: &CpuSite) -> bool {
    let shifts = |stack: &StackId| {
        let program = facts.program_site(*stack);
        let mut path = std::iter::successors(Some(*stack), |at| facts.profile().stacks.get(*at).parent)
            .take_while(|at| Some(*at) != program);
        path.any(|at| SHIFTS.contains(&bare(facts.name(at)).trim_start_matches("M_")))
    };
    let samples = |stack: &StackId| facts.cpu().own(*stack).0;
    let shifted: u64 = site.stacks.iter().filter(|stack| shifts(stack)).map(samples).sum();
    shifted as f64 >= LEAST_SHIFTING * site.samples as f64
}

fn shifting(place: Place, site: &CpuSite, gain: Gain) -> Finding {
    let title = format!(
        "`{}` spends {:.0} % of the program's time moving elements to make room for others",
        place.function,
        100.0 * site.share.estimate
    );
    Finding::new(&ABOUT, title, place, gain)
        .because(
            "To insert or to remove an element in front of others, a container whose elements lie side by side moves all that \
             come after it, each time: twice the elements take four times as long.",
        )
        .with(Evidence::share("share of the time in copies", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in copies", site.samples as f64, Unit::Count))
        .fixed_by(
            Fix::new(
                "Add and take at the end, and turn the order around once if it matters; take a queue with two ends (VecDeque, \
                 std::deque, collections.deque); remove by swapping with the last (swap_remove), or all at once (retain).",
            )
            .with_code(
                "for row in rows {\n    latest.insert(0, row);\n}",
                "let mut latest = VecDeque::new();\nfor row in rows {\n    latest.push_front(row);\n}",
            ),
        )
}

/// The function that asked for a copy: what makes one of a value is mostly written by the compiler, and is right as it is.
fn asker(facts: &Facts<'_>, stack: StackId) -> StackId {
    let mut at = stack;
    while let Some(caller) = facts.profile().stacks.get(at).parent
        && CLONES.iter().any(|clone| facts.name(at).ends_with(clone))
        && let Some(site) = facts.program_site(caller)
    {
        at = site;
    }
    at
}

/// Whether a path ends in a copy, or in what the kernel does for one: pages that it touches first.
fn is_in_copy(facts: &Facts<'_>, stack: StackId) -> bool {
    let mut at = Some(stack);
    while let Some(path) =
        at.filter(|path| matches!(facts.kind(*path), FrameKind::Kernel | FrameKind::Synthetic))
    {
        at = facts.profile().stacks.get(path).parent;
    }
    at.is_some_and(|path| is_copy(facts.name(path)))
}

/// Whether a function is one of those that every program copies with; C libraries have one for each processor.
fn is_copy(name: &str) -> bool {
    let name = bare(name);
    ["memcpy", "memmove", "mempcpy"].iter().any(|copy| name.starts_with(copy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Severity;
    use crate::findings::draft::Draft;

    fn judged(copies: u64, others: u64) -> Outcome {
        let load = ["app::main@src/main.rs:3", "app::load@src/load.rs:7"];
        let copy = [load[0], load[1], "__memmove_avx_unaligned_erms!libc.so.6"];
        let profile = Draft::new().seconds(1.0).cpu(&copy, copies).cpu(&load, others).profile();
        MemoryCopies.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_function_that_spends_much_of_the_time_in_copies_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(400, 600) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/load.rs:7"));
        assert!(finding.title.contains("`app::load` spends 40 %"), "{}", finding.title);
        assert_eq!(finding.severity(), Some(Severity::High));
        assert!(finding.gain.low > 1.15 && finding.gain.high < 1.8, "{:?}", finding.gain);
    }

    #[test]
    fn a_copy_belongs_to_the_function_that_asked_for_it() {
        let path = [
            "app::main@src/main.rs:3",
            "app::answer@src/answer.rs:9",
            "<app::Table as core::clone::Clone>::clone@src/table.rs:2",
            "__memcpy_avx_unaligned_erms!libc.so.6",
        ];
        let profile = Draft::new().seconds(1.0).cpu(&path, 400).cpu(&path[..2], 600).profile();
        let Outcome::Findings(found) = MemoryCopies.judge(&Facts::new(&profile, None)) else {
            panic!("found")
        };
        assert_eq!(found[0].place.source().as_deref(), Some("src/answer.rs:9"));
    }

    #[test]
    fn elements_that_make_room_for_others_have_advice_of_their_own() {
        let push = ["app::main@src/main.rs:3", "app::push@src/latest.rs:9"];
        let insert = [push[0], push[1], "alloc::vec::Vec<T,A>::insert", "memmove!libc.so.6"];
        let profile = Draft::new().seconds(1.0).cpu(&insert, 990).cpu(&push, 10).profile();
        let Outcome::Findings(found) = MemoryCopies.judge(&Facts::new(&profile, None)) else {
            panic!("found")
        };
        assert!(found[0].title.contains("moving elements to make room"), "{}", found[0].title);
        assert!(found[0].fix.after.as_ref().is_some_and(|code| code.contains("VecDeque")));
    }

    #[test]
    fn copies_and_their_blocks_are_never_all_there_is() {
        let load = "app::load@src/load.rs:7";
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&[load, "memmove!libc.so.6"], 900)
            .cpu(&[load, "malloc!libc.so.6"], 80)
            .cpu(&[load], 20)
            .profile();
        let Outcome::Findings(found) = MemoryCopies.judge(&Facts::new(&profile, None)) else {
            panic!("found")
        };
        assert!((30.0..120.0).contains(&found[0].gain.high), "{:?}", found[0].gain);
    }

    #[test]
    fn blocks_that_are_copied_into_may_go_with_the_copies() {
        let load = "app::load@src/load.rs:7";
        let judged = |elsewhere: &str| {
            let profile = Draft::new()
                .seconds(1.0)
                .cpu(&[load, "memmove!libc.so.6"], 500)
                .cpu(&[elsewhere, "malloc!libc.so.6"], 300)
                .cpu(&["app::main@src/main.rs:3"], 200)
                .profile();
            let outcome = MemoryCopies.judge(&Facts::new(&profile, None));
            let Outcome::Findings(found) = outcome else { panic!("found") };
            found[0].gain.share.high
        };
        assert!(judged(load) > 0.8 && judged("app::main@src/main.rs:9") < 0.55);
    }

    #[test]
    fn pages_that_a_copy_touches_first_are_part_of_it() {
        let load = ["app::main@src/main.rs:3", "app::load@src/load.rs:7"];
        let fault = [load[0], load[1], "memcpy!libc.so.6", "kernel:asm_exc_page_fault"];
        let profile = Draft::new().seconds(1.0).cpu(&fault, 400).cpu(&load, 600).profile();
        assert!(matches!(MemoryCopies.judge(&Facts::new(&profile, None)), Outcome::Findings(_)));
    }

    #[test]
    fn copies_below_the_threshold_are_fine() {
        assert_eq!(judged(99, 901), Outcome::Fine);
        assert!(matches!(judged(101, 899), Outcome::Findings(_)));
        assert_eq!(judged(19, 100), Outcome::Fine);
    }

    #[test]
    fn copies_for_nobody_in_the_program_are_fine() {
        let profile = Draft::new().seconds(1.0).cpu(&["start!libc.so.6", "memcpy!libc.so.6"], 500).profile();
        assert_eq!(MemoryCopies.judge(&Facts::new(&profile, None)), Outcome::Fine);
    }

    #[test]
    fn copies_whose_callers_are_not_known_are_not_enough() {
        let judged = |path: &[&str], copies| {
            let main = ["app::main@src/main.rs:3"];
            let profile = Draft::new().seconds(1.0).cpu(path, copies).cpu(&main, 1000 - copies).profile();
            MemoryCopies.judge(&Facts::new(&profile, None))
        };
        let copy = "__memmove_avx512_unaligned_erms!libc.so.6";
        for path in [&[copy][..], &["[unknown]", copy], &["0x7f01", copy], &[copy, "kernel:[kernel]"]] {
            let Outcome::NotEnough { missing, how } = judged(path, 570) else { panic!("{path:?}") };
            assert!(missing.contains("57 %") && how.contains("--call-graph dwarf"), "{missing} {how}");
        }
        assert_eq!(judged(&[copy], 99), Outcome::Fine);
    }

    #[test]
    fn names_of_all_processors_are_known_and_others_are_not() {
        for copy in [
            "memcpy",
            "__memcpy_avx512_unaligned",
            "__memmove_sse2_unaligned_erms",
            "__GI_mempcpy",
            "memcpy@plt",
        ] {
            assert!(is_copy(copy), "{copy}");
        }
        for other in ["memset", "__memcmp_avx2_movbe", "app::copy_rows"] {
            assert!(!is_copy(other), "{other}");
        }
    }
}
