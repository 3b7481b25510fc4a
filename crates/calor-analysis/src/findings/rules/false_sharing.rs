//! Threads that work on data of their own take longer the more of them there are, because their data lies in the same lines
//! of the caches, or is the same after all: each write takes the line away from all others.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{FunctionKey, StackId, ThreadId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, FunctionFacts, Gain, Outcome, Rule, Share, Topic, Unit,
};

/// So many times longer than its turn an element takes. Where threads share something that one of them can use up, main memory
/// or a lock, each element takes as many times longer as there are more threads, and all together are as fast as before.
/// Those that take lines from each other are slower together than alone.
const LEAST_BEYOND: f64 = 1.3;
/// What a load takes at least that finds its line changed by another core.
const TRANSFER_NANOS: f64 = 40.0;
/// The part of a function's time that such loads have to explain.
const LEAST_EXPLAINED: f64 = 0.25;
/// A place with less of the time is not worth another layout.
const LEAST_SHARE: f64 = 0.10;
/// Fewer samples on a thread do not make it one that works there.
const LEAST_SAMPLES: u64 = 20;
/// The label that says how many threads worked.
const LABEL: &str = "threads";

pub(super) struct FalseSharing;

const ABOUT: About<'_> = About {
    id: "THREADS-FALSE-SHARING",
    version: 1,
    topic: Topic::Threads,
    title: "threads slow each other down over lines of the caches",
    needs: &[],
    suppresses: &[],
};

impl Rule for FalseSharing {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let (by_scopes, transfers) = (by_threads(facts), transfers(facts));
        if by_scopes.is_empty() && transfers.is_none() {
            return Outcome::NotEnough {
                missing: "the same scope with different numbers of threads, or loads of lines that others changed".to_owned(),
                how: "label a scope with threads=N, let it tell its elements, and run it with several N; or, on an Intel \
                      processor, give the file of perf record -g -e mem_load_l3_hit_retired.xsnp_hitm -- PROGRAM"
                    .to_owned(),
            };
        }
        let scopes = by_scopes.iter().filter_map(|(stack, sizes)| of_scope(facts, *stack, sizes));
        let transfers = transfers.unwrap_or_default();
        let functions =
            facts.functions().iter().filter_map(|function| of_function(facts, function, &transfers));
        Outcome::of(scopes.chain(functions).collect())
    }
}

/// By scope and number of threads: elements, and time of all threads.
type Sizes = BTreeMap<u64, (u64, u64)>;

fn by_threads(facts: &Facts<'_>) -> Vec<(StackId, Sizes)> {
    let mut scopes: BTreeMap<StackId, Sizes> = BTreeMap::new();
    for (key, stats) in facts.profile().scopes.iter() {
        let Some(threads) = facts.label(key.labels, LABEL).and_then(|threads| threads.parse().ok()) else {
            continue;
        };
        if stats.work.elements > 0 {
            let sum = scopes.entry(key.stack).or_default().entry(threads).or_default();
            *sum = (sum.0 + stats.work.elements, sum.1 + stats.inclusive_nanos());
        }
    }
    scopes.into_iter().filter(|(_, sizes)| sizes.len() >= 2).collect()
}

fn of_scope(facts: &Facts<'_>, stack: StackId, sizes: &Sizes) -> Option<Finding> {
    let each = |(elements, nanos): &(u64, u64)| *nanos as f64 / *elements as f64;
    let (fewest, first) = sizes.first_key_value()?;
    let (most, last) = sizes.range(..=u64::from(facts.cores().unwrap_or(u32::MAX))).next_back()?;
    let slowdown = each(last) / each(first);
    let least = LEAST_BEYOND * *most as f64 / (*fewest).max(1) as f64;
    if most <= fewest || slowdown < least {
        return None;
    }
    let scope = facts.scopes().iter().find(|scope| scope.stack == stack)?;
    let part = last.1 as f64 / scope.total_nanos.max(1) as f64;
    let share = scope.total_share.scaled(part.min(1.0));
    let evidence = Evidence::new("slow-down of an element", slowdown, Unit::Ratio).against(least);
    let title =
        format!("`{}` takes {slowdown:.1} times as long on {most} threads as on {fewest}", facts.name(stack));
    let local = (1.0 + 0.3 * (slowdown - 1.0), slowdown);
    Some(finding(facts, stack, title, share, local).with(evidence))
}

/// Loads of lines that another core had changed, by function: on which threads, and how many.
type Transfers = IndexMap<FunctionKey, (BTreeSet<ThreadId>, u64), RandomState>;

fn transfers(facts: &Facts<'_>) -> Option<Transfers> {
    let profile = facts.profile();
    let is_transfer =
        |name: &str| name.contains("hitm") || name.contains("HITM") || name.contains("xsnp_fwd");
    let is_known = profile.events.names().iter().any(|name| is_transfer(profile.strings.get(*name)));
    let rows = profile.events.iter().filter(|(key, _)| is_transfer(profile.strings.get(key.name)));
    let function = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame).function();
    is_known.then(|| {
        let mut transfers = Transfers::default();
        for (key, weight) in rows {
            let sum = transfers.entry(function(key.stack)).or_default();
            sum.0.insert(key.thread);
            sum.1 += weight.events;
        }
        transfers
    })
}

fn of_function(facts: &Facts<'_>, function: &FunctionFacts, transfers: &Transfers) -> Option<Finding> {
    let is_heavy = function.self_share.estimate >= LEAST_SHARE && function.samples >= 2 * LEAST_SAMPLES;
    if !is_heavy {
        return None;
    }
    let profile = facts.profile();
    let own = profile.frames.get(profile.stacks.get(function.stack).frame).function();
    let (threads, events) = transfers.get(&own)?;
    // Of all threads together: events are counted on each.
    let cpu = facts.cpu();
    let each = facts.whole().cpu_nanos as f64 / cpu.samples.max(1) as f64;
    let explained = (*events as f64 * TRANSFER_NANOS / (each * function.samples as f64).max(1.0)).min(1.0);
    if threads.len() < 2 || explained < LEAST_EXPLAINED {
        return None;
    }
    let stack = facts.program_site(function.stack)?;
    let title = format!(
        "{} threads take lines of the caches from each other in `{}`",
        threads.len(),
        facts.name(stack)
    );
    let local = (1.0 / (1.0 - 0.5 * explained), 1.0 / (1.0 - explained).max(0.05));
    let evidence = Evidence::new("loads of lines that others changed", *events as f64, Unit::Count);
    Some(finding(facts, stack, title, function.self_share, local).with(evidence).with(
        Evidence::new("part of the time they explain", explained, Unit::Share).against(LEAST_EXPLAINED),
    ))
}

fn finding(facts: &Facts<'_>, stack: StackId, title: String, share: Share, local: (f64, f64)) -> Finding {
    let gain = Gain::faster(share, local, "if each thread writes to lines of its own");
    Finding::new(&ABOUT, title, facts.place(stack), gain)
        .because(
            "A core that writes takes the whole line of 64 bytes from all others. Counters of several threads in one array, or \
             one counter for all of them, are then fetched from core to core at every step.",
        )
        .with(Evidence::share("share of the time", share))
        .fixed_by(
            Fix::new(
                "Give each thread a sum of its own on its stack and join them in the end; or put each thread's data on lines of \
                 its own.",
            )
            .with_code(
                "static COUNTS: [AtomicU64; 8] = ...;   // side by side\nCOUNTS[thread].fetch_add(1, Relaxed);",
                "#[repr(align(128))]\nstruct Own(AtomicU64);\nstatic COUNTS: [Own; 8] = ...;",
            ),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::{EventKey, EventWeight, FrameKind, LabelTable, ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;

    const MILLI: u64 = 1_000_000;

    fn by_scope(few_nanos: u64, many_nanos: u64, cores: u32) -> Outcome {
        let stats = |nanos: u64| {
            let work = Work { elements: 100_000, ..Work::default() };
            ScopeStats { calls: 10, total_nanos: 100_000 * nanos, work, ..ScopeStats::default() }
        };
        let profile = Draft::new()
            .seconds(0.02)
            .cores(cores)
            .scope_row("a", &["count"], &[("threads", "1")], stats(few_nanos))
            .scope_row("b", &["count"], &[("threads", "4")], stats(many_nanos))
            .profile();
        FalseSharing.judge(&Facts::new(&profile, None))
    }

    fn by_events(events: u64, threads: &[&str]) -> Outcome {
        let path = ["app::work@src/main.rs:3", "app::count@src/count.rs:7"];
        let mut draft = Draft::new().seconds(1.0);
        let stack = draft.path(&path, FrameKind::Native);
        for thread in threads {
            draft = draft.cpu_on(thread, &path, 400);
        }
        let profile = draft
            .change(|profile| {
                let name = profile.strings.intern("mem_load_l3_hit_retired.xsnp_hitm");
                let ids: Vec<ThreadId> = profile.threads.iter().map(|(id, _)| id).collect();
                for thread in ids {
                    let key = EventKey { name, stack, thread, labels: LabelTable::none() };
                    profile.events.add(key, EventWeight { events, samples: 50 });
                }
            })
            .profile();
        FalseSharing.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn elements_that_take_longer_with_more_threads_are_found() {
        let Outcome::Findings(found) = by_scope(10, 60, 4) else { panic!("found") };
        assert!(found[0].title.contains("6.0 times as long on 4 threads as on 1"), "{}", found[0].title);
        assert_eq!((found[0].gain.local_low, found[0].gain.local_high), (Some(2.5), Some(6.0)));
    }

    #[test]
    fn elements_that_take_turns_and_more_threads_than_cores_are_fine() {
        assert_eq!(by_scope(10, 19, 4), Outcome::Fine);
        assert_eq!(by_scope(10, 51, 4), Outcome::Fine, "as where all share one thing");
        assert_eq!(by_scope(10, 60, 2), Outcome::Fine);
    }

    #[test]
    fn loads_of_changed_lines_that_explain_the_time_are_found_on_several_threads() {
        // 400 ms a thread: 10 million events of 40 ns.
        assert!(matches!(by_events(5_000_000, &["a", "b"]), Outcome::Findings(_)));
        assert_eq!(by_events(2_000_000, &["a", "b"]), Outcome::Fine);
        assert_eq!(by_events(5_000_000, &["a"]), Outcome::Fine);
    }

    #[test]
    fn threads_in_one_function_alone_are_not_enough() {
        let path = ["app::count@src/count.rs:7"];
        let draft = Draft::new().seconds(1.0).cpu_on("a", &path, 400).cpu_on("b", &path, 400);
        let wait = draft.wait_on("a", &path, 1, MILLI).profile();
        assert!(matches!(FalseSharing.judge(&Facts::new(&wait, None)), Outcome::NotEnough { .. }));
    }
}
