//! Profiles with something in every field of every table, built from a list of choices, so that a failing
//! case shrinks to a short list.

#[path = "generated/choices.rs"]
mod choices;

use calor_model::*;
use proptest::prelude::*;

use choices::Choices;

/// A profile that may hold anything a profile can hold.
pub(crate) fn profiles() -> impl Strategy<Value = Profile> {
    proptest::collection::vec(any::<u64>(), 0..400).prop_map(|choices| profile(&choices))
}

/// The profile that a list of choices leads to; past its end every choice is 0.
pub(crate) fn profile(choices: &[u64]) -> Profile {
    let mut choices = Choices(choices);
    let mut profile = Profile::default();
    names(&mut profile, &mut choices);
    code(&mut profile, &mut choices);
    scopes(&mut profile, &mut choices);
    timeline(&mut profile, &mut choices);
    samples(&mut profile, &mut choices);
    machine_code(&mut profile, &mut choices);
    events(&mut profile, &mut choices);
    heap(&mut profile, &mut choices);
    gpu(&mut profile, &mut choices);
    counters(&mut profile, &mut choices);
    runs(&mut profile, &mut choices);
    for _ in 0..choices.up_to(3) {
        let count = choices.option().map(|()| choices.number());
        profile.warn(Warning { code: choices.text(), message: choices.text(), count });
    }
    profile
}

impl Choices<'_> {
    fn up_to(&mut self, n: usize) -> usize {
        (self.next() % (n as u64 + 1)) as usize
    }

    /// Small numbers, large ones, and the very largest.
    fn number(&mut self) -> u64 {
        let choice = self.next();
        match choice % 8 {
            0 => 0,
            1 => u64::MAX,
            scale => choice >> (8 * scale),
        }
    }

    fn float(&mut self) -> f64 {
        match self.next() % 4 {
            0 => 0.0,
            1 => -0.0,
            2 => self.next() as f64,
            _ => Some(f64::from_bits(self.next())).filter(|value| !value.is_nan()).unwrap_or(f64::INFINITY),
        }
    }

    fn flag(&mut self) -> bool {
        self.next() % 2 == 1
    }

    fn option(&mut self) -> Option<()> {
        self.flag().then_some(())
    }

    fn some_number(&mut self) -> Option<u64> {
        self.option().map(|()| self.number())
    }

    fn some_text(&mut self) -> Option<String> {
        self.option().map(|()| self.text())
    }

    fn text(&mut self) -> String {
        const WORDS: [&str; 6] = ["", "main", "matmul", "größe", "a/long/path/to/a/file.rs", "\u{1f525}\0"];
        let choice = self.next();
        format!(
            "{}{}",
            WORDS[(choice % 6) as usize],
            if choice.is_multiple_of(5) { choice } else { choice % 3 }
        )
    }

    fn durations(&mut self) -> DurationStats {
        let mut stats = DurationStats::default();
        stats.count = self.number();
        stats.total_nanos = self.number();
        stats.min_nanos = self.number();
        stats.max_nanos = self.number();
        stats.squared_deviations = self.float();
        for _ in 0..self.up_to(4) {
            let bucket = self.number() as u32;
            stats.add_histogram_bucket(bucket, self.number());
        }
        stats
    }

    fn blocks(&mut self) -> HeapBlocks {
        HeapBlocks { count: self.number(), bytes: self.number() }
    }

    fn string(&mut self, profile: &Profile) -> StringId {
        StringId::from_index(self.below(profile.strings.len()))
    }

    fn stack(&mut self, profile: &Profile) -> StackId {
        StackId::from_index(self.below(profile.stacks.len()))
    }

    fn thread(&mut self, profile: &Profile) -> ThreadId {
        ThreadId::from_index(self.below(profile.threads.len()))
    }

    fn labels(&mut self, profile: &Profile) -> LabelSetId {
        LabelSetId::from_index(self.below(profile.labels.len()))
    }
}

fn names(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..=choices.up_to(8) {
        profile.strings.intern(&choices.text());
    }
    for _ in 0..=choices.up_to(3) {
        let name = choices.string(profile);
        profile.threads.intern(Thread { pid: choices.number() as u32, tid: choices.number(), name });
    }
    for _ in 0..choices.up_to(3) {
        let set: Vec<_> =
            (0..choices.up_to(3)).map(|_| (choices.string(profile), choices.string(profile))).collect();
        profile.labels.intern(&set);
    }
}

fn code(profile: &mut Profile, choices: &mut Choices<'_>) {
    use FrameKind::*;
    for _ in 0..=choices.up_to(6) {
        let frame = Frame {
            name: choices.string(profile),
            kind: [Scope, Context, Native, Kernel, Python, Gpu, Synthetic][choices.below(7)],
            module: choices.option().map(|()| choices.string(profile)),
            file: choices.option().map(|()| choices.string(profile)),
            line: choices.some_number().map(|line| line as u32),
            is_inlined: choices.flag(),
        };
        profile.frames.intern(frame);
    }
    let frame = |choices: &mut Choices<'_>, profile: &Profile| {
        FrameId::from_index(choices.below(profile.frames.len()))
    };
    let root = frame(choices, profile);
    profile.stacks.intern(None, root);
    for _ in 0..choices.up_to(8) {
        let parent = choices.option().map(|()| choices.stack(profile));
        let frame = frame(choices, profile);
        profile.stacks.intern(parent, frame);
    }
}

fn scopes(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(4) {
        let key = ScopeKey {
            stack: choices.stack(profile),
            thread: choices.thread(profile),
            labels: choices.labels(profile),
        };
        if profile.scopes.get(&key).is_some() {
            continue;
        }
        let mut stats =
            ScopeStats { calls: choices.number(), timed: choices.durations(), ..ScopeStats::default() };
        stats.total_nanos = choices.some_number().unwrap_or(stats.timed.total_nanos);
        stats.total_variance = choices.float();
        stats.open_calls = choices.number() as i64;
        stats.open_nanos = choices.number() as i64;
        stats.work.elements = choices.number();
        stats.work.bytes = choices.number();
        stats.work.flops = choices.number();
        for _ in 0..choices.up_to(3) {
            stats.work.add_backend(choices.string(profile), choices.number());
            stats.work.add_counter(choices.string(profile), choices.number() as i64);
        }
        stats.memory = choices.option().map(|()| ScopeMemory {
            allocated_bytes: choices.number(),
            allocated_count: choices.number(),
            freed_bytes: choices.number(),
            freed_count: choices.number(),
            peak_bytes: choices.number(),
        });
        stats.future = choices
            .option()
            .map(|()| Box::new(FutureStats { wall: choices.durations(), cancelled: choices.number() }));
        profile.scopes.add(key, stats);
    }
}

fn timeline(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(2) {
        let thread = choices.thread(profile);
        let mut spans = Vec::new();
        for _ in 0..choices.up_to(6) {
            let (start_nanos, duration_nanos) = (choices.number(), choices.number());
            spans.push(Span { start_nanos, duration_nanos, stack: choices.stack(profile) });
        }
        match choices.below(3) {
            0 => {}
            1 => spans.sort(),
            _ => spans.sort_by_key(|span| span.start_nanos.saturating_add(span.duration_nanos)),
        }
        let mut marks = Vec::new();
        for _ in 0..choices.up_to(3) {
            let (at_nanos, name) = (choices.number(), choices.string(profile));
            let details =
                (0..choices.up_to(2)).map(|_| (choices.string(profile), choices.string(profile))).collect();
            marks.push(Mark { at_nanos, name, details });
        }
        *profile.timeline.track_mut(thread) = Track { spans, marks };
    }
    const KINDS: [LinkKind; 3] = [LinkKind::Spawn, LinkKind::Lock, LinkKind::Other];
    for _ in 0..choices.up_to(3) {
        let link = Link {
            kind: KINDS[choices.below(3)],
            object: choices.number(),
            from: choices.thread(profile),
            from_nanos: choices.number(),
            to: choices.thread(profile),
            since_nanos: choices.number(),
            to_nanos: choices.number(),
            held_nanos: choices.number(),
        };
        profile.timeline.links.push(link);
    }
}

fn samples(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(5) {
        let key = SampleKey {
            kind: [SampleKind::Cpu, SampleKind::OffCpu, SampleKind::Wall][choices.below(3)],
            stack: choices.stack(profile),
            thread: choices.thread(profile),
            labels: choices.labels(profile),
            at_nanos: choices.some_number(),
        };
        profile.samples.add(key, SampleWeight { count: choices.number(), nanos: choices.number() });
    }
}

fn machine_code(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(3) {
        let key = CodeKey {
            name: choices.string(profile),
            module: choices.option().map(|()| choices.string(profile)),
            build: choices.string(profile),
            start: choices.number(),
        };
        let mut code = FunctionCode { size: choices.number(), ..FunctionCode::default() };
        code.bytes = (0..choices.up_to(20)).map(|_| choices.next() as u8).collect();
        let mut offset = 0;
        for _ in 0..choices.up_to(4) {
            let function = choices.option().map(|()| choices.string(profile));
            let file = choices.option().map(|()| choices.string(profile));
            let line = choices.some_number().map(|line| line as u32);
            code.lines.push(CodeLine { offset, function, file, line });
            offset = offset.saturating_add(1 + choices.up_to(1 << 20) as u32);
        }
        for _ in 0..choices.up_to(4) {
            code.counts.insert(choices.number() as u32, choices.number());
        }
        if profile.code.get(&key).is_none() {
            profile.code.add(key, code, &profile.strings);
        }
    }
}

fn events(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(4) {
        let key = EventKey {
            name: choices.string(profile),
            stack: choices.stack(profile),
            thread: choices.thread(profile),
            labels: choices.labels(profile),
        };
        profile.events.add(key, EventWeight { events: choices.number(), samples: choices.number() });
    }
}

fn heap(profile: &mut Profile, choices: &mut Choices<'_>) {
    profile.heap.summary = choices.option().map(|()| HeapSummary {
        mode: [HeapMode::Exact, HeapMode::Sampled][choices.below(2)],
        peak_bytes: choices.number(),
        peak_at_nanos: choices.some_number(),
        leaked: choices.option().map(|()| choices.blocks()),
        sampling_bytes: choices.some_number(),
    });
    for _ in 0..choices.up_to(4) {
        let key = HeapKey {
            stack: choices.stack(profile),
            thread: choices.thread(profile),
            labels: choices.labels(profile),
        };
        let site = HeapSite {
            allocated_bytes: choices.number(),
            allocated_count: choices.number(),
            freed_bytes: choices.number(),
            freed_count: choices.number(),
            peak_bytes: choices.number(),
            peak_count: choices.number(),
            temporary_count: choices.number(),
            temporary_bytes: choices.number(),
            samples: choices.number(),
            allocated_variance: choices.float(),
            live_variance: choices.float(),
            peak_variance: choices.float(),
        };
        profile.heap.add(key, &site);
    }
    for _ in 0..choices.up_to(4) {
        profile.heap.histograms.sizes.record(choices.number(), choices.blocks());
        profile.heap.histograms.lifetimes.record(choices.number(), choices.blocks());
    }
    let has_lifetimes = !profile.heap.histograms.lifetimes.is_empty();
    profile.heap.histograms.are_lifetimes_sampled = has_lifetimes && choices.flag();
    for _ in 0..choices.up_to(3) {
        let mut snapshot = HeapSnapshot::new(choices.number());
        for _ in 0..choices.up_to(3) {
            snapshot.add(choices.stack(profile), choices.blocks());
        }
        profile.heap.snapshots.add(snapshot);
    }
}

fn gpu(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(2) {
        let (index, name) = (choices.number() as u32, choices.string(profile));
        profile.gpu.devices.push(GpuDevice { index, name, memory_bytes: choices.number() });
    }
    for _ in 0..choices.up_to(3) {
        let (name, device) = (choices.string(profile), choices.number() as u32);
        let launched_from = choices.option().map(|()| choices.stack(profile));
        profile.gpu.kernels.insert(KernelKey { name, device, launched_from }, choices.durations());
    }
    for _ in 0..choices.up_to(3) {
        use CopyKind::*;
        let key = CopyKey {
            kind: [HostToDevice, DeviceToHost, DeviceToDevice, Set][choices.below(4)],
            device: choices.number() as u32,
            is_pageable: choices.option().map(|()| choices.flag()),
            launched_from: choices.option().map(|()| choices.stack(profile)),
        };
        let copies = CopyStats { durations: choices.durations(), bytes: choices.number() };
        profile.gpu.copies.insert(key, copies);
    }
    for _ in 0..choices.up_to(3) {
        let key = GpuScopeKey { stack: choices.stack(profile), labels: choices.labels(profile) };
        profile.gpu.scopes.insert(key, GpuWork { count: choices.number(), nanos: choices.number() });
    }
}

fn counters(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(3) {
        let key = CounterKey {
            name: choices.string(profile),
            unit: choices.string(profile),
            thread: choices.option().map(|()| choices.thread(profile)),
        };
        for _ in 0..choices.up_to(4) {
            let point = CounterPoint { at_nanos: choices.number(), value: choices.float() };
            profile.counters.series_mut(key).push(point);
        }
    }
}

fn runs(profile: &mut Profile, choices: &mut Choices<'_>) {
    for _ in 0..choices.up_to(2) {
        use Recorder::*;
        let run = Run {
            id: RunId(u128::from(choices.next()) << 64 | u128::from(choices.next())),
            command: choices.some_text(),
            started_at_unix_nanos: choices.number(),
            duration_nanos: choices.number(),
            cpu_nanos: choices.some_number(),
            host: Host {
                name: choices.text(),
                os: choices.text(),
                kernel: choices.text(),
                arch: choices.text(),
                cpu: choices.some_text().unwrap_or_default(),
                cpu_features: (0..choices.up_to(3)).map(|_| format!("avx{}", choices.up_to(9))).collect(),
                cores: choices.some_number().map(|cores| cores as u32),
                memory_bytes: choices.some_number(),
            },
            commit: choices.some_text(),
            labels: (0..choices.up_to(3)).map(|_| (choices.text(), choices.text())).collect(),
            recorders: (0..choices.up_to(4))
                .map(|_| [Scopes, Cpu, OffCpu, Heap, Gpu, Counters][choices.below(6)])
                .collect(),
            canary: Canary {
                first_nanos: choices.some_number().filter(|nanos| *nanos > 0),
                last_nanos: choices.some_number().filter(|nanos| *nanos > 0),
            },
            cost: Cost {
                own_cpu_nanos: choices.some_number(),
                per_scope_picos: choices.some_number(),
                inside_scope_picos: choices.some_number(),
                memory_bytes: choices.some_number(),
            },
        };
        if profile.runs.iter().all(|known| known.id != run.id) {
            profile.runs.push(run);
        }
    }
    profile.runs.sort_by_key(|run| run.id);
}
