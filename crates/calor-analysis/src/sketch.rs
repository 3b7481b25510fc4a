//! Small profiles drawn by hand for the tests of this crate.

use calor_model::{
    EventKey, EventWeight, FrameKind, HeapKey, HeapSite, LabelTable, Profile, Run, SampleKey, SampleKind,
    SampleWeight, ScopeKey, ScopeMemory, ScopeStats, StackId, ThreadId,
};

/// A profile in the making; each method adds one row.
pub(crate) struct Sketch(Profile);

impl Sketch {
    pub(crate) fn new() -> Self {
        Self(Profile::default())
    }

    /// Calls of one path that took `total` nanoseconds together, evenly.
    pub(crate) fn scope(self, thread: &str, path: &[&str], calls: u64, total: u64) -> Self {
        let mut stats = ScopeStats { calls, total_nanos: total, ..ScopeStats::default() };
        for call in 0..calls {
            stats.timed.record(total / calls + u64::from(call < total % calls));
        }
        self.row(thread, path, stats)
    }

    /// Calls of which only one in ten was timed.
    pub(crate) fn estimated_scope(
        self,
        thread: &str,
        path: &[&str],
        calls: u64,
        total: u64,
        variance: f64,
    ) -> Self {
        let mut stats =
            ScopeStats { calls, total_nanos: total, total_variance: variance, ..ScopeStats::default() };
        for _ in 0..calls / 10 {
            stats.timed.record(total / calls);
        }
        self.row(thread, path, stats)
    }

    /// One call that allocated, children included.
    pub(crate) fn allocating_scope(self, thread: &str, path: &[&str], bytes: u64, count: u64) -> Self {
        let memory = ScopeMemory { allocated_bytes: bytes, allocated_count: count, ..ScopeMemory::default() };
        let mut stats = ScopeStats { calls: 1, memory: Some(memory), ..ScopeStats::default() };
        stats.timed.record(0);
        self.row(thread, path, stats)
    }

    /// Bytes that a native path allocated, in blocks of one, and of those the ones it freed.
    pub(crate) fn heap(mut self, path: &[&str], allocated: u64, freed: u64) -> Self {
        let stack = self.0.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        let thread = self.0.intern_thread(1, 0, "main");
        let site = HeapSite {
            allocated_bytes: allocated,
            allocated_count: allocated,
            freed_bytes: freed,
            freed_count: freed,
            ..HeapSite::default()
        };
        self.0.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        self
    }

    pub(crate) fn row(mut self, thread: &str, path: &[&str], stats: ScopeStats) -> Self {
        let (stack, thread) = self.place(thread, path);
        self.0.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        self
    }

    /// Samples of one native path, each of a thousand nanoseconds.
    pub(crate) fn samples(mut self, thread: &str, kind: SampleKind, path: &[&str], count: u64) -> Self {
        let stack = self.0.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        let thread = self.0.intern_thread(1, 0, thread);
        let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        self.0.samples.add(key, SampleWeight { count, nanos: count * 1_000 });
        self
    }

    /// Events of a counter on one native path, in one sample.
    pub(crate) fn events(mut self, thread: &str, name: &str, path: &[&str], events: u64) -> Self {
        let stack = self.0.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        let thread = self.0.intern_thread(1, 0, thread);
        let name = self.0.strings.intern(name);
        let key = EventKey { name, stack, thread, labels: LabelTable::none() };
        self.0.events.add(key, EventWeight { events, samples: 1 });
        self
    }

    /// CPU samples or waits of a thread, all on one path.
    pub(crate) fn samples_of(mut self, thread: &str, tid: u64, kind: SampleKind, count: u64) -> Self {
        let stack = self.0.intern_named_path(&["run"], FrameKind::Native).expect("a path has a frame");
        let thread = self.0.intern_thread(1, tid, thread);
        let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        self.0.samples.add(key, SampleWeight { count, nanos: count * 1_000 });
        self
    }

    pub(crate) fn run(mut self, run: Run) -> Self {
        self.0.runs.push(run);
        self
    }

    pub(crate) fn profile(self) -> Profile {
        self.0
    }

    fn place(&mut self, thread: &str, path: &[&str]) -> (StackId, ThreadId) {
        let stack = self.0.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        (stack, self.0.intern_thread(1, 0, thread))
    }
}
