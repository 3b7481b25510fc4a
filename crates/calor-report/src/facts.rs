//! Everything a report says, before it is put into words: one value that feeds all formats.

use calor_analysis::{
    Allocator, CallTree, Correction, Evidence, Function, HotPath, Insight, Order, RecordingCost, Summary,
    TreeOptions, WorkRate, allocators, async_paths, functions, hot_paths, insights, work_rates,
};
use calor_model::{Profile, SampleKind, Warning};

use crate::{Error, Options, ReportFormat, selection, unmeasured};

/// Rows of the lists of hot paths on a page, unless the options say otherwise.
const HOT_PATHS: usize = 30;
/// Rows of the other lists.
const OTHER_ROWS: usize = 15;

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
    /// What was sampled, each kind that was.
    pub sampled: Vec<Sampled<'p>>,
    /// Async scopes.
    pub futures: Vec<HotPath>,
    /// What scopes counted.
    pub work: Vec<WorkRate>,
    /// Who allocates.
    pub allocators: Vec<Allocator>,
    /// Functions by number of calls.
    pub most_called: Vec<Function>,
    /// What stands out.
    pub insights: Vec<Insight>,
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
    /// Their call tree.
    pub tree: CallTree<'p>,
    /// Their paths in the order asked for.
    pub hot: Vec<HotPath>,
}

impl<'p> Report<'p> {
    /// Finds the facts. A context that the options name is taken as already cut out, as [`render`](crate::render)
    /// does before.
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
        let tree_options = TreeOptions { threads: options.threads.clone(), correction };
        let tree = CallTree::of_scopes(profile, &tree_options);
        let limit = |rows| match options.format {
            ReportFormat::Json | ReportFormat::Csv => options.top,
            _ => Some(options.top.unwrap_or(rows)),
        };
        let sampled = [SampleKind::Cpu, SampleKind::Wall, SampleKind::OffCpu].map(|kind| {
            let tree = CallTree::of_samples(profile, kind, &tree_options);
            // A path that was never innermost has no samples of its own and is not listed.
            let hot = hot_paths(&tree, options.grouping, options.order, limit(HOT_PATHS));
            Sampled { kind, tree, hot }
        });
        let sampled: Vec<Sampled<'_>> =
            sampled.into_iter().filter(|sampled| !sampled.tree.is_empty()).collect();
        let allocators = allocators(&tree, &options.threads);
        let functions = functions(&tree, Order::Calls, None);
        let futures = async_paths(&tree);
        let insights = insights(&Evidence {
            tree: &tree,
            sampled: sampled.first().map(|sampled| &sampled.tree),
            functions: &functions,
            futures: &futures,
            allocators: &allocators,
            correction: cost,
        });
        let recording = RecordingCost::new(&tree, cost);
        let summary = Summary::new(&tree, &options.threads);
        let cut = |rows| limit(rows).unwrap_or(usize::MAX);
        Ok(Self {
            hot: hot_paths(&tree, options.grouping, options.order, limit(HOT_PATHS)),
            sampled,
            futures: futures.into_iter().take(cut(OTHER_ROWS)).collect(),
            work: of_first_paths(work_rates(&tree), cut(OTHER_ROWS)),
            allocators: allocators.into_iter().take(cut(OTHER_ROWS)).collect(),
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
            recording,
            cost,
        })
    }

    /// The tree that the call hierarchy is drawn from: that of scopes, or without any, of samples.
    #[must_use]
    pub fn main_tree(&self) -> &CallTree<'p> {
        match self.sampled.first() {
            Some(sampled) if self.tree.is_empty() => &sampled.tree,
            _ => &self.tree,
        }
    }
}

/// What the first `limit` paths counted; what a path counted stands together.
fn of_first_paths(rates: Vec<WorkRate>, limit: usize) -> Vec<WorkRate> {
    rates.chunk_by(|a, b| a.node == b.node).take(limit).flatten().copied().collect()
}
