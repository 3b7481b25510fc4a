//! The call paths of a profile with one number each: what folded stacks, speedscope, pprof and flame graphs are
//! made of. The numbers are *self* values, so they may be added up along any path without counting twice.

use std::borrow::Cow;

use calor_model::{
    CopyKind, Frame, FrameKind, FrameTable, Profile, SampleKind, StackId, StackTable, StringTable, ThreadId,
};

use crate::Metric;

/// What one call path did itself, on one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// The call path, a row of [`Weights::stacks`].
    pub stack: StackId,
    /// The thread of the profile; `None` for work on a GPU.
    pub thread: Option<ThreadId>,
    /// How much, in the unit of the metric.
    pub value: u64,
    /// How often: calls, samples, allocations, blocks held, or launches.
    pub count: u64,
}

/// The call paths of a profile with one number each. The tables are those of the profile, and more where frames
/// had to be added: a GPU kernel is the leaf of the path that launched it.
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    /// What the values are.
    pub metric: Metric,
    /// Every text.
    pub strings: Cow<'a, StringTable>,
    /// Places in the code.
    pub frames: Cow<'a, FrameTable>,
    /// Call paths.
    pub stacks: Cow<'a, StackTable>,
    /// One row for each call path and thread that has a value or a count, sorted by call path, then thread.
    pub rows: Vec<Weight>,
}

/// The self values of a metric by call path and thread; no rows when the profile does not have it.
#[must_use]
pub fn weights(profile: &Profile, metric: Metric) -> Weights<'_> {
    let mut weights = Weights {
        metric,
        strings: Cow::Borrowed(&profile.strings),
        frames: Cow::Borrowed(&profile.frames),
        stacks: Cow::Borrowed(&profile.stacks),
        rows: Vec::new(),
    };
    match metric {
        Metric::Scopes => {
            for ((key, stats), value) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
                weights.push(key.stack, Some(key.thread), value, stats.calls);
            }
        }
        Metric::Cpu => weights.push_samples(profile, |kind| kind == SampleKind::Cpu),
        Metric::OffCpu => weights.push_samples(profile, |kind| kind == SampleKind::OffCpu),
        Metric::Wall if profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall) => {
            weights.push_samples(profile, |kind| kind == SampleKind::Wall);
        }
        Metric::Wall => weights.push_samples(profile, |_| true),
        Metric::Allocated | Metric::Live | Metric::Peak | Metric::Temporary => {
            for (key, site) in profile.heap.iter() {
                let (value, count) = match metric {
                    Metric::Allocated => (site.allocated_bytes, site.allocated_count),
                    Metric::Live => (site.live_bytes(), site.live_count()),
                    Metric::Temporary => (site.temporary_bytes, site.temporary_count),
                    _ => (site.peak_bytes, site.peak_count),
                };
                weights.push(key.stack, Some(key.thread), value, count);
            }
        }
        Metric::Gpu => weights.push_gpu(profile),
    }
    weights.add_up();
    weights
}

impl Weights<'_> {
    /// The sum of all values.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.value))
    }

    /// The names of a path's frames, outermost first.
    #[must_use]
    pub fn path_names(&self, stack: StackId) -> Vec<&str> {
        let name = |frame| self.strings.get(self.frames.get(frame).name);
        self.stacks.path(stack).into_iter().map(name).collect()
    }

    fn push(&mut self, stack: StackId, thread: Option<ThreadId>, value: u64, count: u64) {
        if value != 0 || count != 0 {
            self.rows.push(Weight { stack, thread, value, count });
        }
    }

    fn push_samples(&mut self, profile: &Profile, is_wanted: impl Fn(SampleKind) -> bool) {
        for (key, weight) in profile.samples.iter().filter(|(key, _)| is_wanted(key.kind)) {
            self.push(key.stack, Some(key.thread), weight.nanos, weight.count);
        }
    }

    fn push_gpu(&mut self, profile: &Profile) {
        for (key, durations) in &profile.gpu.kernels {
            let name = profile.strings.get(key.name);
            self.push_gpu_leaf(key.launched_from, name, durations.total_nanos, durations.count);
        }
        for (key, copies) in &profile.gpu.copies {
            let name = match key.kind {
                CopyKind::HostToDevice => "copy host to device",
                CopyKind::DeviceToHost => "copy device to host",
                CopyKind::DeviceToDevice => "copy device to device",
                CopyKind::Set => "set memory",
                _ => "copy",
            };
            let durations = &copies.durations;
            self.push_gpu_leaf(key.launched_from, name, durations.total_nanos, durations.count);
        }
    }

    fn push_gpu_leaf(&mut self, parent: Option<StackId>, name: &str, value: u64, count: u64) {
        let name = self.strings.to_mut().intern(name);
        let frame = self.frames.to_mut().intern(Frame::new(name, FrameKind::Gpu));
        let stack = self.stacks.to_mut().intern(parent, frame);
        self.push(stack, None, value, count);
    }

    /// Makes one row of those that differ in labels or time alone.
    fn add_up(&mut self) {
        self.rows.sort_unstable_by_key(|row| (row.stack, row.thread));
        self.rows.dedup_by(|row, first| {
            let is_same = (row.stack, row.thread) == (first.stack, first.thread);
            if is_same {
                first.value = first.value.saturating_add(row.value);
                first.count = first.count.saturating_add(row.count);
            }
            is_same
        });
    }
}
