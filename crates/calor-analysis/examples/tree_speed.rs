//! How long facts take for a large profile: 4,096 paths on each of 8 threads, a histogram in every row.
//!
//! `cargo run --release -p calor-analysis --example tree_speed`

use std::time::{Duration, Instant};

use calor_analysis::{
    CallTree, Evidence, Grouping, HeapPlaces, Order, ThreadChoice, TreeOptions, allocators, functions,
    hot_paths, insights,
};
use calor_model::{Frame, FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, StackId};

const PATHS: usize = 4_096;
const THREADS: u64 = 8;

fn main() {
    let profile = profile();
    let options = TreeOptions::default();
    let tree = CallTree::of_scopes(&profile, &options);
    let list = allocators(&tree, &ThreadChoice::All, &HeapPlaces::default());
    println!("{PATHS} paths on {THREADS} threads, {} rows; best of 20:", profile.scopes.len());
    let says = |what: &str, took: Duration| println!("  {what:24} {:6.2} ms", took.as_secs_f64() * 1e3);
    says("call tree", best(|| CallTree::of_scopes(&profile, &options)));
    says("30 hot paths", best(|| hot_paths(&tree, Grouping::Path, Order::SelfTime, Some(30))));
    says("all hot paths", best(|| hot_paths(&tree, Grouping::Path, Order::SelfTime, None)));
    says("30 hot functions", best(|| hot_paths(&tree, Grouping::Function, Order::SelfTime, Some(30))));
    let called = functions(&tree, Order::Calls, None);
    says("functions", best(|| functions(&tree, Order::Calls, None)));
    let evidence = Evidence {
        tree: &tree,
        sampled: None,
        is_recursion_folded: false,
        functions: &called,
        futures: &[],
        allocators: &list,
        correction: None,
        cpu_nanos: None,
        threads: &[],
    };
    says("insights", best(|| insights(&evidence)));
}

fn best<T>(work: impl Fn() -> T) -> Duration {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..20).map(|_| once()).min().unwrap_or_default()
}

/// A tree with eight branches at every node and 40 different durations in every row.
fn profile() -> Profile {
    let mut profile = Profile::default();
    let mut stacks: Vec<StackId> = Vec::new();
    for index in 0..PATHS {
        let name = profile.strings.intern(&format!("scope {}", index % 500));
        let frame =
            profile.frames.intern(Frame { line: Some(index as u32), ..Frame::new(name, FrameKind::Scope) });
        let caller = (index > 0).then(|| stacks[(index - 1) / 8]);
        stacks.push(profile.stacks.intern(caller, frame));
        for thread in 0..THREADS {
            let thread = profile.intern_thread(1, thread + 1, "worker");
            let mut stats = ScopeStats::default();
            (0..40).for_each(|call| stats.timed.record(1_000 + call * 37 * (1 + index as u64 % 7)));
            (stats.calls, stats.total_nanos) = (stats.timed.count, stats.timed.total_nanos);
            profile.scopes.add(ScopeKey { stack: stacks[index], thread, labels: LabelTable::none() }, stats);
        }
    }
    profile
}
