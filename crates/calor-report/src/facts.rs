//! Everything a report says, before it is put into words: one value that feeds all formats.

use calor_analysis::{
    Allocator, CallTree, Correction, EventCounter, Events, Evidence, Function, GpuSums, Grouping, HeapGroup,
    HeapPlaces, HotPath, Insight, Offered, OperationRow, Order, RecordingCost, ScopeMemoryRow, SimdVerdict,
    Source, Summary, Suppressions, ThreadChoice, TreeOptions, Verdicts, Wait, WorkRate, allocators,
    async_paths, folded_paths, functions, heap_insights, hot_functions, hot_paths, insights, n_listed_paths,
    narrow_vectors, operation_rows, scope_memory, waits, waits_by_site, work_rates,
};
use calor_model::{FrameKind, Profile, SampleKind, Warning};

use crate::heap_facts::HeapFacts;
use crate::{Error, Metric, Options, ReportFormat, selection, unmeasured};

/// Rows of the lists of hot paths on a page, unless the options say otherwise.
const HOT_PATHS: usize = 30;
/// Rows of the list of functions that goes before them.
const FUNCTIONS: usize = 10;
/// Rows of the other lists.
pub(crate) const OTHER_ROWS: usize = 15;

/// The facts of one report.
pub struct Report<'p> {
    /// The profile it is of.
    pub profile: &'p Profile,
    /// What was asked for.
    pub options: Options,
    /// The scopes' call tree.
    pub tree: CallTree<'p>,
    /// The profile in a few figures.
    pub summary: Summary,
    /// Scopes in the order asked for.
    pub hot: Vec<HotPath>,
    /// How many there are; not all need be listed.
    pub n_hot: usize,
    /// What was sampled, each kind that was.
    pub sampled: Vec<Sampled<'p>>,
    /// Where threads wait, the longest first: paths in JSON, functions that wait on a page.
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
    pub heap: Option<HeapFacts>,
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

/// Samples of one kind.
pub struct Sampled<'p> {
    /// What they stand for.
    pub kind: SampleKind,
    /// Whether they are wall time put together from running and waiting.
    pub is_sum: bool,
    /// Their call tree.
    pub tree: CallTree<'p>,
    /// Their paths in the order asked for. On a page those that differ in the depth of a recursion alone are one.
    pub hot: Vec<HotPath>,
    /// How many there are; not all need be listed.
    pub n_paths: usize,
    /// The first of their functions in that order, on a page that lists paths.
    pub functions: Vec<HotPath>,
    /// How many functions there are.
    pub n_functions: usize,
}

impl<'p> Report<'p> {
    /// Finds the facts. A context that the options name is taken as already cut out, and functions of other languages
    /// as gone, as [`render`](crate::render) does before.
    ///
    /// # Errors
    /// When the options ask for a thread or a correction that the profile does not have.
    pub fn new(profile: &'p Profile, options: &Options) -> Result<Self, Error> {
        selection::check_thread(profile, &options.threads)?;
        let cost = Correction::of(profile);
        if options.subtract_overhead && cost.is_none() {
            return Err(Error::CostUnknown);
        }
        let correction = cost.filter(|_| options.subtract_overhead);
        // A table of paths names them as they were recorded.
        let keeps_lines = options.format == ReportFormat::Csv;
        let tree_options = TreeOptions { threads: options.threads.clone(), correction, keeps_lines };
        let tree = CallTree::of_scopes(profile, &tree_options);
        let limit = |rows| options.limit(rows);
        let is_page = !matches!(options.format, ReportFormat::Json | ReportFormat::Csv);
        let is_folded = is_page && options.grouping == Grouping::Path;
        let kinds = sampled_kinds(profile, options.metric)?;
        let sampled = kinds.iter().map(|&(kind, is_sum)| {
            let tree = CallTree::of_samples(profile, kind, &tree_options);
            // A path that was never innermost has no samples of its own and is not listed.
            let (hot, n_paths) = match is_folded {
                true => folded_paths(&tree, options.order, limit(HOT_PATHS)),
                false => {
                    let hot = hot_paths(&tree, options.grouping, options.order, limit(HOT_PATHS));
                    (hot, n_listed_paths(&tree))
                }
            };
            let (functions, n_functions) = match is_folded {
                true => hot_functions(&tree, options.order, Some(options.top.unwrap_or(FUNCTIONS))),
                false => (Vec::new(), 0),
            };
            Sampled { kind, is_sum, tree, hot, n_paths, functions, n_functions }
        });
        let sampled: Vec<Sampled<'_>> = sampled.filter(|sampled| !sampled.tree.is_empty()).collect();
        let mut waits = match kinds.iter().any(|(kind, _)| *kind == SampleKind::OffCpu) {
            true => waits(profile, &options.threads),
            false => Vec::new(),
        };
        if options.format != ReportFormat::Json {
            waits = waits_by_site(profile, &waits);
        }
        let n_waits = waits.len();
        waits.truncate(limit(OTHER_ROWS).unwrap_or(usize::MAX));
        let shows_scopes = options.metric.is_none_or(|metric| metric == Metric::Scopes);
        // On a page, who allocates is the place in the program; programs get whole paths.
        let is_by_owner = is_page && !profile.heap.is_empty();
        let group = if is_by_owner { HeapGroup::Line } else { HeapGroup::WholePath };
        let places = HeapPlaces::new(profile, group);
        let allocators = allocators(&tree, &options.threads, &places);
        let functions = functions(&tree, Order::Calls, None);
        let futures = async_paths(&tree);
        let summary = Summary::new(&tree, &options.threads);
        let (verdicts, offered) = (Verdicts::of(profile), Offered::of(profile));
        let mut insights = insights(&Evidence {
            tree: &tree,
            sampled: sampled.first().map(|sampled| &sampled.tree),
            is_recursion_folded: is_folded,
            functions: &functions,
            futures: &futures,
            allocators: &allocators,
            correction: cost,
            cpu_nanos: summary.cpu_nanos,
            threads: &summary.threads,
        });
        if options.threads == ThreadChoice::All {
            insights.extend(narrow_vectors(profile, &verdicts, offered));
        }
        let heap = summary.heap.map(|totals| {
            HeapFacts::new(profile, totals, &options.threads, &Suppressions::default(), &places)
        });
        if let Some(heap) = &heap {
            insights.extend(heap_insights(
                &heap.totals,
                &heap.growth,
                &heap.temporary,
                heap.residence.as_ref(),
            ));
        }
        let recording = RecordingCost::new(&tree, cost);
        let events = Events::new(profile, &options.threads);
        let counters = events.as_ref().map(Events::counters).unwrap_or_default();
        let cut = |rows| limit(rows).unwrap_or(usize::MAX);
        let mut scope_memory = scope_memory(profile, &options.threads);
        let n_scope_memory = scope_memory.len();
        scope_memory.truncate(cut(OTHER_ROWS));
        let hot = if shows_scopes {
            hot_paths(&tree, options.grouping, options.order, limit(HOT_PATHS))
        } else {
            Vec::new()
        };
        Ok(Self {
            hot,
            n_hot: n_listed_paths(&tree),
            sampled,
            waits,
            n_waits,
            events,
            counters,
            operations: operation_rows(&tree, options.roof.as_ref()),
            // What GPUs did is of no thread.
            gpu: GpuSums::of(profile).filter(|_| options.threads == ThreadChoice::All),
            futures: futures.into_iter().take(cut(OTHER_ROWS)).collect(),
            work: of_first_paths(work_rates(&tree), cut(OTHER_ROWS)),
            scope_memory,
            n_scope_memory,
            allocators: allocators.into_iter().take(cut(OTHER_ROWS)).collect(),
            places,
            heap,
            // A scope that was entered once and is still open has no finished call.
            most_called: functions
                .into_iter()
                .filter(|function| function.totals.calls > 0)
                .take(cut(OTHER_ROWS))
                .collect(),
            warnings: unmeasured::warnings(profile, &summary, &recording),
            options: options.clone(),
            profile,
            tree,
            summary,
            insights,
            verdicts,
            offered,
            recording,
            cost,
        })
    }

    /// The tree that the call hierarchy is drawn from: that of the metric asked for, or else that of scopes, or
    /// without any, of samples.
    #[must_use]
    pub fn main_tree(&self) -> &CallTree<'p> {
        match self.sampled.first() {
            Some(sampled) if self.tree.is_empty() || !self.shows_scopes() => &sampled.tree,
            _ => &self.tree,
        }
    }

    /// What is said of the vectors of an entry's function, if anything is.
    pub(crate) fn verdict(&self, tree: &CallTree<'_>, entry: &HotPath) -> Option<SimdVerdict> {
        let is_compiled = tree.frame(entry.nodes[0]).kind == FrameKind::Native;
        let is_sampled = tree.source() != Source::Scopes;
        (is_compiled && is_sampled).then(|| self.verdicts.of_paths(tree, &entry.nodes)).flatten()
    }

    /// Whether scopes are listed: not when another metric was asked for.
    pub(crate) fn shows_scopes(&self) -> bool {
        self.options.metric.is_none_or(|metric| metric == Metric::Scopes)
    }
}

/// The kinds of samples that are listed, and whether one is put together from others.
fn sampled_kinds(profile: &Profile, metric: Option<Metric>) -> Result<Vec<(SampleKind, bool)>, Error> {
    if let Some(metric) = metric {
        let available = Metric::available(profile);
        let is_listed = matches!(metric, Metric::Scopes | Metric::Cpu | Metric::Wall | Metric::OffCpu);
        if !is_listed {
            return Err(Error::MetricNotListed { metric });
        }
        if !available.contains(&metric) {
            let words: Vec<&str> = available.into_iter().map(Metric::word).collect();
            let available = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
            return Err(Error::MetricMissing { metric, available });
        }
    }
    let has_wall = profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall);
    let (cpu, off_cpu) = ((SampleKind::Cpu, false), (SampleKind::OffCpu, false));
    Ok(match metric {
        None if has_wall => vec![cpu, (SampleKind::Wall, false), off_cpu],
        None => vec![cpu, off_cpu],
        Some(Metric::Cpu) => vec![cpu],
        Some(Metric::Wall) => vec![(SampleKind::Wall, !has_wall), off_cpu],
        Some(Metric::OffCpu) => vec![off_cpu],
        Some(_) => Vec::new(),
    })
}

/// What the first `limit` paths counted; what a path counted stands together.
fn of_first_paths(rates: Vec<WorkRate>, limit: usize) -> Vec<WorkRate> {
    rates.chunk_by(|a, b| a.node == b.node).take(limit).flatten().copied().collect()
}
