//! Observations that hold for any profile and need no threshold of the user's: where time concentrates, who
//! allocates most, what recording itself distorts, which scopes are uneven.

use std::cmp::Reverse;

use crate::hot_path::longest_paths;
use crate::totals::first;
use crate::{Allocator, CallTree, Correction, Function, HotPath, Insight, NodeId, Order, ThreadSummary};
use crate::{hot_path, python};

/// "The first five" says something of at least twice as many paths.
const CONCENTRATED: (usize, usize) = (5, 10);
/// Of fewer paths, but at least so many, the first alone is named, and only where it holds half of the time.
const FEW_PATHS: usize = 4;
const HALF: f64 = 0.5;
/// A function is very frequent from so many calls on: fewer are over before anybody notices.
const FREQUENT_CALLS: u64 = 10_000;
/// It makes at least this share of all calls.
const FREQUENT_SHARE: f64 = 0.10;
/// And each of them does little by itself.
const SMALL_CALL_NANOS: f64 = 10_000.0;
/// A path that allocates this share of all bytes is worth a sentence.
const HEAVY_ALLOCATOR_SHARE: f64 = 0.25;
/// Recording that takes this share of a scope's time distorts it.
const NOTABLE_COST_SHARE: f64 = 0.10;
/// A scope is uneven when its slowest hundredth takes this many times the median.
const LONG_TAIL_RATIO: f64 = 10.0;
/// Below this number of calls the slowest hundredth is one call or none.
const LONG_TAIL_CALLS: u64 = 100;
/// Threads that were off their processors for this share of the time inside scopes make means hard to read.
const OFF_PROCESSOR_SHARE: f64 = 0.30;
/// Shorter runs are over before the clocks of the system can tell.
const LEAST_SCOPE_NANOS: u64 = 10_000_000;
/// Paths below this share of the recorded time are not worth a sentence of their own.
const NOTABLE_SHARE: f64 = 0.01;
/// So many of the longest paths are looked at: more than can each hold a notable share.
const LOOKED_AT: usize = 256;
/// At most so many sentences of a kind, so that the list stays one to be read.
const MOST_OF_A_KIND: usize = 3;

/// What observations are drawn from: facts that a report has found already.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'e, 'p> {
    /// The tree of scopes.
    pub tree: &'e CallTree<'p>,
    /// The tree of samples that speaks where there are no scopes.
    pub sampled: Option<&'e CallTree<'p>>,
    /// Whether paths of samples that differ in the depth of a recursion alone count as one, as in
    /// [`folded_paths`](crate::folded_paths).
    pub is_recursion_folded: bool,
    /// All functions by number of calls, see [`functions`](crate::functions).
    pub functions: &'e [Function],
    /// The list of [`async_paths`](crate::async_paths).
    pub futures: &'e [HotPath],
    /// The list of [`allocators`](crate::allocators).
    pub allocators: &'e [Allocator],
    /// The recorder's own cost, where known.
    pub correction: Option<Correction>,
    /// CPU time of the program, where it was measured.
    pub cpu_nanos: Option<u64>,
    /// The threads of the [summary](crate::Summary).
    pub threads: &'e [ThreadSummary],
}

/// What stands out.
#[must_use]
pub fn insights(evidence: &Evidence<'_, '_>) -> Vec<Insight> {
    let Evidence {
        tree,
        sampled,
        is_recursion_folded,
        functions,
        futures,
        allocators,
        correction,
        cpu_nanos,
        threads,
    } = *evidence;
    let is_notable = |id: &NodeId| {
        let node = tree.node(*id);
        let share = tree.share(node.inclusive_nanos);
        node.timed_calls >= LONG_TAIL_CALLS && share.is_some_and(|share| share >= NOTABLE_SHARE)
    };
    let notable = longest_paths(tree, Order::Total, Some(LOOKED_AT)).filter(is_notable);
    let mut found = Vec::new();
    found.extend(match sampled.filter(|_| tree.is_empty()) {
        Some(sampled) => concentration(sampled, is_recursion_folded),
        None => concentration(tree, false),
    });
    found.extend(cpu_nanos.and_then(|cpu_nanos| off_processor(tree, cpu_nanos)));
    found.extend(python::gil_contention(threads));
    found.extend(allocators.iter().take(MOST_OF_A_KIND).filter(|a| a.share >= HEAVY_ALLOCATOR_SHARE).map(
        |a| Insight::HeavyAllocator { stack: a.stack, allocated_bytes: a.allocated_bytes, share: a.share },
    ));
    let costly = correction.map(|cost| costly_recording(tree, functions, cost)).unwrap_or_default();
    found.extend(very_frequent(functions, &costly));
    found.extend(costly);
    found.extend(notable.filter_map(|id| long_tail(&HotPath::of_path(tree, id))).take(MOST_OF_A_KIND));
    found.extend(futures.iter().filter_map(waiting).take(MOST_OF_A_KIND));
    found.extend(futures.iter().filter_map(cancelled).take(MOST_OF_A_KIND));
    found
}

/// Of all paths that are listed, so that a reader finds as many.
fn concentration(tree: &CallTree<'_>, is_recursion_folded: bool) -> Option<Insight> {
    let own: Vec<Reverse<u64>> = match is_recursion_folded {
        true => tree.folded().self_nanos().map(Reverse).collect(),
        false => hot_path::listed(tree).map(|(totals, _)| Reverse(totals.self_nanos)).collect(),
    };
    let n_all = own.len();
    let n_paths = if n_all >= CONCENTRATED.1 { CONCENTRATED.0 } else { 1 };
    let longest = first(own, n_paths);
    let share = tree.share(longest.into_iter().fold(0, |sum, Reverse(nanos)| sum.saturating_add(nanos)))?;
    let says_something = n_paths > 1 || (n_all >= FEW_PATHS && share >= HALF);
    says_something.then_some(Insight::Concentration { n_paths, n_all, share })
}

/// What the program did outside scopes is CPU time, too, so threads waited for at least the difference.
fn off_processor(tree: &CallTree<'_>, cpu_nanos: u64) -> Option<Insight> {
    let scope_nanos = tree.recorded_nanos();
    let share = scope_nanos.saturating_sub(cpu_nanos) as f64 / scope_nanos.max(1) as f64;
    (scope_nanos >= LEAST_SCOPE_NANOS && share >= OFF_PROCESSOR_SHARE).then_some(Insight::OffProcessor {
        scope_nanos,
        cpu_nanos,
        share,
    })
}

/// Functions that are called very often, less those that are named for what recording them cost.
fn very_frequent(functions: &[Function], costly: &[Insight]) -> Vec<Insight> {
    let all = functions.iter().fold(0_u64, |sum, function| sum.saturating_add(function.totals.calls));
    let is_costly = |function: &Function| {
        costly.iter().any(
            |insight| matches!(insight, Insight::CostlyRecording { node, .. } if function.nodes.contains(node)),
        )
    };
    functions
        .iter()
        .filter(|function| function.totals.calls >= FREQUENT_CALLS && !is_costly(function))
        .map(|Function { nodes, totals }| {
            let share = totals.calls as f64 / all.max(1) as f64;
            let per_call_nanos = totals.self_nanos as f64 / totals.calls as f64;
            Insight::VeryFrequent { node: nodes[0], calls: totals.calls, share, per_call_nanos }
        })
        .filter(|insight| {
            matches!(insight, Insight::VeryFrequent { share, per_call_nanos, .. }
                if *share >= FREQUENT_SHARE && *per_call_nanos <= SMALL_CALL_NANOS)
        })
        .take(MOST_OF_A_KIND)
        .collect()
}

fn costly_recording(tree: &CallTree<'_>, functions: &[Function], cost: Correction) -> Vec<Insight> {
    let mut found: Vec<(u64, Insight)> = functions
        .iter()
        .filter_map(|Function { nodes, totals }| {
            let (calls, timed_calls) = (totals.calls, totals.timed_calls);
            let cost_nanos = cost.whole_nanos(timed_calls);
            let measured = totals.measured_nanos.saturating_add(cost.outside_nanos(timed_calls));
            let share = cost_nanos as f64 / measured.max(1) as f64;
            let is_notable = tree.share(cost_nanos).is_some_and(|share| share >= NOTABLE_SHARE);
            // A share above 1 means that the scope is emptier than the empty one that was calibrated.
            let share = share.min(1.0);
            (calls >= FREQUENT_CALLS && is_notable && share >= NOTABLE_COST_SHARE).then_some((
                cost_nanos,
                Insight::CostlyRecording { node: nodes[0], calls, timed_calls, cost_nanos, share },
            ))
        })
        .collect();
    found.sort_by_key(|(cost_nanos, _)| Reverse(*cost_nanos));
    found.into_iter().take(MOST_OF_A_KIND).map(|(_, insight)| insight).collect()
}

fn long_tail(entry: &HotPath) -> Option<Insight> {
    let timed = &entry.stats.timed;
    let (p50_nanos, p99_nanos) = (timed.quantile_nanos(0.5)?, timed.quantile_nanos(0.99)?);
    (timed.count >= LONG_TAIL_CALLS
        && entry.stats.future.is_none()
        && p99_nanos >= p50_nanos * LONG_TAIL_RATIO)
        .then_some(Insight::LongTail {
            node: entry.nodes[0],
            p50_nanos,
            p99_nanos,
            max_nanos: timed.max_nanos,
        })
}

fn waiting(entry: &HotPath) -> Option<Insight> {
    let wall_nanos = entry.stats.future.as_ref()?.wall.total_nanos;
    let busy_nanos = entry.stats.total_nanos;
    (busy_nanos < wall_nanos / 2).then_some(Insight::Waiting { node: entry.nodes[0], wall_nanos, busy_nanos })
}

fn cancelled(entry: &HotPath) -> Option<Insight> {
    let future = entry.stats.future.as_ref()?;
    (future.cancelled > 0).then_some(Insight::Cancelled {
        node: entry.nodes[0],
        cancelled: future.cancelled,
        completed: future.wall.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{HeapPlaces, ThreadChoice, TreeOptions, allocators, async_paths, functions};
    use calor_model::{
        DurationStats, FrameKind, FutureStats, LabelTable, Profile, SampleKey, SampleKind, SampleWeight,
        ScopeStats,
    };

    fn found(profile: &Profile, correction: Option<Correction>) -> Vec<Insight> {
        let tree = CallTree::of_scopes(profile, &TreeOptions::default());
        insights(&Evidence {
            tree: &tree,
            sampled: None,
            is_recursion_folded: false,
            functions: &functions(&tree, Order::Calls, None),
            futures: &async_paths(&tree),
            allocators: &allocators(&tree, &ThreadChoice::All, &HeapPlaces::default()),
            correction,
            cpu_nanos: None,
            threads: &[],
        })
    }

    #[test]
    fn the_first_five_of_many_paths_are_named_with_their_share() {
        let mut sketch = Sketch::new();
        for index in 0..20_u64 {
            let name = format!("step {index}");
            sketch = sketch.scope("main", &[&name], 1, if index < 5 { 195 } else { 1 });
        }
        let expected = Insight::Concentration { n_paths: 5, n_all: 20, share: 975.0 / 990.0 };
        assert_eq!(found(&sketch.profile(), None), [expected]);
    }

    #[test]
    fn samples_concentrate_too() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for index in 0..10 {
            let name = format!("step {index}");
            let stack = profile.intern_named_path(&[&name], FrameKind::Native).expect("a path has a frame");
            let labels = LabelTable::none();
            let key = SampleKey { stack, thread, labels, kind: SampleKind::Cpu, at_nanos: None };
            profile.samples.add(key, SampleWeight { count: 1, nanos: 100 });
        }
        let empty = CallTree::of_scopes(&profile, &TreeOptions::default());
        let sampled = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let list = insights(&Evidence {
            tree: &empty,
            sampled: Some(&sampled),
            is_recursion_folded: false,
            functions: &[],
            futures: &[],
            allocators: &[],
            correction: None,
            cpu_nanos: None,
            threads: &[],
        });
        assert_eq!(list, [Insight::Concentration { n_paths: 5, n_all: 10, share: 0.5 }]);
    }

    #[test]
    fn of_few_paths_only_one_that_holds_half_of_the_time_is_named() {
        let run = |nanos: &[u64]| {
            let scopes = nanos.iter().enumerate();
            let sketch = scopes.fold(Sketch::new(), |sketch, (index, nanos)| {
                sketch.scope("main", &[&format!("step {index}")], 1, *nanos)
            });
            found(&sketch.profile(), None)
        };
        assert_eq!(run(&[900, 100]), []);
        assert_eq!(run(&[900, 50, 50]), []);
        assert_eq!(run(&[30, 30, 20, 20]), []);
        assert_eq!(run(&[700, 100, 100, 100]), [Insight::Concentration { n_paths: 1, n_all: 4, share: 0.7 }]);
    }

    #[test]
    fn a_function_is_frequent_from_many_short_calls_on() {
        let run = |calls, nanos| {
            let sketch = Sketch::new().scope("main", &["run"], 1, 2 * nanos).scope(
                "main",
                &["run", "tick"],
                calls,
                nanos,
            );
            found(&sketch.profile(), None)
        };
        assert_eq!(run(9, 900), []);
        assert_eq!(run(9_999, 999_900), []);
        // Each call takes a tenth of a millisecond: the calls are not what it spends its time on.
        assert_eq!(run(20_000, 2_000_000_000), []);
        let list = run(20_000, 2_000_000);
        let [Insight::VeryFrequent { calls: 20_000, share, per_call_nanos: 100.0, .. }] = list[..] else {
            panic!("{list:?}");
        };
        assert!(share > 0.99);
    }

    #[test]
    fn a_small_and_frequent_scope_is_named_with_what_recording_it_cost() {
        let run = |calls: u64| {
            let profile = Sketch::new()
                .scope("main", &["run"], 1, 100 * calls)
                .scope("main", &["run", "tick"], calls, 30 * calls)
                .profile();
            found(&profile, Some(Correction { per_scope_picos: 20_000, inside_scope_picos: 10_000 }))
        };
        // 20 of the 30 nanoseconds measured and the 10 outside them.
        let list = run(10_000);
        let [
            Insight::CostlyRecording {
                calls: 10_000, timed_calls: 10_000, cost_nanos: 200_000, share, ..
            },
        ] = list[..]
        else {
            panic!("{list:?}");
        };
        assert_eq!(share, 0.5);
        // The same shares of a run that was over at once are no news.
        assert_eq!(run(5), []);
    }

    #[test]
    fn a_scope_whose_slow_calls_are_far_from_its_median_is_named() {
        let mut timed = DurationStats::default();
        (0..200).for_each(|call| timed.record(if call % 50 == 0 { 50_000 } else { 100 }));
        let stats = ScopeStats { calls: 200, total_nanos: timed.total_nanos, timed, ..ScopeStats::default() };
        let list = found(&Sketch::new().row("main", &["run"], stats).profile(), None);
        assert!(matches!(list[..], [Insight::LongTail { max_nanos: 50_000, .. }]), "{list:?}");
    }

    #[test]
    fn threads_that_were_off_their_processors_inside_scopes_are_named() {
        let run = |scope_nanos, cpu_nanos| {
            let profile = Sketch::new().scope("main", &["run"], 1, scope_nanos).profile();
            let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
            insights(&Evidence {
                tree: &tree,
                sampled: None,
                is_recursion_folded: false,
                functions: &[],
                futures: &[],
                allocators: &[],
                correction: None,
                cpu_nanos,
                threads: &[],
            })
        };
        let expected = Insight::OffProcessor { scope_nanos: 100_000_000, cpu_nanos: 26_000_000, share: 0.74 };
        assert_eq!(run(100_000_000, Some(26_000_000)), [expected]);
        assert_eq!(run(100_000_000, Some(90_000_000)), []);
        // Work outside scopes is no reason to say anything, nor is a run that was over at once.
        assert_eq!(run(100_000_000, Some(900_000_000)), []);
        assert_eq!(run(1_000_000, Some(0)), []);
        assert_eq!(run(100_000_000, None), []);
    }

    #[test]
    fn futures_that_wait_or_are_dropped_are_named() {
        let mut future = FutureStats { cancelled: 2, ..FutureStats::default() };
        future.wall.record(1_000_000);
        let mut stats = ScopeStats {
            calls: 3,
            total_nanos: 900,
            future: Some(Box::new(future)),
            ..ScopeStats::default()
        };
        (0..3).for_each(|_| stats.timed.record(300));
        let list = found(&Sketch::new().row("main", &["fetch"], stats).profile(), None);
        let [
            Insight::Waiting { wall_nanos: 1_000_000, busy_nanos: 900, .. },
            Insight::Cancelled { cancelled: 2, completed: 1, .. },
        ] = list[..]
        else {
            panic!("{list:?}");
        };
    }
}
