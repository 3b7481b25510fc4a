//! The recorder against a keeper of every duration: what comes out of a block has to be what went in.

use std::sync::atomic::Ordering::Relaxed;

use calor_model::{DurationStats, Profile, ScopeStats};
use proptest::prelude::*;

use crate::clock::Scale;
use crate::{Scope, Site};

use super::block::{Block, MAX_NODES};
use super::convert::Converter;
use super::raw::RawThread;
use super::registry;

/// A profile of what a private block holds.
fn profile_of(block: &Block) -> Profile {
    let mut profile = Profile::default();
    let raw = block.read(Some(0));
    let thread = profile.intern_thread(1, 1, "test");
    Converter::new(&mut profile).add(&raw, thread);
    profile
}

/// The statistics of scopes of the given lengths in ticks, recorded at one site.
fn recorded(durations: &[u64]) -> ScopeStats {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("timed")).expect("a fresh block has room");
    for &ticks in durations {
        block.push_long(node.index, 1, ticks);
    }
    let profile = profile_of(block);
    let stats = profile.scopes.iter().next().map(|(_, stats)| stats.clone());
    stats.unwrap_or_default()
}

fn within(got: f64, exact: f64, share: f64) -> bool {
    (got - exact).abs() <= exact.abs() * share
}

/// A recording of one block: each look adds what is new.
#[derive(Default)]
struct Parts {
    earlier: RawThread,
    merged: Profile,
}

impl Parts {
    fn tell(&mut self, block: &Block) {
        let mut raw = block.read(None);
        let mut part = Profile::default();
        let thread = part.intern_thread(1, 1, "test");
        Converter::new(&mut part).add(&raw.since(&self.earlier), thread);
        self.merged.merge(&part);
        self.earlier = raw;
    }

    /// What all parts together say of the only scope.
    fn stats(&self) -> ScopeStats {
        self.merged.scopes.iter().next().map(|(_, stats)| stats.clone()).unwrap_or_default()
    }
}

/// Durations over the whole range that programs have: a few ticks to hours.
fn durations() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(
        (0_u32..42, 0.0..1.0_f64).prop_map(|(bits, share)| ((1_u64 << bits) as f64 * (1.0 + share)) as u64),
        1..2000,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn statistics_are_those_of_all_durations(durations in durations()) {
        let scale = Scale::measure();
        let stats = recorded(&durations);
        let mut sorted = durations.clone();
        sorted.sort_unstable();
        prop_assert_eq!(stats.calls, durations.len() as u64);
        let sum: u64 = durations.iter().sum();
        prop_assert!(within(stats.total_nanos as f64, scale.nanos(sum) as f64, 1e-4));
        // The rate of the clock may settle between the two conversions, hence the small allowance.
        prop_assert!(within(stats.timed.min_nanos as f64, scale.nanos(sorted[0]) as f64, 1e-3) || stats.timed.min_nanos < 2);
        prop_assert!(within(stats.timed.max_nanos as f64, scale.nanos(sorted[sorted.len() - 1]) as f64, 1e-3) || stats.timed.max_nanos < 2);
    }

    #[test]
    fn percentiles_are_within_3_2_percent_of_a_sorted_array(durations in durations()) {
        let scale = Scale::measure();
        let stats = recorded(&durations);
        let mut sorted = durations.clone();
        sorted.sort_unstable();
        for q in [0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999] {
            let rank = ((q * sorted.len() as f64).ceil() as usize).max(1) - 1;
            let exact = sorted[rank] as f64 * scale.nanos_per_tick();
            let got = stats.timed.quantile_nanos(q).expect("something was recorded");
            // A sixteenth of a nanosecond is the finest the histogram tells apart.
            prop_assert!(within(got, exact, 0.032) || (got - exact).abs() <= 1.0, "q {}: {} instead of {}", q, got, exact);
        }
    }

    #[test]
    fn the_standard_deviation_is_within_1e_9(durations in durations()) {
        // Relative to the mean it is a pure number, free of the clock's rate.
        let stats = recorded(&durations);
        let raw = raw_of(&durations);
        let n = durations.len() as f64;
        let mean = durations.iter().map(|&d| d as f64).sum::<f64>() / n;
        let exact = (durations.iter().map(|&d| (d as f64 - mean).powi(2)).sum::<f64>() / n).sqrt();
        prop_assert!(within((raw / n).sqrt(), exact, 1e-9), "{} instead of {}", (raw / n).sqrt(), exact);
        prop_assert!(stats.timed.stddev_nanos().is_some());
    }

    #[test]
    fn parts_of_a_recording_merge_into_the_whole(durations in durations(), cut in 0.0..1.0_f64) {
        let block = Block::leak();
        let root = block.current_node().expect("a fresh block has a root");
        let node = block.find_child(root, Site::named("parts")).expect("a fresh block has room");
        let at = (durations.len() as f64 * cut) as usize;
        let mut parts = Parts::default();
        for part in [&durations[..at], &durations[at..]] {
            for &ticks in part {
                block.push_long(node.index, 1, ticks);
            }
            parts.tell(block);
        }
        let whole = recorded(&durations);
        let stats = &parts.stats();
        prop_assert_eq!(stats.calls, whole.calls);
        prop_assert!(within(stats.total_nanos as f64, whole.total_nanos as f64, 1e-4) || stats.total_nanos.abs_diff(whole.total_nanos) < 3);
        prop_assert_eq!(stats.timed.histogram().count(), whole.timed.histogram().count());
        let spread = |stats: &DurationStats| stats.stddev_nanos().unwrap_or(0.0);
        prop_assert!(within(spread(&stats.timed), spread(&whole.timed), 1e-3) || spread(&whole.timed) < 3.0);
    }
}

/// The exact sum of squared deviations that a block comes to, in ticks.
fn raw_of(durations: &[u64]) -> f64 {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("raw")).expect("a fresh block has room");
    for &ticks in durations {
        block.push_long(node.index, 1, ticks);
    }
    block.read(None).nodes[1].timed.squared_deviations()
}

#[test]
fn full_histogram_counts_move_out_before_they_overflow() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("spilled")).expect("a fresh block has room");
    for round in 1..=5 {
        (0..1000).for_each(|_| block.push(node.index, 1, 100));
        block.fold_now();
        node.spill(700);
        let raw = block.read(None);
        assert_eq!(raw.nodes[1].timed.buckets, [(super::buckets::bucket_of(100) as u16, round * 1000)]);
    }
    node.clear();
    assert!(block.read(None).nodes[1].timed.buckets.is_empty());
}

#[test]
fn call_paths_beyond_the_limit_are_counted_and_their_time_stays_outside() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let sites: Vec<&'static Site> =
        (0..MAX_NODES + 100).map(|_| &*Box::leak(Box::new(Site::new("many", "", "", 0)))).collect();
    let found = sites.iter().filter(|site| block.find_child(root, site).is_some()).count();
    assert_eq!(found, MAX_NODES - 1);
    assert_eq!(block.read(None).over_limit, 101);
}

#[test]
fn a_scope_longer_than_32_bits_of_ticks_keeps_its_length() {
    let long = (1 << 40) + 12345;
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("long")).expect("a fresh block has room");
    block.push_long(node.index, 7, long);
    block.push(node.index, 8, 5);
    let raw = block.read(Some(0));
    assert_eq!((raw.nodes[1].timed.sum, raw.nodes[1].timed.max), (long + 5, long));
    assert_eq!(raw.spans.iter().map(|span| span.ticks).collect::<Vec<_>>(), [long, 5]);
}

#[test]
fn a_scope_that_seems_to_end_before_it_began_counts_as_empty() {
    let stats = recorded(&[u64::MAX - 5, 100]);
    assert_eq!((stats.calls, stats.timed.min_nanos), (2, 0));
}

#[test]
fn reading_puts_folding_off_only_while_the_ring_has_room() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("busy")).expect("a fresh block has room");
    block.is_read.store(true, Relaxed);
    (0..20_000).for_each(|_| block.push(node.index, 1, 10));
    block.is_read.store(false, Relaxed);
    assert_eq!(block.read(None).nodes[1].timed.count, 20_000);
}

#[test]
fn looks_at_a_busy_thread_are_consistent() {
    static OUTER: Site = Site::new("outer", "", "", 0);
    static INNER: Site = Site::new("inner", "", "", 0);
    crate::enable();
    let block = Block::leak();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            registry::with_private_block(block, || {
                block.adopt(super::state::load());
                while !stop.load(Relaxed) {
                    let _outer = Scope::enter(&OUTER);
                    for _ in 0..3 {
                        let _inner = Scope::enter(&INNER);
                    }
                }
            });
        });
        let (mut looks, mut seen) = (0, 0);
        while looks < 300 || seen == 0 {
            let raw = block.read(None);
            if raw.is_torn || raw.nodes.len() < 3 {
                std::thread::yield_now();
                continue;
            }
            looks += 1;
            let (outer, inner) = (&raw.nodes[1].timed, &raw.nodes[2].timed);
            assert!(outer.count >= seen, "counts went backwards");
            seen = outer.count;
            // Three inner scopes for each outer one, and up to three for the one that is open.
            assert!(
                (outer.count * 3..=outer.count * 3 + 3).contains(&inner.count),
                "{} and {}",
                outer.count,
                inner.count
            );
            assert_eq!(inner.buckets.iter().map(|bucket| bucket.1).sum::<u64>(), inner.count);
        }
        stop.store(true, Relaxed);
    });
}

#[test]
fn a_look_that_saw_less_than_the_one_before_doubles_nothing() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("stuck")).expect("a fresh block has room");
    let mut parts = Parts::default();
    (0..100).for_each(|_| block.push(node.index, 1, 10));
    parts.tell(block);
    // The owner is stopped in the middle of a fold: what is in the ring cannot be read.
    let sequence = block.sequence.load(Relaxed);
    block.sequence.store(sequence + 1, Relaxed);
    parts.tell(block);
    block.sequence.store(sequence + 2, Relaxed);
    (0..50).for_each(|_| block.push(node.index, 1, 10));
    parts.tell(block);
    let stats = parts.stats();
    assert_eq!((stats.calls, stats.timed.histogram().count()), (150, 150));
}

#[test]
fn parts_without_a_timed_call_do_not_lower_the_estimate() {
    static COUNTED: Site = Site::new("counted", "", "", 0);
    let block = Block::leak();
    crate::enable();
    let mut parts = Parts::default();
    registry::with_private_block(block, || {
        block.adopt(super::state::load());
        for i in 0..3000 {
            let scope = Scope::enter_one_in(&COUNTED, 16);
            (0..1000).for_each(|i| _ = std::hint::black_box(i));
            drop(scope);
            if i % 4 == 0 {
                parts.tell(block);
            }
        }
        parts.tell(block);
    });
    let (stats, whole) = (parts.stats(), profile_of(block).scopes.iter().next().expect("a scope").1.clone());
    assert_eq!((stats.calls, stats.timed.count), (3000, whole.timed.count));
    assert!(within(stats.total_nanos as f64, whole.total_nanos as f64, 0.05), "{stats:?} is not {whole:?}");
    assert!(stats.total_variance >= whole.total_variance * 0.9);
}

#[test]
fn what_was_open_is_taken_back_to_the_last_nanosecond_across_resets_too() {
    static OPEN: Site = Site::new("open", "", "", 0);
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, &OPEN).expect("a fresh block has room");
    block.ownership.store(super::block::ownership::LIVE, Relaxed);
    let mut parts = Parts::default();
    for round in 0..300_u64 {
        block.set_current(node);
        node.tally.open_since.store(crate::clock::ticks(), Relaxed);
        for _ in 0..round % 4 {
            (0..round * 7).for_each(|i| _ = std::hint::black_box(i));
            parts.tell(block);
            assert!(parts.stats().open_calls == 1 && parts.stats().open_nanos >= 0, "{:?}", parts.stats());
        }
        // As if everything had been reset since the last look.
        parts.earlier.resets ^= u64::from(round % 3 == 0) << 40;
        block.set_current(root);
        parts.tell(block);
        assert_eq!((parts.stats().open_calls, parts.stats().open_nanos), (0, 0));
    }
}

#[test]
fn counters_that_overflow_wrap_around_in_parts_too() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("overflowing")).expect("a fresh block has room");
    let mut parts = Parts::default();
    for by in [i64::MAX, 2, i64::MIN, -1] {
        node.add_extra(super::node::ExtraKind::Counter, "n", by);
        parts.tell(block);
    }
    assert_eq!(parts.stats().calls, 0);
}

#[test]
fn rings_that_cannot_be_freed_while_somebody_reads_are_used_again() {
    let block = Block::leak();
    let root = block.current_node().expect("a fresh block has a root");
    let node = block.find_child(root, Site::named("changing rings")).expect("a fresh block has room");
    let _somebody_reads = registry::lock();
    let mut rings = std::collections::HashSet::new();
    for round in 1..=100_u64 {
        block.fold_now();
        block.use_ring([4096, 8192][round as usize % 2]);
        rings.insert(std::ptr::from_ref(block.ring().expect("it has one")).addr());
        (0..300).for_each(|_| block.push(node.index, round, 10));
        let raw = block.read(Some(0));
        assert_eq!(raw.nodes[1].timed.count, round * 300);
        // Only what was written since the change, none of what the ring held before.
        assert!(raw.spans.len() == 300 && raw.spans.iter().all(|span| span.start == round));
    }
    assert_eq!(rings.len(), 2);
}
