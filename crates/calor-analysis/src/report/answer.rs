//! Everything that a report says, before anybody chooses words and columns for it.

use std::borrow::Cow;
use std::collections::HashSet;

use calor_model::{FrameKind, Language, Profile, StackId, Warning};

use super::sampled::{self, SampledLists};
use super::{PathDetail, ReportQuestion, SelectedProfile, python_waits, unmeasured};
use crate::{
    Allocator, CallEdge, CallTree, Correction, Error, EventCounter, Events, Evidence, Function, GpuSums,
    HeapAnswer, HeapGroup, HeapPlaces, HotPath, Insight, NodeId, Offered, OperationRow, Order, OutlineRow,
    RecordingCost, ScopeMemoryRow, ScopeSum, SimdVerdict, Source, Summary, Suppressions, ThreadChoice,
    ThreadGroup, ThreadSummary, TreeOptions, Verdicts, Wait, WorkRate, allocators, async_paths, call_edges,
    calls_of, functions, heap_insights, hot_paths, insights, is_heap_by_thread, n_listed_paths,
    narrow_vectors, operation_rows, scope_memory, scope_sums, selection, threads_by_name, waits,
    waits_by_site, work_rates,
};

/// The facts of one report.
pub struct ReportAnswer<'p> {
    /// The part of the profile that they are of.
    pub profile: &'p Profile,
    /// What was asked.
    pub question: ReportQuestion,
    /// The scopes' call tree.
    pub tree: CallTree<'p>,
    /// The profile in a few figures.
    pub summary: Summary,
    /// Scopes in the order asked for.
    pub hot: Vec<HotPath>,
    /// How many there are; not all need be listed.
    pub n_hot: usize,
    /// What was sampled, each kind that was.
    pub sampled: Vec<SampledLists<'p>>,
    /// Where threads wait, the longest first.
    pub waits: Vec<Wait<'p>>,
    /// In how many places they do; not all need be listed.
    pub n_waits: usize,
    /// Events of the processor and the kernel; `None` when none were recorded.
    pub events: Option<Events<'p>>,
    /// The counters they are of, each with its paths.
    pub counters: Vec<EventCounter>,
    /// Operations on arrays by line and shape, the longest first.
    pub operations: Vec<OperationRow<'p>>,
    /// What GPUs did; `None` where that was nothing, or nobody recorded it.
    pub gpu: Option<GpuSums<'p>>,
    /// Async scopes.
    pub futures: Vec<HotPath>,
    /// What scopes counted.
    pub work: Vec<WorkRate>,
    /// What scopes allocated and freed, the most first.
    pub scope_memory: Vec<ScopeMemoryRow>,
    /// How many scopes did; not all need be listed.
    pub n_scope_memory: usize,
    /// Who allocates.
    pub allocators: Vec<Allocator>,
    /// The places in the program that those are.
    pub places: HeapPlaces,
    /// The heap; `None` when it was not watched.
    pub heap: Option<HeapAnswer>,
    /// Functions by number of calls.
    pub most_called: Vec<Function>,
    /// What stands out.
    pub insights: Vec<Insight>,
    /// Which vectors hot functions compute with.
    pub verdicts: Verdicts,
    /// Which the processor offers; `None` when it is not known.
    pub offered: Option<Offered>,
    /// What was not seen.
    pub warnings: Vec<Warning>,
    /// What recording cost.
    pub recording: RecordingCost,
    /// The cost of one scope, where it was measured.
    pub cost: Option<Correction>,
}

impl<'p> ReportAnswer<'p> {
    /// Finds the facts.
    ///
    /// # Errors
    /// When the question is about a thread or a correction that the profile does not have.
    pub fn new(part: &'p SelectedProfile<'_>, question: ReportQuestion) -> Result<Self, Error> {
        let (profile, threads, rows) = (part.profile(), &question.threads, question.rows);
        selection::check_thread(profile, threads)?;
        let cost = Correction::of(profile);
        if question.subtract_overhead && cost.is_none() {
            return Err(Error::CostUnknown);
        }
        let tree_options = TreeOptions {
            threads: threads.clone(),
            correction: cost.filter(|_| question.subtract_overhead),
            keeps_lines: question.detail == PathDetail::Recorded,
        };
        let tree = CallTree::of_scopes(profile, &tree_options);
        let sampled = sampled::of_all_kinds(profile, &question, &tree_options);
        let (waits, n_waits) = cut(all_waits(part, &question), rows.others);
        let summary = Summary::new(&tree, threads);
        let (verdicts, offered) = (Verdicts::of(profile), Offered::of(profile));
        let is_by_line = question.detail == PathDetail::Folded && !profile.heap.is_empty();
        let group = if is_by_line { HeapGroup::Line } else { HeapGroup::WholePath };
        let places = HeapPlaces::new(profile, group);
        let allocators = allocators(&tree, threads, &places);
        let functions = functions(&tree, Order::Calls, None);
        let futures = async_paths(&tree);
        let heap = summary
            .heap
            .map(|totals| HeapAnswer::new(profile, totals, threads, &Suppressions::default(), &places));
        let mut insights = insights(&Evidence {
            tree: &tree,
            sampled: sampled.first().map(|sampled| &sampled.tree),
            is_recursion_folded: question.folds_recursion(),
            functions: &functions,
            futures: &futures,
            allocators: &allocators,
            correction: cost,
            cpu_nanos: summary.cpu_nanos,
            threads: &summary.threads,
        });
        if *threads == ThreadChoice::All {
            insights.extend(narrow_vectors(profile, &verdicts, offered));
        }
        insights.extend(heap.iter().flat_map(|heap| {
            heap_insights(&heap.totals, &heap.growth, &heap.temporary, heap.residence.as_ref())
        }));
        let recording = RecordingCost::new(&tree, cost);
        let events = Events::new(profile, threads);
        let (scope_memory, n_scope_memory) = cut(scope_memory(profile, threads), rows.others);
        let hot = match question.lists_scopes() {
            true => hot_paths(&tree, question.grouping, question.order, rows.hot_paths),
            false => Vec::new(),
        };
        // A scope that was entered once and is still open has no finished call.
        let is_finished = |function: &Function| function.totals.calls > 0;
        let n_others = rows.others.unwrap_or(usize::MAX);
        Ok(Self {
            n_hot: n_listed_paths(&tree),
            hot,
            sampled,
            waits,
            n_waits,
            counters: events.as_ref().map(Events::counters).unwrap_or_default(),
            events,
            operations: operation_rows(&tree, question.roof.as_ref()),
            // What GPUs did is of no thread.
            gpu: GpuSums::of(profile).filter(|_| *threads == ThreadChoice::All),
            futures: cut(futures, rows.others).0,
            work: of_first_paths(&work_rates(&tree), n_others),
            scope_memory,
            n_scope_memory,
            allocators: cut(allocators, rows.others).0,
            places,
            heap,
            most_called: functions.into_iter().filter(is_finished).take(n_others).collect(),
            warnings: unmeasured::warnings(profile, &summary, &recording),
            profile,
            question,
            tree,
            summary,
            insights,
            verdicts,
            offered,
            recording,
            cost,
        })
    }

    /// The tree that the call hierarchy is drawn from: that of the time asked for, or else that of scopes, or
    /// without any, of samples.
    #[must_use]
    pub fn main_tree(&self) -> &CallTree<'p> {
        match self.sampled.first() {
            Some(sampled) if self.tree.is_empty() || !self.question.lists_scopes() => &sampled.tree,
            _ => &self.tree,
        }
    }

    /// The paths with the most time, each under its caller, on at most so many lines.
    #[must_use]
    pub fn hierarchy(&self, rows: usize) -> Vec<OutlineRow> {
        self.main_tree().outline(rows)
    }

    /// What can be said of the vectors of an entry's function, if anything can.
    #[must_use]
    pub fn verdict(&self, tree: &CallTree<'_>, entry: &HotPath) -> Option<SimdVerdict> {
        let is_compiled = tree.frame(entry.nodes[0]).kind == FrameKind::Native;
        let is_sampled = tree.source() != Source::Scopes;
        (is_compiled && is_sampled).then(|| self.verdicts.of_paths(tree, &entry.nodes)).flatten()
    }

    /// Which scope calls which, the most frequent first.
    #[must_use]
    pub fn call_edges(&self) -> Vec<CallEdge> {
        call_edges(&self.tree)
    }

    /// Who calls a function, the most frequent caller first.
    #[must_use]
    pub fn calls_of(&self, function: &Function) -> Vec<CallEdge> {
        calls_of(&self.tree, function)
    }

    /// Contexts and scopes by name, all their paths together.
    #[must_use]
    pub fn scope_sums(&self) -> Vec<ScopeSum<'p>> {
        scope_sums(&self.tree)
    }

    /// The threads, where there are more than `most` those of one name as one.
    #[must_use]
    pub fn threads_within(&self, most: usize) -> Vec<ThreadGroup> {
        let threads = &self.summary.threads;
        match threads.len() > most {
            true => threads_by_name(self.profile, threads),
            false => threads.iter().map(|thread| ThreadGroup { figures: *thread, n_threads: 1 }).collect(),
        }
    }

    /// Whether each thread stands for a whole process: a recording that adds up the threads of one knows none by number.
    #[must_use]
    pub fn has_processes_for_threads(&self) -> bool {
        let mut pids = HashSet::new();
        let mut is_process = |figures: &ThreadSummary| {
            let thread = self.profile.threads.get(figures.thread);
            thread.tid == 0 && thread.pid != 0 && pids.insert(thread.pid)
        };
        self.summary.threads.iter().all(&mut is_process) && self.tree.is_empty()
    }

    /// Whether threads were chosen that the heap does not tell apart, so that its figures are of all.
    #[must_use]
    pub fn has_heap_of_all_threads(&self) -> bool {
        self.question.threads != ThreadChoice::All && !is_heap_by_thread(self.profile)
    }

    /// What scopes counted for themselves: backends and counters, without those of operations on arrays, which nobody
    /// counts in but the recorder.
    pub fn own_counters(&self) -> impl Iterator<Item = &WorkRate> {
        let operations: HashSet<NodeId> =
            self.operations.iter().flat_map(|row| row.nodes.iter().copied()).collect();
        self.work.iter().filter(move |entry| !entry.is_of_operations(self.profile, &operations))
    }

    /// How much time was subtracted as the recorder's own.
    #[must_use]
    pub fn corrected_nanos(&self) -> u64 {
        self.tree.nodes().map(|(_, node)| node.corrected_nanos).fold(0, u64::saturating_add)
    }

    /// The part of the profile that happened on the threads asked for, under the same handles.
    #[must_use]
    pub fn on_chosen_threads(&self) -> Cow<'p, Profile> {
        selection::on_threads(self.profile, &self.question.threads)
    }

    /// Every listed path once: scopes, then what was sampled, then who allocated.
    #[must_use]
    pub fn listed_stacks(&self) -> Vec<StackId> {
        let stacks = |tree: &CallTree<'_>, hot: &[HotPath]| -> Vec<StackId> {
            hot.iter().map(|entry| tree.node(entry.nodes[0]).stack).collect()
        };
        let mut paths = stacks(&self.tree, &self.hot);
        for sampled in &self.sampled {
            paths.extend(stacks(&sampled.tree, &sampled.hot));
        }
        paths.extend(self.allocators.iter().map(|entry| entry.stack));
        let mut seen = HashSet::new();
        paths.retain(|stack| seen.insert(*stack));
        paths
    }
}

/// Where threads wait.
fn all_waits<'p>(part: &'p SelectedProfile<'_>, question: &ReportQuestion) -> Vec<Wait<'p>> {
    let (profile, threads) = (part.profile(), &question.threads);
    if !sampled::lists_waits(profile, question.source) {
        return Vec::new();
    }
    let found = waits(profile, threads);
    match (part.language(), question.detail) {
        _ if found.is_empty() => found,
        (Language::Python, _) => python_waits::explained(part.of_all_languages(), profile, threads),
        (_, PathDetail::Whole) => found,
        _ => waits_by_site(profile, &found),
    }
}

/// The first rows of a list, and how many it had.
fn cut<T>(mut list: Vec<T>, rows: Option<usize>) -> (Vec<T>, usize) {
    let n_all = list.len();
    list.truncate(rows.unwrap_or(usize::MAX));
    (list, n_all)
}

/// What the first `limit` paths counted; what a path counted stands together.
fn of_first_paths(rates: &[WorkRate], limit: usize) -> Vec<WorkRate> {
    rates.chunk_by(|a, b| a.node == b.node).take(limit).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use calor_model::SampleKind;

    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn how_much_is_listed_changes_no_figure() {
        let profile = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 50, 70)
            .samples("main", SampleKind::Cpu, &["main", "fib"], 5)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib"], 3)
            .samples("main", SampleKind::Cpu, &["main", "add"], 1)
            .profile();
        let part = SelectedProfile::new(&profile, None, Language::All).expect("all of it is there");
        let ask = |question| ReportAnswer::new(&part, question).expect("it asks for nothing that is missing");
        let whole = ask(ReportQuestion::default());
        let folded = ask(ReportQuestion { detail: PathDetail::Folded, ..ReportQuestion::default() });
        assert_eq!((&whole.summary, &whole.hot), (&folded.summary, &folded.hot));
        let (whole, folded) = (&whole.sampled[0], &folded.sampled[0]);
        assert_eq!((whole.hot.len(), folded.hot.len()), (3, 2), "a recursion is one path or several");
        let selves = |list: &[HotPath]| -> u64 { list.iter().map(|entry| entry.self_nanos).sum() };
        assert_eq!(selves(&whole.hot), selves(&folded.hot));

        let rows = super::super::ReportRows { hot_paths: Some(1), ..Default::default() };
        let first = ask(ReportQuestion { rows, ..ReportQuestion::default() });
        assert_eq!((&first.hot[..], first.n_hot), (&ask(ReportQuestion::default()).hot[..1], 2));
        assert_eq!(first.sampled[0].hot, whole.hot[..1]);
    }

    #[test]
    fn what_was_not_recorded_is_not_found() {
        let profile = Sketch::new().scope("main", &["run"], 1, 100).profile();
        let refused = |context, language| SelectedProfile::new(&profile, context, language).err();
        assert!(matches!(refused(Some("night"), Language::All), Some(Error::UnknownContext { .. })));
        assert!(matches!(refused(None, Language::Python), Some(Error::NoPython)));
        let part = SelectedProfile::new(&profile, None, Language::All).expect("all of it is there");
        let threads = ThreadChoice::Named("nobody".to_owned());
        let asked = ReportAnswer::new(&part, ReportQuestion { threads, ..ReportQuestion::default() });
        assert!(matches!(asked.err(), Some(Error::UnknownThread { .. })));
    }
}
