//! What a flame graph is drawn from: for each metric, how much weighs on which call path by itself. Whoever has
//! weights of another origin fills these structs; [`FlameInput::of_profile`] collects all that a profile holds.

use calor_model::{CopyKind, Profile, SampleKind, StackId, StringId, ThreadId};

/// One or more metrics over the call paths of one profile.
#[derive(Clone, Debug, Default)]
pub struct FlameInput {
    /// What it is a picture of.
    pub title: String,
    /// The metrics, the one to show first at the beginning.
    pub metrics: Vec<FlameMetric>,
}

/// One quantity that weighs on call paths.
#[derive(Clone, Debug)]
pub struct FlameMetric {
    /// A short word that stays the same, such as `off_cpu`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is counted in.
    pub unit: FlameUnit,
    /// The weights; the same path may come more than once.
    pub weights: Vec<FlameWeight>,
}

/// What a metric is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FlameUnit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// A bare number, such as samples.
    Count,
}

/// What weighs on one call path itself, not on what it calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FlameWeight {
    /// The call path; `None` when it is unknown.
    pub stack: Option<StackId>,
    /// What stands inside the path without being one of its frames.
    pub leaf: Option<FlameLeaf>,
    /// The thread; `None` when it is unknown.
    pub thread: Option<ThreadId>,
    /// How much.
    pub self_value: u64,
}

/// Work on a GPU, under the path that launched it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlameLeaf {
    /// A kernel of that name.
    Kernel(StringId),
    /// Copies of that kind.
    Copy(CopyKind),
}

impl FlameWeight {
    /// A weight on a whole call path.
    #[must_use]
    pub fn new(stack: StackId, thread: Option<ThreadId>, self_value: u64) -> Self {
        Self { stack: Some(stack), leaf: None, thread, self_value }
    }
}

impl FlameInput {
    /// Every metric that the profile has a weight for. Scopes come first: whoever opened them said what the program
    /// is made of, and their times are exact. Then comes what was sampled, then the GPU and the heap. Everything that
    /// shows one metric unless asked for another takes the first.
    #[must_use]
    pub fn of_profile(profile: &Profile) -> Self {
        let title = profile.runs.first().and_then(|run| run.command.clone());
        let cpu = metric("cpu", "CPU time", samples(profile, SampleKind::Cpu));
        let off_cpu = metric("off_cpu", "Off-CPU time", samples(profile, SampleKind::OffCpu));
        let wall = metric("wall", "Wall time", wall(profile, &cpu, &off_cpu));
        let mut metrics = vec![
            metric("scopes", "Scope time", (FlameUnit::Nanos, scopes(profile))),
            cpu,
            wall,
            off_cpu,
            metric("gpu", "GPU time", (FlameUnit::Nanos, gpu(profile))),
        ];
        metrics.extend(heap(profile));
        metrics.retain(|metric| metric.weights.iter().any(|weight| weight.self_value > 0));
        Self { title: title.unwrap_or_else(|| "Profile".to_owned()), metrics }
    }

    /// The metric of that id.
    #[must_use]
    pub fn metric(&self, id: &str) -> Option<&FlameMetric> {
        self.metrics.iter().find(|metric| metric.id == id)
    }
}

fn metric(id: &str, name: &str, (unit, weights): (FlameUnit, Vec<FlameWeight>)) -> FlameMetric {
    FlameMetric { id: id.to_owned(), name: name.to_owned(), unit, weights }
}

fn scopes(profile: &Profile) -> Vec<FlameWeight> {
    let rows = profile.scopes.iter().zip(profile.scope_self_nanos());
    rows.map(|((key, _), nanos)| FlameWeight::new(key.stack, Some(key.thread), nanos)).collect()
}

/// The time that samples stand for; where none of them says how long, their number.
fn samples(profile: &Profile, kind: SampleKind) -> (FlameUnit, Vec<FlameWeight>) {
    let rows = || profile.samples.iter().filter(|(key, _)| key.kind == kind);
    let is_timed = rows().any(|(_, weight)| weight.nanos > 0);
    let weights = rows().map(|(key, weight)| {
        FlameWeight::new(key.stack, Some(key.thread), if is_timed { weight.nanos } else { weight.count })
    });
    (if is_timed { FlameUnit::Nanos } else { FlameUnit::Count }, weights.collect())
}

/// Where it was not sampled itself, time on a CPU and time waited together are wall time.
fn wall(profile: &Profile, cpu: &FlameMetric, off_cpu: &FlameMetric) -> (FlameUnit, Vec<FlameWeight>) {
    let (unit, sampled) = samples(profile, SampleKind::Wall);
    let has_both = !cpu.weights.is_empty() && !off_cpu.weights.is_empty() && cpu.unit == off_cpu.unit;
    if !sampled.is_empty() || !has_both {
        return (unit, sampled);
    }
    (cpu.unit, cpu.weights.iter().chain(&off_cpu.weights).copied().collect())
}

fn gpu(profile: &Profile) -> Vec<FlameWeight> {
    let weight = |stack, leaf, self_value| FlameWeight { stack, leaf: Some(leaf), thread: None, self_value };
    let kernels = profile.gpu.kernels.iter().map(|(key, durations)| {
        weight(key.launched_from, FlameLeaf::Kernel(key.name), durations.total_nanos)
    });
    let copies = profile.gpu.copies.iter().map(|(key, copies)| {
        weight(key.launched_from, FlameLeaf::Copy(key.kind), copies.durations.total_nanos)
    });
    kernels.chain(copies).collect()
}

/// The heap as its recorder saw it, or without one what scopes counted.
fn heap(profile: &Profile) -> Vec<FlameMetric> {
    if profile.heap.is_empty() {
        return vec![metric("allocated", "Allocated", (FlameUnit::Bytes, scope_allocations(profile)))];
    }
    let weights = |bytes: fn(&calor_model::HeapSite) -> u64| {
        let rows = profile.heap.iter();
        let weights = rows.map(|(key, site)| FlameWeight::new(key.stack, Some(key.thread), bytes(site)));
        (FlameUnit::Bytes, weights.collect())
    };
    vec![
        metric("allocated", "Allocated", weights(|site| site.allocated_bytes)),
        metric("peak", "Held at the peak", weights(|site| site.peak_bytes)),
        metric("live", "Not freed", weights(calor_model::HeapSite::live_bytes)),
        metric("temporary", "Temporary", weights(|site| site.temporary_bytes)),
    ]
}

/// What each scope allocated itself.
fn scope_allocations(profile: &Profile) -> Vec<FlameWeight> {
    let rows = profile.scopes.iter().zip(profile.scope_self_allocated_bytes());
    rows.filter_map(|((key, _), own)| Some(FlameWeight::new(key.stack, Some(key.thread), own?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::{DurationStats, FrameKind, KernelKey, LabelTable, SampleKey, SampleWeight};

    fn sum(input: &FlameInput, id: &str) -> Option<u64> {
        input.metric(id).map(|metric| metric.weights.iter().map(|weight| weight.self_value).sum())
    }

    #[test]
    fn only_metrics_with_a_weight_are_collected() {
        let profile =
            Sketch::new().scope("a", &["run"], 1, 100).scope("a", &["run", "work"], 1, 30).profile();
        let input = FlameInput::of_profile(&profile);
        assert_eq!(input.metrics.iter().map(|metric| metric.id.as_str()).collect::<Vec<_>>(), ["scopes"]);
        assert_eq!(sum(&input, "scopes"), Some(100));
        assert!(FlameInput::of_profile(&Profile::default()).metrics.is_empty());
    }

    #[test]
    fn samples_without_a_time_are_counted() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let stack = profile.intern_named_path(&["main"], FrameKind::Native).unwrap();
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 7, nanos: 0 });
        let input = FlameInput::of_profile(&profile);
        let cpu = input.metric("cpu").unwrap();
        assert_eq!((cpu.unit, cpu.weights[0].self_value), (FlameUnit::Count, 7));
    }

    #[test]
    fn kernels_weigh_on_the_path_that_launched_them() {
        let mut profile = Profile::default();
        let launched_from = profile.intern_named_path(&["main", "forward"], FrameKind::Python);
        let name = profile.strings.intern("gemm_f16");
        let mut durations = DurationStats::default();
        durations.record(500);
        profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from }, &durations);
        let input = FlameInput::of_profile(&profile);
        let weight = input.metric("gpu").unwrap().weights[0];
        assert_eq!((weight.stack, weight.leaf), (launched_from, Some(FlameLeaf::Kernel(name))));
        assert_eq!(weight.self_value, 500);
    }

    #[test]
    fn without_a_heap_recorder_scopes_tell_who_allocated() {
        let profile = Sketch::new()
            .allocating_scope("a", &["run"], 100, 4)
            .allocating_scope("a", &["run", "work"], 60, 2)
            .profile();
        let input = FlameInput::of_profile(&profile);
        let own: Vec<u64> =
            input.metric("allocated").unwrap().weights.iter().map(|weight| weight.self_value).collect();
        assert_eq!(own, [40, 60]);
    }
}
