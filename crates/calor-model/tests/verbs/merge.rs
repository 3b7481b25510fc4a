use calor_model::{
    HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSummary, LabelTable, Profile, Run, RunId, Warning,
    add_warning,
};
use proptest::prelude::*;

use crate::content::{content, totals};
use crate::generated::profile;

fn merged(parts: &[&Profile]) -> Profile {
    let mut sum = Profile::default();
    parts.iter().for_each(|part| sum.merge(part));
    sum
}

/// Every table in the order it stands, without the figures.
fn order(profile: &Profile) -> String {
    let scopes: Vec<_> = profile.scopes.iter().map(|(key, _)| key).collect();
    let samples: Vec<_> = profile.samples.iter().collect();
    let heap: Vec<_> = profile.heap.iter().collect();
    let snapshots: Vec<_> = profile.heap.snapshots.iter().collect();
    let kernels: Vec<_> = profile.gpu.kernels.keys().collect();
    let copies: Vec<_> = profile.gpu.copies.keys().collect();
    let tables = (&profile.strings, &profile.frames, &profile.stacks, &profile.threads, &profile.labels);
    format!("{tables:?} {scopes:?} {samples:?} {heap:?} {kernels:?} {copies:?}")
        + &format!("{snapshots:?} {:?} {:?} {:?}", profile.timeline, profile.counters, profile.gpu.devices)
}

proptest! {
    #[test]
    fn an_empty_profile_changes_nothing(a in profile()) {
        let empty = Profile::default();
        content(&a).assert_same(&content(&merged(&[&a, &empty])));
        content(&a).assert_same(&content(&merged(&[&empty, &a])));
    }

    #[test]
    fn order_of_merging_does_not_matter(a in profile(), b in profile()) {
        let (ab, ba) = (merged(&[&a, &b]), merged(&[&b, &a]));
        content(&ab).assert_same(&content(&ba));
        assert_eq!(order(&ab.canonical()), order(&ba.canonical()));
    }

    #[test]
    fn grouping_of_merging_does_not_matter(a in profile(), b in profile(), c in profile()) {
        let left = merged(&[&merged(&[&a, &b]), &c]);
        let right = merged(&[&a, &merged(&[&b, &c])]);
        content(&left).assert_same(&content(&right));
    }

    #[test]
    fn sums_of_parts_are_sums_of_the_whole(a in profile(), b in profile()) {
        let (sum, a, b) = (totals(&merged(&[&a, &b])), totals(&a), totals(&b));
        assert_eq!(sum.heap.allocated_bytes, a.heap.allocated_bytes + b.heap.allocated_bytes);
        assert_eq!(sum.kernel_nanos, a.kernel_nanos + b.kernel_nanos);
        assert_eq!(sum.copied_bytes, a.copied_bytes + b.copied_bytes);
        for (kind, sum) in sum.samples {
            let part = |part: &crate::content::Totals| part.samples.get(&kind).map_or(0, |weight| weight.0);
            assert_eq!(sum.0, part(&a) + part(&b));
        }
    }

    #[test]
    fn the_canonical_form_says_the_same_and_is_its_own(a in profile()) {
        let canonical = a.canonical();
        content(&a).assert_same(&content(&canonical));
        assert_eq!(order(&canonical), order(&canonical.canonical()));
    }
}

fn heap(thread: &str, site_peak: u64, peak_bytes: u64, peak_at_nanos: Option<u64>) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, thread);
    let stack =
        profile.intern_named_path(&["allocate"], calor_model::FrameKind::Native).expect("a path has frames");
    let site = HeapSite { allocated_bytes: 10, peak_bytes: site_peak, peak_count: 1, ..HeapSite::default() };
    profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, peak_bytes, peak_at_nanos));
    profile
}

fn site_peaks(profile: &Profile) -> Vec<u64> {
    profile.heap.iter().map(|(_, site)| site.peak_bytes).collect()
}

#[test]
fn sites_keep_what_they_held_at_the_larger_peak() {
    let (small, large) = (heap("a", 50, 50, Some(1)), heap("b", 80, 80, Some(2)));
    for parts in [[&small, &large], [&large, &small]] {
        let sum = merged(&parts);
        assert_eq!(sum.heap.summary.unwrap().peak_bytes, 80);
        assert_eq!(site_peaks(&sum).iter().sum::<u64>(), 80);
        assert_eq!(totals(&sum).heap.allocated_bytes, 20);
    }
}

#[test]
fn a_growing_peak_forgets_every_earlier_one() {
    let parts: Vec<_> = (1..=100).map(|i| heap(["a", "b"][i as usize % 2], i, i, Some(i))).collect();
    let sum = merged(&parts.iter().collect::<Vec<_>>());
    assert_eq!(site_peaks(&sum).iter().sum::<u64>(), 100);
}

#[test]
fn a_peak_told_twice_is_one_peak() {
    let part = heap("a", 80, 80, Some(2));
    assert_eq!(site_peaks(&merged(&[&part, &part])), [80]);
}

#[test]
fn what_was_leaked_adds_up_and_the_coarsest_sampling_counts() {
    let part = |bytes, sampling_bytes| {
        let mut profile = heap("a", 1, 1, None);
        let leaked = Some(HeapBlocks { count: 1, bytes });
        let summary = profile.heap.summary.as_mut().expect("it was watched");
        *summary = HeapSummary { leaked, sampling_bytes, ..*summary };
        profile
    };
    let running = heap("a", 1, 1, None);
    let sum = merged(&[&running, &part(5, Some(64)), &part(7, Some(512)), &running]).heap.summary.unwrap();
    assert_eq!(sum.leaked, Some(HeapBlocks { count: 2, bytes: 12 }));
    assert_eq!(sum.sampling_bytes, Some(512));
    assert_eq!(merged(&[&running, &running]).heap.summary.unwrap().leaked, None);
}

#[test]
fn parts_of_one_run_become_one_and_other_runs_stay_apart() {
    let with_run = |id, duration_nanos| Profile {
        runs: vec![Run { id: RunId(id), duration_nanos, ..Run::default() }],
        ..Profile::default()
    };
    let sum = merged(&[&with_run(7, 10), &with_run(3, 5), &with_run(7, 20)]);
    let runs: Vec<_> = sum.runs.iter().map(|run| (run.id.0, run.duration_nanos)).collect();
    assert_eq!(runs, [(3, 5), (7, 20)]);
}

#[test]
fn the_same_warning_of_two_parts_is_counted_once_each() {
    let mut part = Profile::default();
    add_warning(&mut part.warnings, Warning::counted("lost", "gone", 2));
    assert_eq!(merged(&[&part, &part]).warnings, [Warning::counted("lost", "gone", 4)]);
}
