//! Profiles with everything that the format can hold, built from a list of choices, so that a failing case
//! shrinks to a short list.

#[path = "../native/generated/choices.rs"]
mod choices;

use calor_model::*;
use proptest::prelude::*;

use choices::Choices;

/// A profile as recorders make them: times of scopes contain those inside, frees follow allocations, and inlined
/// functions are of the module that they are inside of.
pub(crate) fn profiles() -> impl Strategy<Value = Profile> {
    proptest::collection::vec(any::<u64>(), 0..300).prop_map(|choices| profile(&choices))
}

/// The profile that a list of choices leads to; past its end every choice is 0.
fn profile(choices: &[u64]) -> Profile {
    let mut choices = Choices(choices);
    let mut profile = Profile::default();
    let keys = places(&mut profile, &mut choices);
    samples(&mut profile, &mut choices, &keys);
    heap(&mut profile, &mut choices, &keys);
    gpu(&mut profile, &mut choices, &keys);
    scopes(&mut profile, &mut choices);
    profile
}

impl Choices<'_> {
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Small numbers and large ones, of which a few add up to no more than a signed number holds.
    fn number(&mut self) -> u64 {
        let choice = self.next();
        choice >> (8 + 8 * (choice % 7))
    }

    fn text(&mut self) -> &'static str {
        self.one_of(&[
            "",
            "main",
            "matmul",
            "größe",
            "a/file.rs",
            "model.py",
            "x [python]",
            "[kernel]",
            "\u{1f525}\0",
        ])
    }

    fn some(&mut self, profile: &mut Profile) -> Option<StringId> {
        (self.next() % 2 == 1).then(|| profile.strings.intern(self.text()))
    }
}

/// What a row can be about.
struct Keys {
    stacks: Vec<StackId>,
    threads: Vec<ThreadId>,
    labels: Vec<LabelSetId>,
}

fn places(profile: &mut Profile, choices: &mut Choices<'_>) -> Keys {
    use FrameKind::*;
    let mut stacks: Vec<StackId> = Vec::new();
    for _ in 0..=choices.below(10) {
        let parent =
            (!choices.next().is_multiple_of(4) && !stacks.is_empty()).then(|| choices.one_of(&stacks));
        let mut frame = Frame {
            name: profile.strings.intern(choices.text()),
            kind: choices.one_of(&[Scope, Context, Native, Kernel, Python, Gpu, Synthetic]),
            module: choices.some(profile),
            file: choices.some(profile),
            line: Some(choices.number() as u32).filter(|&line| line > 0),
            is_inlined: false,
        };
        if let Some(parent) = parent
            && choices.next() % 2 == 1
        {
            let outer = profile.frames.get(profile.stacks.get(parent).frame);
            frame =
                Frame { kind: outer.kind, module: outer.module, file: outer.file, is_inlined: true, ..frame };
        }
        let frame = profile.frames.intern(frame);
        stacks.push(profile.stacks.intern(parent, frame));
    }
    let mut threads = Vec::new();
    for _ in 0..=choices.below(3) {
        let (pid, tid) = (choices.number() as u32, choices.next() >> choices.below(64));
        threads.push(profile.intern_thread(pid, tid, choices.text()));
    }
    let mut labels = vec![LabelTable::none()];
    for _ in 0..choices.below(4) {
        let mut set = Vec::new();
        for _ in 0..choices.below(4) {
            let key = choices.one_of(&["request", "", "thread", "tid", "pid", "process id", "gpu_device"]);
            set.push((profile.strings.intern(key), profile.strings.intern(choices.text())));
        }
        labels.push(profile.labels.intern(&set));
    }
    Keys { stacks, threads, labels }
}

fn samples(profile: &mut Profile, choices: &mut Choices<'_>, keys: &Keys) {
    use SampleKind::*;
    for _ in 0..choices.below(8) {
        let (stack, thread) = (choices.one_of(&keys.stacks), choices.one_of(&keys.threads));
        let (kind, labels) = (choices.one_of(&[Cpu, OffCpu, Wall]), choices.one_of(&keys.labels));
        let weight = SampleWeight { count: choices.number().max(1), nanos: choices.number() };
        profile.samples.add(SampleKey { kind, stack, thread, labels, at_nanos: None }, weight);
    }
}

fn heap(profile: &mut Profile, choices: &mut Choices<'_>, keys: &Keys) {
    let mut peak_bytes = 0;
    for _ in 0..choices.below(5) {
        let (freed_bytes, freed_count) = (choices.number(), choices.number());
        let site = HeapSite {
            allocated_bytes: freed_bytes + choices.number() + 1,
            allocated_count: freed_count + choices.number() + 1,
            freed_bytes,
            freed_count,
            peak_bytes: choices.number(),
            peak_count: choices.number(),
            temporary_count: choices.number(),
            temporary_bytes: choices.number(),
            ..HeapSite::default()
        };
        peak_bytes += site.peak_bytes;
        let (stack, thread) = (choices.one_of(&keys.stacks), choices.one_of(&keys.threads));
        profile.heap.add(HeapKey { stack, thread, labels: choices.one_of(&keys.labels) }, &site);
    }
    if !profile.heap.is_empty() {
        let mode = choices.one_of(&[HeapMode::Exact, HeapMode::Sampled]);
        profile.heap.summary = Some(HeapSummary::new(mode, peak_bytes, None));
    }
}

/// Launches of one length: the format holds sums alone.
fn durations(choices: &mut Choices<'_>) -> DurationStats {
    let mut durations = DurationStats::default();
    (durations.count, durations.min_nanos) = (1 + choices.below(1000) as u64, choices.number() >> 12);
    durations.max_nanos = durations.min_nanos;
    durations.total_nanos = durations.count * durations.min_nanos;
    durations
}

fn gpu(profile: &mut Profile, choices: &mut Choices<'_>, keys: &Keys) {
    use CopyKind::*;
    for _ in 0..choices.below(3) {
        let (name, device) = (profile.strings.intern(choices.text()), choices.below(4) as u32);
        let launched_from = (choices.next() % 2 == 1).then(|| choices.one_of(&keys.stacks));
        profile.gpu.kernels.insert(KernelKey { name, device, launched_from }, durations(choices));
    }
    for _ in 0..choices.below(3) {
        let kind = choices.one_of(&[HostToDevice, DeviceToHost, DeviceToDevice, Set]);
        let launched_from = (choices.next() % 2 == 1).then(|| choices.one_of(&keys.stacks));
        let is_pageable = choices.one_of(&[None, Some(false), Some(true)]);
        let key = CopyKey { kind, device: choices.below(4) as u32, is_pageable, launched_from };
        profile.gpu.copies.insert(key, CopyStats { durations: durations(choices), bytes: choices.number() });
    }
}

/// A chain of scopes, each of which has the time of those inside it and some of its own.
fn scopes(profile: &mut Profile, choices: &mut Choices<'_>) {
    let names: Vec<&str> = (0..choices.below(5)).map(|_| choices.text()).collect();
    let thread = profile.intern_thread(1, 2, "worker");
    let mut total_nanos = 0;
    for depth in (1..=names.len()).rev() {
        let stack = profile.intern_named_path(&names[..depth], FrameKind::Scope).unwrap();
        total_nanos += choices.number();
        let stats = ScopeStats { calls: 1 + choices.number(), total_nanos, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
}
