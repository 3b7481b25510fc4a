//! A hot loop waits for memory at places that it only learns of from memory: lists, trees, tables of indices over more data
//! than the caches hold. Neither arithmetic nor bandwidth limits it, but the time that one fetch takes.

use calor_model::{FunctionKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::code::Walk;
use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, FunctionFacts, Gain, HotCode, Outcome, Rule, ScopeFacts,
    Topic, Unit,
};

/// A place with less of the time is not worth another layout of its data.
const LEAST_SHARE: f64 = 0.15;
/// Fewer samples do not tell where a loop waits.
const LEAST_SAMPLES: u64 = 50;
/// The part of the loop's samples that has to be at loads whose address was loaded.
const LEAST_AT_LOADS: f64 = 0.7;
/// From this much memory on, data is not all in the caches near a core.
const LEAST_HEAP: u64 = 16 << 20;
/// What a fetch from main memory takes at least, about.
const FETCH_NANOS: f64 = 60.0;
/// The part of a function's time that its misses have to explain.
const LEAST_EXPLAINED: f64 = 0.4;
/// An access that takes longer was not in a cache near the core.
const SLOW_ACCESS_NANOS: f64 = 15.0;
/// Fetches that are known ahead, smaller data, or sorted indices: a little to a lot.
const LOCAL: (f64, f64) = (1.2, 12.0);
/// A list that becomes an array: from a fetch for each element to one for several, which comes before it is asked for.
const CHASED: (f64, f64) = (1.3, 40.0);

pub(super) struct LatencyBound;

const ABOUT: About<'_> = About {
    id: "MACHINE-LATENCY-BOUND",
    version: 1,
    topic: Topic::Machine,
    title: "a hot loop waits for one fetch from memory after the other",
    needs: &[],
    suppresses: &["CPU-CRITICAL-SCOPE", "CPU-SCALAR-LOOP"],
};

impl Rule for LatencyBound {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let misses = misses(facts);
        let heap = facts.heap().map(|heap| heap.totals.peak_bytes);
        let told = facts.scopes().iter().filter(|scope| accesses(facts, scope).is_some());
        let mut found: Vec<Finding> = told.filter_map(|scope| of_scope(facts, scope)).collect();
        if let Some(misses) = &misses {
            let functions = facts.functions().iter();
            found.extend(functions.filter_map(|function| of_misses(facts, function, misses)));
        } else if let Some(heap) = heap {
            found.extend(facts.hot_code().iter().filter_map(|code| of_code(facts, code, heap)));
        }
        let has_told = facts.scopes().iter().any(|scope| accesses(facts, scope).is_some());
        if found.is_empty()
            && misses.is_none()
            && !has_told
            && (heap.is_none() || facts.profile().code.is_empty())
        {
            // Counters that were asked for and are not there cannot be had where it was recorded.
            let how = match facts.profile().events.is_empty() {
                true => "calor record --counters -- PROGRAM, or calor record --heap -- PROGRAM",
                false => {
                    "calor record --heap -- PROGRAM; the counters that were recorded have no misses of the caches, which \
                     virtual machines mostly do not count"
                }
            };
            return Outcome::NotEnough {
                missing: "misses of the caches, or the heap beside the code of hot functions".to_owned(),
                how: how.to_owned(),
            };
        }
        Outcome::of(found)
    }
}

/// Misses of the last cache by function.
type Misses = IndexMap<FunctionKey, u64, RandomState>;

fn misses(facts: &Facts<'_>) -> Option<Misses> {
    let counters = facts.events()?.counters();
    let is_miss =
        |name: &str| matches!(name, "cache-misses" | "LLC-load-misses" | "mem_load_retired.l3_miss");
    let counter = counters.into_iter().find(|counter| is_miss(facts.profile().strings.get(counter.name)))?;
    let mut misses = Misses::default();
    for path in &counter.paths {
        *misses.entry(function_of(facts, path.stack)).or_default() += path.own.events;
    }
    Some(misses)
}

fn function_of(facts: &Facts<'_>, stack: StackId) -> FunctionKey {
    let profile = facts.profile();
    profile.frames.get(profile.stacks.get(stack).frame).function()
}

/// A function most of whose time its misses explain.
fn of_misses(facts: &Facts<'_>, function: &FunctionFacts, misses: &Misses) -> Option<Finding> {
    let n_misses = misses.get(&function_of(facts, function.stack)).copied().unwrap_or(0);
    let nanos = function.stacks.iter().map(|stack| facts.cpu().own(*stack).1).sum::<f64>();
    let explained = n_misses as f64 * FETCH_NANOS / nanos.max(1.0);
    if function.self_share.estimate < LEAST_SHARE
        || function.samples < LEAST_SAMPLES
        || explained < LEAST_EXPLAINED
    {
        return None;
    }
    let site = CpuSite {
        stack: facts.program_site(function.stack)?,
        samples: function.samples,
        share: function.self_share,
        stacks: function.stacks.clone(),
    };
    let evidence = Evidence::new("misses of the last cache", n_misses as f64, Unit::Count);
    let each = Evidence::new("time for each miss", nanos / n_misses.max(1) as f64, Unit::Nanos)
        .against(FETCH_NANOS / LEAST_EXPLAINED);
    Some(finding(facts, &site, LOCAL).with(evidence).with(each))
}

/// A loop that loads addresses, in a program with more data than the caches hold.
fn of_code(facts: &Facts<'_>, code: &HotCode, heap_bytes: u64) -> Option<Finding> {
    let shape = code.shape.as_ref()?;
    let at_loads = shape.waiting_share();
    let is_heavy = code.site.share.estimate >= LEAST_SHARE && code.site.samples >= LEAST_SAMPLES;
    let waits = shape.loads.iter().any(|load| matches!(load.walk, Walk::Told | Walk::Chased));
    (is_heavy && waits && at_loads >= LEAST_AT_LOADS && heap_bytes >= LEAST_HEAP).then(|| {
        let is_chased = shape.loads.iter().any(|load| load.walk == Walk::Chased);
        finding(facts, &code.site, if is_chased { CHASED } else { LOCAL })
            .with(Evidence::new("samples at such loads", at_loads, Unit::Share).against(LEAST_AT_LOADS))
            .with(Evidence::new("most bytes held", heap_bytes as f64, Unit::Bytes).against(LEAST_HEAP as f64))
    })
}

/// A scope that told its accesses.
fn of_scope(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<Finding> {
    let nanos = scope.total_nanos as f64 / accesses(facts, scope)? as f64;
    if nanos < SLOW_ACCESS_NANOS || scope.total_share.estimate < LEAST_SHARE {
        return None;
    }
    let site =
        CpuSite { stack: scope.stack, samples: scope.calls, share: scope.total_share, stacks: Vec::new() };
    Some(
        finding(facts, &site, LOCAL)
            .with(Evidence::new("time of an access", nanos, Unit::Nanos).against(SLOW_ACCESS_NANOS)),
    )
}

fn accesses(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<i64> {
    facts.counter(&scope.stats.work, "random_accesses").filter(|accesses| *accesses > 0)
}

fn finding(facts: &Facts<'_>, site: &CpuSite, local: (f64, f64)) -> Finding {
    let place = facts.place(site.stack);
    let title = format!(
        "`{}` waits for memory that it finds by addresses from memory, {:.0} % of the time",
        place.function,
        100.0 * site.share.estimate
    );
    let reason = "if data that is used together lies together, or fetches can begin ahead";
    Finding::new(&ABOUT, title, place, Gain::faster(site.share, local, reason))
        .because(
            "The address of each fetch is itself fetched, so the processor cannot begin early, and nothing near it is of use \
             for the next. A fetch from main memory takes as long as some hundred instructions.",
        )
        .with(Evidence::share("share of the time", site.share).against(LEAST_SHARE))
        .fixed_by(
            Fix::new(
                "Keep the elements in one array and refer to them by small indices in the order of use; sort the indices \
                 before using them; do several independent look-ups at a time; make elements smaller.",
            )
            .with_code(
                "while let Some(node) = next {\n    sum += node.value;\n    next = node.next.as_deref();\n}",
                "for node in &nodes {   // a Vec in the order of the list\n    sum += node.value;\n}",
            ),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::{EventKey, EventWeight, FrameKind, HeapSite, LabelTable, ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;

    /// add rax, [rdi]; mov rdi, [rdi + 8]; test rdi, rdi; jne to the first
    const LIST: &[u8] = &[0x48, 0x03, 0x07, 0x48, 0x8b, 0x7f, 0x08, 0x48, 0x85, 0xff, 0x75, 0xf4, 0xc3];
    /// add rax, [rdi]; add rdi, 8; cmp rdi, rsi; jne to the first
    const ARRAY: &[u8] = &[0x48, 0x03, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf4, 0xc3];
    const PATH: [&str; 2] = ["app::main@src/main.rs:3", "app::walk@src/list.rs:7"];

    fn draft(code: &[u8], in_loop: u64, others: u64) -> Draft {
        let draft = Draft::new().seconds(1.0).cpu(&PATH, in_loop).cpu(&PATH[..1], others);
        draft.code("app::walk", code, &[(3, in_loop)])
    }

    fn with_heap(draft: Draft, bytes: u64) -> Outcome {
        let site =
            HeapSite { allocated_bytes: bytes, allocated_count: 1, peak_bytes: bytes, ..HeapSite::default() };
        LatencyBound.judge(&Facts::new(&draft.heap(&PATH[..1], site).profile(), None))
    }

    fn with_misses(events: u64) -> Outcome {
        let mut draft = draft(ARRAY, 600, 400);
        let stack = draft.path(&PATH, FrameKind::Native);
        let profile = draft
            .change(|profile| {
                let thread = profile.intern_thread(1, 1, "main");
                let key = EventKey {
                    name: profile.strings.intern("cache-misses"),
                    stack,
                    thread,
                    labels: LabelTable::none(),
                };
                profile.events.add(key, EventWeight { events, samples: 100 });
            })
            .profile();
        LatencyBound.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_list_over_much_memory_is_found() {
        let Outcome::Findings(found) = with_heap(draft(LIST, 600, 400), 64 << 20) else { panic!("found") };
        assert_eq!(found[0].place.source().as_deref(), Some("src/list.rs:7"));
        assert!(found[0].gain.low > 1.12 && found[0].gain.high < 2.6, "{:?}", found[0].gain);
    }

    #[test]
    fn arrays_small_heaps_and_cool_loops_are_fine() {
        assert_eq!(with_heap(draft(ARRAY, 600, 400), 64 << 20), Outcome::Fine);
        assert_eq!(with_heap(draft(LIST, 600, 400), 15 << 20), Outcome::Fine);
        assert_eq!(with_heap(draft(LIST, 145, 855), 64 << 20), Outcome::Fine);
        assert_eq!(with_heap(draft(LIST, 49, 51), 64 << 20), Outcome::Fine);
    }

    #[test]
    fn misses_that_explain_the_time_are_found_whatever_the_code() {
        assert!(matches!(with_misses(4_100_000), Outcome::Findings(_)));
        assert_eq!(with_misses(3_900_000), Outcome::Fine);
    }

    #[test]
    fn accesses_that_a_scope_told_are_held_against_the_time() {
        let judged = |nanos: u64| {
            let profile = Draft::new()
                .seconds(1e-3)
                .change(|profile| {
                    let mut work = Work::default();
                    work.add_counter(profile.strings.intern("random_accesses"), 10_000);
                    let stack = profile.intern_named_path(&["look up"], FrameKind::Scope).unwrap();
                    let thread = profile.intern_thread(1, 1, "main");
                    let key = calor_model::ScopeKey { stack, thread, labels: LabelTable::none() };
                    let stats =
                        ScopeStats { calls: 1, total_nanos: 10_000 * nanos, work, ..ScopeStats::default() };
                    profile.scopes.add(key, stats);
                })
                .profile();
            LatencyBound.judge(&Facts::new(&profile, None))
        };
        assert!(matches!(judged(16), Outcome::Findings(_)));
        assert_eq!(judged(14), Outcome::Fine);
    }

    #[test]
    fn without_misses_heap_or_told_accesses_it_cannot_tell() {
        let outcome = LatencyBound.judge(&Facts::new(&draft(LIST, 600, 400).profile(), None));
        assert!(matches!(outcome, Outcome::NotEnough { .. }));
    }
}
