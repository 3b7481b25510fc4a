//! A profile as the Python package makes one: operations with labels, contexts, scopes and traced functions.

use calor_model::{Frame, FrameKind, Profile, ScopeKey, ScopeStats, StackId, Work};

/// A step on a path: its name, its kind and its line.
type Step<'a> = (&'a str, FrameKind, u32);

pub(crate) struct Sketch(Profile);

impl Sketch {
    pub(crate) fn new() -> Self {
        Self(Profile { runs: vec![crate::sketch::run()], ..Profile::default() })
    }

    /// `calls` calls of `nanos` each.
    pub(crate) fn row(
        mut self,
        path: &[Step<'_>],
        labels: &[(&str, &str)],
        calls: u64,
        nanos: u64,
        work: Work,
    ) -> Self {
        let profile = &mut self.0;
        let file = profile.strings.intern("/home/me/train.py");
        let mut stack: Option<StackId> = None;
        for (name, kind, line) in path {
            let name = profile.strings.intern(name);
            let frame = Frame { file: Some(file), line: Some(*line), ..Frame::new(name, *kind) };
            let frame = profile.frames.intern(frame);
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let labels: Vec<_> = labels
            .iter()
            .map(|(name, value)| (profile.strings.intern(name), profile.strings.intern(value)))
            .collect();
        let key = ScopeKey {
            stack: stack.expect("a path has a frame"),
            thread: profile.intern_thread(4711, 4711, "main"),
            labels: profile.labels.intern(&labels),
        };
        let mut stats = ScopeStats { calls, total_nanos: calls * nanos, work, ..ScopeStats::default() };
        (0..calls).for_each(|_| stats.timed.record(nanos));
        profile.scopes.add(key, stats);
        self
    }

    pub(crate) fn profile(self) -> Profile {
        self.0
    }
}

/// A training loop: a context with three operations, one of them with another inside, and a scope named like a field.
pub(crate) fn training() -> Profile {
    use FrameKind::{Context, Scope};
    let work = |flops, bytes| Work { flops, bytes, ..Work::default() };
    let (train, step) = (("train", Context, 3), ("warnings", Scope, 5));
    Sketch::new()
        .row(&[train], &[], 1, 10_000_000, Work::default())
        .row(&[train, step], &[], 4, 2_000_000, Work::default())
        .row(
            &[train, step, ("matmul", Scope, 12)],
            &[("op", "numpy"), ("shape", "512x512,512x512"), ("dtype", "float32,float32->float32")],
            10,
            400_000,
            work(2_684_354_560, 31_457_280),
        )
        .row(
            &[train, step, ("ndarray.mean", Scope, 13)],
            &[("op", "numpy"), ("shape", "512x512")],
            10,
            100_000,
            Work::default(),
        )
        .row(
            &[train, step, ("ndarray.mean", Scope, 13), ("add.reduce", Scope, 181)],
            &[("op", "numpy"), ("shape", "512x512")],
            10,
            80_000,
            work(2_621_440, 10_485_760),
        )
        .row(
            &[("add", Scope, 40)],
            &[("op", "numpy"), ("shape", "10,"), ("dtype", "float64,float64->float64")],
            1,
            1_000,
            work(10, 240),
        )
        .row(&[("load, all", Scope, 50)], &[("function", "python")], 3, 50_000, Work::default())
        .profile()
}
