//! Recordings in Calor's own format, for the report: nobody else writes it.

use calor_formats::native;
use calor_model::{
    Frame, FrameId, FrameKind, LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight, ScopeKey,
    ScopeStats, Span, StackId,
};

use super::numbers::Numbers;

/// 10 MB of samples of 16 threads, each with its time.
pub(super) fn samples() -> Result<Vec<u8>, String> {
    let mut profile = started("samples");
    add_samples(&mut profile, 1_300_000, 20_000);
    encoded(&profile)
}

/// 10 MB of scopes with their durations, and of the timeline.
pub(super) fn scopes() -> Result<Vec<u8>, String> {
    let mut profile = started("scopes");
    add_scopes(&mut profile, 28_000, 500, 930_000);
    encoded(&profile)
}

/// Scopes, spans and samples of 5,000 functions, as a recording of some minutes holds them.
pub(super) fn functions() -> Result<Vec<u8>, String> {
    let mut profile = started("functions");
    add_samples(&mut profile, 60_000, 4_000);
    add_scopes(&mut profile, 1_000, 200, 100_000);
    encoded(&profile)
}

fn started(command: &str) -> Profile {
    let run = Run {
        command: Some(format!("./infer --bench {command}")),
        duration_nanos: 60_000_000_000,
        ..Run::default()
    };
    Profile { runs: vec![run], ..Profile::default() }
}

fn encoded(profile: &Profile) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).map_err(|error| format!("cannot write a recording: {error}"))?;
    Ok(bytes)
}

fn add_samples(profile: &mut Profile, n_samples: u64, n_functions: u64) {
    let mut numbers = Numbers(6);
    let threads: Vec<_> =
        (0..16).map(|tid| profile.intern_thread(1, tid + 1, &format!("worker {tid}"))).collect();
    let frames = frames(profile, "infer", FrameKind::Native, n_functions);
    let paths: Vec<_> = (0..20_000)
        .filter_map(|_| {
            let depth = 10 + numbers.below(30);
            let path = numbers.path(depth, n_functions, 1).into_iter();
            path.fold(None, |stack, frame| Some(profile.stacks.intern(stack, frames[frame as usize])))
        })
        .collect::<Vec<StackId>>();
    let mut at = 0;
    for _ in 0..n_samples {
        at += 50_000 + numbers.below(100_000);
        let stack = paths[numbers.below(paths.len() as u64) as usize];
        let thread = threads[numbers.below(16) as usize];
        let key = SampleKey {
            kind: SampleKind::Cpu,
            stack,
            thread,
            labels: LabelTable::none(),
            at_nanos: Some(at),
        };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000_000 });
    }
}

/// A call tree of scopes, three below each, with durations of `n_calls` calls; and of some of them a timeline.
fn add_scopes(profile: &mut Profile, n_scopes: usize, n_calls: u64, n_spans: usize) {
    let mut numbers = Numbers(7);
    let thread = profile.intern_thread(1, 1, "main");
    let frames = frames(profile, "transformer", FrameKind::Scope, n_scopes as u64);
    let mut stacks: Vec<StackId> = Vec::with_capacity(n_scopes);
    for (index, &frame) in frames.iter().enumerate() {
        let parent = (index > 0).then(|| stacks[(index - 1) / 3]);
        stacks.push(profile.stacks.intern(parent, frame));
    }
    for &stack in &stacks {
        let typical = 1_000 + numbers.below(1_000_000);
        let mut stats = ScopeStats { calls: n_calls, ..ScopeStats::default() };
        (0..n_calls).for_each(|_| stats.timed.record(typical + numbers.below(typical)));
        stats.total_nanos = stats.timed.total_nanos;
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    let mut now = 0;
    let mut spans = Vec::with_capacity(n_spans + 4);
    while spans.len() < n_spans {
        // A scope and its three children.
        let parent = numbers.below((n_scopes as u64 - 1) / 3) as usize;
        let start = now;
        let place = spans.len();
        spans.push(Span { start_nanos: start, duration_nanos: 0, stack: stacks[parent] });
        for child in 1..4 {
            now += 50 + numbers.below(100);
            let duration_nanos = 1_000 + numbers.below(19_000);
            spans.push(Span { start_nanos: now, duration_nanos, stack: stacks[3 * parent + child] });
            now += duration_nanos;
        }
        now += 80;
        spans[place].duration_nanos = now - start;
        now += 120;
    }
    profile.timeline.track_mut(thread).spans = spans;
}

fn frames(profile: &mut Profile, module: &str, kind: FrameKind, n_functions: u64) -> Vec<FrameId> {
    let library = Some(profile.strings.intern(&format!("/usr/lib/lib{module}.so")));
    (0..n_functions)
        .map(|number| {
            let name =
                profile.strings.intern(&format!("{module}::module_{}::function_{number}", number % 97));
            let file = Some(profile.strings.intern(&format!("src/{module}_{}.rs", number % 97)));
            let line = Some((number % 900 + 1) as u32);
            profile.frames.intern(Frame { name, kind, module: library, file, line, is_inlined: false })
        })
        .collect()
}
