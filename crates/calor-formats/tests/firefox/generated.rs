//! Profiles with samples, scopes, allocations, work on GPUs, spans, marks and counters on some threads.

use calor_model::*;
use proptest::prelude::*;

/// A profile from a list of choices: for each, which thread and path, what it is of, and how much.
pub(crate) fn profiles() -> impl Strategy<Value = Profile> {
    let choice = (0_usize..3, 0_usize..5, 0_u8..9, 0_u64..1 << 40);
    proptest::collection::vec(choice, 0..60).prop_map(|choices| {
        let mut profile = Profile::default();
        let threads = [
            profile.intern_thread(7, 7, "main"),
            profile.intern_thread(7, 0, "workers"),
            profile.intern_thread(8, 0, ""),
        ];
        let paths = paths(&mut profile);
        for (thread, path, what, amount) in choices {
            add(&mut profile, threads[thread], paths[path], what, amount);
        }
        profile
    })
}

fn paths(profile: &mut Profile) -> [StackId; 5] {
    let (module, file) = (profile.strings.intern("libm.so"), profile.strings.intern("src/größe.rs"));
    let mut frame = |name: &str, kind| {
        let name = profile.strings.intern(name);
        let frame = Frame { module: Some(module), file: Some(file), line: Some(3), ..Frame::new(name, kind) };
        profile.frames.intern(frame)
    };
    let (a, b) = (frame("a", FrameKind::Scope), frame("b", FrameKind::Native));
    let (c, d) = (frame("\"c\"", FrameKind::Python), frame("d", FrameKind::Kernel));
    let stacks = &mut profile.stacks;
    let root = stacks.intern(None, a);
    let inner = stacks.intern(Some(root), b);
    [root, inner, stacks.intern(Some(inner), c), stacks.intern(Some(root), d), stacks.intern(None, d)]
}

fn add(profile: &mut Profile, thread: ThreadId, stack: StackId, what: u8, amount: u64) {
    let labels = LabelTable::none();
    let name = profile.strings.intern("memory");
    match what {
        0 | 1 => {
            let kind = if what == 0 { SampleKind::Cpu } else { SampleKind::OffCpu };
            // Some samples do not say when.
            let at_nanos = (!amount.is_multiple_of(5)).then_some(amount);
            let key = SampleKey { kind, stack, thread, labels, at_nanos };
            profile.samples.add(key, SampleWeight { count: 1, nanos: amount });
        }
        2 | 3 => {
            let mut stats = ScopeStats { calls: 1, total_nanos: amount, ..ScopeStats::default() };
            stats.timed.record(amount);
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        }
        4 => {
            let span = Span { start_nanos: amount / 3, duration_nanos: amount, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        5 => {
            let mark = Mark { at_nanos: amount, name, details: vec![(name, name)] };
            profile.timeline.track_mut(thread).marks.push(mark);
        }
        6 => {
            let site = HeapSite { allocated_bytes: amount, peak_bytes: amount / 2, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels }, &site);
        }
        7 => {
            let key = KernelKey { name, device: 0, launched_from: Some(stack) };
            let mut durations = DurationStats::default();
            durations.record(amount);
            profile.gpu.add_kernel(key, &durations);
        }
        _ => {
            let value = if amount.is_multiple_of(7) { f64::NAN } else { amount as f64 };
            let key = CounterKey { name, unit: name, thread: amount.is_multiple_of(2).then_some(thread) };
            profile.counters.series_mut(key).push(CounterPoint { at_nanos: amount, value });
        }
    }
}
