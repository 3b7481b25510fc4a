//! The law of self times, on call trees of any shape.

use calor_analysis::{CallTree, Correction, TreeOptions};
use calor_model::{Frame, FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, StackId};
use proptest::prelude::*;

/// A path, by the place of its caller among the earlier ones; a row of it for some threads.
#[derive(Clone, Debug)]
struct Path {
    caller: prop::sample::Index,
    is_root: bool,
    rows: Vec<(u8, bool, u32, u16)>,
}

fn path() -> impl Strategy<Value = Path> {
    let row = (0_u8..4, any::<bool>(), 0_u32..1_000_000, 0_u16..500);
    (any::<prop::sample::Index>(), prop::bool::weighted(0.15), prop::collection::vec(row, 0..5))
        .prop_map(|(caller, is_root, rows)| Path { caller, is_root, rows })
}

fn profile(paths: &[Path]) -> Profile {
    let mut profile = Profile::default();
    let (key, value) = (profile.strings.intern("batch"), profile.strings.intern("1"));
    let label = profile.labels.intern(&[(key, value)]);
    let mut stacks: Vec<StackId> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let name = profile.strings.intern(&format!("scope {index}"));
        let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
        let caller = (!path.is_root && index > 0).then(|| stacks[path.caller.index(index)]);
        stacks.push(profile.stacks.intern(caller, frame));
        for &(thread, is_labelled, total, calls) in &path.rows {
            let thread = profile.intern_thread(1, u64::from(thread), "worker");
            let labels = if is_labelled { label } else { LabelTable::none() };
            let mut stats =
                ScopeStats { calls: calls.into(), total_nanos: total.into(), ..ScopeStats::default() };
            stats.timed.count = stats.calls;
            profile.scopes.add(ScopeKey { stack: stacks[index], thread, labels }, stats);
        }
    }
    profile
}

fn sums(tree: &CallTree<'_>) -> (u64, u64) {
    tree.nodes()
        .fold((0, 0), |(own, clamped), (_, node)| (own + node.self_nanos, clamped + node.clamped_nanos))
}

proptest! {
    /// What children have too much is counted, so the law holds exactly for any rows, consistent or not; and
    /// where nothing was clamped, self times add up to the recorded time.
    #[test]
    fn self_times_add_up_to_the_recorded_time(paths in prop::collection::vec(path(), 0..40)) {
        let profile = profile(&paths);
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let (own, clamped) = sums(&tree);
        prop_assert_eq!(own, tree.recorded_nanos() + clamped);
    }

    /// Times made consistent from the leaves upwards lose nothing to clamping.
    #[test]
    fn consistent_times_are_never_clamped(own_times in prop::collection::vec((0_u64..1000, any::<prop::sample::Index>()), 1..60)) {
        let mut totals: Vec<u64> = own_times.iter().map(|(own, _)| *own).collect();
        let caller = |index: usize| own_times[index].1.index(index);
        for index in (1..totals.len()).rev() {
            totals[caller(index)] += totals[index];
        }
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let mut stacks: Vec<StackId> = Vec::new();
        for (index, total) in totals.iter().enumerate() {
            let name = profile.strings.intern(&index.to_string());
            let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
            stacks.push(profile.stacks.intern((index > 0).then(|| stacks[caller(index)]), frame));
            let stats = ScopeStats { calls: 1, total_nanos: *total, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack: stacks[index], thread, labels: LabelTable::none() }, stats);
        }
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        prop_assert_eq!(sums(&tree), (totals[0], 0));
        for ((_, node), (own, _)) in tree.nodes().zip(&own_times) {
            prop_assert_eq!(node.self_nanos, *own);
        }
    }

    /// A correction moves time out of the tree and nowhere else.
    #[test]
    fn corrected_self_times_add_up_to_the_corrected_time(paths in prop::collection::vec(path(), 0..40)) {
        let profile = profile(&paths);
        let correction = Some(Correction { per_scope_picos: 22_500, inside_scope_picos: 9_300 });
        let plain = CallTree::of_scopes(&profile, &TreeOptions::default());
        let corrected = CallTree::of_scopes(&profile, &TreeOptions { correction, ..TreeOptions::default() });
        let removed: u64 = corrected.nodes().map(|(_, node)| node.corrected_nanos).sum();
        prop_assert_eq!(sums(&corrected).0 + removed, sums(&plain).0);
        for ((_, before), (_, after)) in plain.nodes().zip(corrected.nodes()) {
            prop_assert!(after.self_nanos <= before.self_nanos);
            prop_assert!(after.inclusive_nanos <= before.inclusive_nanos);
        }
    }
}
