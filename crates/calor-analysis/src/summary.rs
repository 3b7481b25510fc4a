//! The profile in a handful of figures, and each of its threads in one line.

use calor_model::{HeapBlocks, HeapMode, HeapSite, Profile, SampleKind, SampleWeight, ThreadId};

use crate::heap::heap_mask;
use crate::python::{self, GilState, PythonSummary};
use crate::{CallTree, ThreadChoice};

/// The whole profile. What was not recorded is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// How long was recorded, by the clock on the wall.
    pub duration_nanos: u64,
    /// CPU time of the program, all runs together; `None` unless every run measured it.
    pub cpu_nanos: Option<u64>,
    /// Time of the outermost scopes, all threads together.
    pub recorded_nanos: Option<u64>,
    /// By how much self times add up to more than that, because children took longer than their callers.
    pub clamped_nanos: u64,
    /// Calls of scopes; `None` also where only their time is known.
    pub scope_calls: Option<u64>,
    /// Call paths of scopes.
    pub scope_paths: Option<usize>,
    /// Scopes that had not ended, as far as the profile goes.
    pub open_calls: u64,
    /// Whether some of those may have ended in a part of the file that could not be read.
    pub is_open_uncertain: bool,
    /// Calls below the deepest level that the recorder follows: counted, but on no path.
    pub too_deep_calls: u64,
    /// Calls on more paths than the recorder holds: counted, but on no path.
    pub over_limit_calls: u64,
    /// CPU and wall samples.
    pub samples: Option<u64>,
    /// How often threads waited.
    pub waits: Option<u64>,
    /// How long, all threads together.
    pub blocked_nanos: Option<u64>,
    /// Samples that the recorder knows it lost.
    pub samples_lost: Option<u64>,
    /// Spans and marks of the timeline.
    pub timeline_events: Option<usize>,
    /// Bytes allocated on the chosen threads.
    pub allocated_bytes: Option<u64>,
    /// The heap as a whole, where it was watched.
    pub heap: Option<HeapTotals>,
    /// Python, where any of it was sampled.
    pub python: Option<PythonSummary>,
    /// The chosen threads that recorded anything, the longest recorded first.
    pub threads: Vec<ThreadSummary>,
}

/// The heap as a whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeapTotals {
    /// How it was watched.
    pub mode: HeapMode,
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Number of allocations.
    pub allocated_count: u64,
    /// Bytes freed.
    pub freed_bytes: u64,
    /// Number of frees.
    pub freed_count: u64,
    /// The most bytes held at once.
    pub peak_bytes: u64,
    /// When that was, in nanoseconds from the start of the run.
    pub peak_at_nanos: Option<u64>,
    /// What processes held when they ended; `None` when none was seen to end by itself.
    pub leaked: Option<HeapBlocks>,
    /// Bytes between two samples in the mean, where allocations were sampled.
    pub sampling_bytes: Option<u64>,
    /// All rows added up.
    pub sum: HeapSite,
}

impl HeapTotals {
    /// The chosen threads' part of a heap; its peak and what was leaked are those of the whole. `None` when the heap was
    /// not watched.
    #[must_use]
    pub fn of(profile: &Profile, threads: &ThreadChoice) -> Option<Self> {
        heap_totals(profile, &heap_mask(profile, threads))
    }

    /// Whether it is known what was allocated and freed: of a heap that held something without a single block that was
    /// sampled it is not.
    #[must_use]
    pub fn has_sums(&self) -> bool {
        self.mode == HeapMode::Exact || self.sum.allocated_count > 0 || self.peak_bytes == 0
    }

    /// Whether it is known what was temporary: samples alone do not tell, and recorders of samples count none.
    #[must_use]
    pub fn knows_temporary(&self) -> bool {
        self.mode == HeapMode::Exact || self.sum.temporary_count > 0
    }

    /// Bytes that were not freed.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        self.sum.live_bytes()
    }
}

/// One thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadSummary {
    /// Which.
    pub thread: ThreadId,
    /// Time of its outermost scopes; `None` when it opened none.
    pub recorded_nanos: Option<u64>,
    /// Calls of its scopes.
    pub scope_calls: Option<u64>,
    /// Its CPU and wall samples.
    pub samples: Option<u64>,
    /// CPU time by its samples.
    pub cpu_nanos: Option<u64>,
    /// How often it waited.
    pub waits: Option<u64>,
    /// How long it waited.
    pub blocked_nanos: Option<u64>,
    /// Samples of it while it ran that say whether it held Python's global interpreter lock.
    pub gil_samples: Option<u64>,
    /// Those of them that found it held.
    pub gil_held: Option<u64>,
    /// How long it waited for that lock.
    pub gil_wait_nanos: Option<u64>,
}

impl Summary {
    /// The figures of a tree's profile; `tree` is the tree of its scopes on those threads.
    #[must_use]
    pub fn new(tree: &CallTree<'_>, threads: &ThreadChoice) -> Self {
        let profile = tree.profile();
        let has_scopes = !tree.is_empty();
        let calls = tree.nodes().fold(0_u64, |sum, (_, node)| sum.saturating_add(node.calls));
        let chosen = threads.mask(profile);
        let chosen_of_heap = heap_mask(profile, threads);
        let heap = heap_totals(profile, &chosen_of_heap);
        let of_heap =
            || (!profile.heap.is_empty()).then(|| heap_site(profile, &chosen_of_heap).allocated_bytes);
        let of_scopes = || {
            let own = tree.nodes().filter_map(|(_, node)| node.self_allocated_bytes);
            own.fold(None, |sum: Option<u64>, bytes| Some(sum.unwrap_or(0).saturating_add(bytes)))
        };
        let threads = thread_summaries(tree, threads);
        let sum = |figure: fn(&ThreadSummary) -> Option<u64>| {
            threads.iter().filter_map(figure).reduce(u64::saturating_add)
        };
        let (samples, waits) = (sum(|thread| thread.samples), sum(|thread| thread.waits));
        let blocked_nanos = sum(|thread| thread.blocked_nanos);
        let warned = |code: &'static str| profile.warnings.iter().filter(move |warning| warning.code == code);
        let counted = |code| warned(code).filter_map(|warning| warning.count).fold(0, u64::saturating_add);
        Self {
            duration_nanos: profile.duration_nanos(),
            cpu_nanos: profile
                .runs
                .iter()
                .map(|run| run.cpu_nanos)
                .reduce(|a, b| Some(a?.saturating_add(b?)))
                .flatten(),
            recorded_nanos: has_scopes.then(|| tree.recorded_nanos()),
            clamped_nanos: tree.nodes().fold(0, |sum, (_, node)| sum.saturating_add(node.clamped_nanos)),
            scope_calls: known_calls(tree, calls, tree.recorded_nanos()).filter(|_| has_scopes),
            scope_paths: has_scopes.then(|| tree.nodes().filter(|(_, node)| !node.rows.is_empty()).count()),
            open_calls: tree
                .nodes()
                .map(|(_, node)| u64::try_from(node.open_calls).unwrap_or(0))
                .fold(0, u64::saturating_add),
            is_open_uncertain: warned("chunk_damaged").next().is_some(),
            too_deep_calls: counted("scopes_too_deep"),
            over_limit_calls: counted("call_paths_over_limit"),
            samples,
            waits,
            blocked_nanos,
            // A recorder that lost nothing has nothing to warn of.
            samples_lost: samples.or(waits).map(|_| counted("samples_lost")),
            timeline_events: (!profile.timeline.is_empty())
                .then(|| profile.timeline.n_spans() + profile.timeline.n_marks()),
            allocated_bytes: of_heap().or(heap.filter(HeapTotals::has_sums).map(|_| 0)).or_else(of_scopes),
            heap,
            python: PythonSummary::new(profile, &threads, &chosen, counted("python_unverified")),
            threads,
        }
    }

    /// Whether allocations were recorded in any way.
    #[must_use]
    pub fn has_allocations(&self) -> bool {
        self.allocated_bytes.is_some()
    }
}

/// Calls that took `nanos`. Time without a single call, ended or not, says that nobody counted: files that hold sums
/// alone are like that.
fn known_calls(tree: &CallTree<'_>, calls: u64, nanos: u64) -> Option<u64> {
    let is_open = || tree.nodes().any(|(_, node)| node.open_calls != 0);
    (calls > 0 || nanos == 0 || is_open()).then_some(calls)
}

/// The chosen threads' part of the heap; its peak is that of the whole.
fn heap_totals(profile: &Profile, chosen: &[bool]) -> Option<HeapTotals> {
    let whole = profile.heap.summary?;
    let sum = heap_site(profile, chosen);
    Some(HeapTotals {
        mode: whole.mode,
        allocated_bytes: sum.allocated_bytes,
        allocated_count: sum.allocated_count,
        freed_bytes: sum.freed_bytes,
        freed_count: sum.freed_count,
        peak_bytes: whole.peak_bytes,
        peak_at_nanos: whole.peak_at_nanos,
        leaked: whole.leaked,
        sampling_bytes: whole.sampling_bytes,
        sum,
    })
}

fn heap_site(profile: &Profile, chosen: &[bool]) -> HeapSite {
    let mut sum = HeapSite::default();
    let is_chosen = |thread: ThreadId| chosen.get(thread.index()).copied().unwrap_or(false);
    profile.heap.iter().filter(|(key, _)| is_chosen(key.thread)).for_each(|(_, site)| sum.add(site));
    sum
}

fn thread_summaries(tree: &CallTree<'_>, threads: &ThreadChoice) -> Vec<ThreadSummary> {
    let profile = tree.profile();
    let chosen = threads.mask(profile);
    let mut list: Vec<ThreadSummary> = profile
        .threads
        .iter()
        .map(|(thread, _)| ThreadSummary {
            thread,
            recorded_nanos: None,
            scope_calls: None,
            samples: None,
            cpu_nanos: None,
            waits: None,
            blocked_nanos: None,
            gil_samples: None,
            gil_held: None,
            gil_wait_nanos: None,
        })
        .collect();
    for figures in &tree.threads {
        let entry = &mut list[figures.thread.index()];
        entry.scope_calls = known_calls(tree, figures.calls, figures.recorded_nanos);
        entry.recorded_nanos = Some(figures.recorded_nanos);
    }
    let gil = python::gil_states(profile);
    for (key, weight) in profile.samples.iter() {
        let entry = &mut list[key.thread.index()];
        entry.add_gil(key.kind, gil[key.labels.index()], weight);
        match key.kind {
            SampleKind::OffCpu => {
                add(&mut entry.waits, weight.count);
                add(&mut entry.blocked_nanos, weight.nanos);
            }
            kind => {
                add(&mut entry.samples, weight.count);
                if kind == SampleKind::Cpu {
                    add(&mut entry.cpu_nanos, weight.nanos);
                }
            }
        }
    }
    list.retain(|entry| {
        let has_figures = entry.recorded_nanos.or(entry.samples).or(entry.waits).is_some();
        chosen[entry.thread.index()] && has_figures
    });
    list.sort_by_key(|entry| (std::cmp::Reverse(entry.time()), entry.thread));
    list
}

impl ThreadSummary {
    /// What threads are sorted by.
    pub(crate) fn time(&self) -> [Option<u64>; 4] {
        [self.recorded_nanos, self.cpu_nanos, self.samples, self.blocked_nanos]
    }

    /// The share of its samples that found Python's global interpreter lock held by it, of those for which that is known;
    /// `None` when there are none.
    #[must_use]
    pub fn gil_held_share(&self) -> Option<f64> {
        Some(self.gil_held.unwrap_or(0) as f64 / self.gil_samples.filter(|samples| *samples > 0)? as f64)
    }

    fn add_gil(&mut self, kind: SampleKind, state: Option<GilState>, weight: SampleWeight) {
        match (kind, state) {
            (_, None) => {}
            (SampleKind::OffCpu, Some(GilState::Waiting)) => add(&mut self.gil_wait_nanos, weight.nanos),
            (SampleKind::OffCpu, Some(_)) => {}
            (_, Some(state)) => {
                add(&mut self.gil_samples, weight.count);
                if state == GilState::Held {
                    add(&mut self.gil_held, weight.count);
                }
            }
        }
    }

    /// Adds the figures of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.recorded_nanos, other.recorded_nanos),
            (&mut self.scope_calls, other.scope_calls),
            (&mut self.samples, other.samples),
            (&mut self.cpu_nanos, other.cpu_nanos),
            (&mut self.waits, other.waits),
            (&mut self.blocked_nanos, other.blocked_nanos),
            (&mut self.gil_samples, other.gil_samples),
            (&mut self.gil_held, other.gil_held),
            (&mut self.gil_wait_nanos, other.gil_wait_nanos),
        ] {
            if let Some(more) = more {
                add(sum, more);
            }
        }
    }
}

fn add(sum: &mut Option<u64>, more: u64) {
    *sum = Some(sum.unwrap_or(0).saturating_add(more));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::{HeapKey, HeapSummary, LabelTable, Run, Warning};

    fn summary(profile: &Profile, threads: &ThreadChoice) -> Summary {
        let options = TreeOptions { threads: threads.clone(), ..TreeOptions::default() };
        Summary::new(&CallTree::of_scopes(profile, &options), threads)
    }

    #[test]
    fn what_was_not_recorded_is_none_and_not_zero() {
        let summary = summary(&Profile::default(), &ThreadChoice::All);
        assert_eq!(summary, Summary::default());
        assert_eq!((summary.scope_calls, summary.samples, summary.allocated_bytes), (None, None, None));
    }

    #[test]
    fn threads_are_listed_by_their_time_and_add_up_to_the_whole() {
        let profile = Sketch::new()
            .scope("a", &["run"], 1, 100)
            .scope("b", &["run"], 2, 300)
            .scope("b", &["run", "work"], 5, 250)
            .profile();
        let whole = summary(&profile, &ThreadChoice::All);
        let names: Vec<_> =
            whole.threads.iter().map(|t| profile.strings.get(profile.threads.get(t.thread).name)).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(
            (whole.recorded_nanos, whole.scope_calls, whole.scope_paths),
            (Some(400), Some(8), Some(2))
        );
        let one = summary(&profile, &ThreadChoice::Named("a".to_owned()));
        assert_eq!((one.recorded_nanos, one.threads.len()), (Some(100), 1));
    }

    #[test]
    fn calls_on_no_path_are_counted_and_a_damaged_file_makes_open_calls_uncertain() {
        let mut profile = Sketch::new().scope("main", &["fib"], 1, 100).profile();
        let before = summary(&profile, &ThreadChoice::All);
        assert_eq!((before.too_deep_calls, before.over_limit_calls, before.is_open_uncertain), (0, 0, false));
        profile.warn(Warning::counted("scopes_too_deep", "nested deeper than 128", 40));
        profile.warn(Warning::counted("call_paths_over_limit", "beyond 4,095", 2));
        profile.warn(Warning::counted("chunk_damaged", "left out", 1));
        let after = summary(&profile, &ThreadChoice::All);
        assert_eq!((after.too_deep_calls, after.over_limit_calls, after.is_open_uncertain), (40, 2, true));
    }

    #[test]
    fn cpu_time_is_known_only_when_every_run_measured_it() {
        let run = |cpu_nanos| Run { cpu_nanos, ..Run::default() };
        let of =
            |runs: Vec<Run>| summary(&Profile { runs, ..Profile::default() }, &ThreadChoice::All).cpu_nanos;
        assert_eq!(of(vec![run(Some(3)), run(Some(4))]), Some(7));
        assert_eq!(of(vec![run(Some(3)), run(None)]), None);
    }

    #[test]
    fn what_a_sampled_heap_without_samples_allocated_is_not_known() {
        let summary = |mode, peak_bytes| {
            let mut profile = Profile::default();
            profile.heap.summary = Some(HeapSummary::new(mode, peak_bytes, None));
            let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
            Summary::new(&tree, &ThreadChoice::All).allocated_bytes
        };
        assert_eq!(summary(HeapMode::Sampled, 40_000), None);
        assert_eq!((summary(HeapMode::Exact, 0), summary(HeapMode::Sampled, 0)), (Some(0), Some(0)));
    }

    #[test]
    fn a_heap_is_added_up_over_its_sites_and_keeps_its_own_peak() {
        let mut profile =
            Sketch::new().scope("main", &["run"], 1, 10).scope("main", &["load"], 1, 10).profile();
        let summary_of_heap = HeapSummary::new(HeapMode::Exact, 70, Some(9));
        profile.heap.summary = Some(summary_of_heap);
        let (thread, labels) = (ThreadId::from_index(0), LabelTable::none());
        for stack in [0, 1].map(calor_model::StackId::from_index) {
            let site =
                HeapSite { allocated_bytes: 50, allocated_count: 2, freed_bytes: 10, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels }, &site);
        }
        let summary = summary(&profile, &ThreadChoice::All);
        let heap = summary.heap.unwrap();
        assert_eq!(
            (heap.allocated_bytes, heap.allocated_count, heap.freed_bytes, heap.peak_bytes),
            (100, 4, 20, 70)
        );
        assert_eq!(summary.allocated_bytes, Some(100));
    }
}
