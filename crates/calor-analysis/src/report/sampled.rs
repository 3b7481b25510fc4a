//! What samples of one kind found: paths, and functions with all their callers together.

use calor_model::{Profile, SampleKind};

use super::ReportQuestion;
use crate::{
    CallTree, Grouping, HotPath, Source, TreeOptions, folded_paths, hot_functions, hot_paths, n_listed_paths,
};

/// Samples of one kind.
pub struct SampledLists<'p> {
    /// What they stand for.
    pub kind: SampleKind,
    /// Whether they are wall time put together from running and waiting.
    pub is_sum: bool,
    /// Their call tree.
    pub tree: CallTree<'p>,
    /// Their paths in the order asked for.
    pub hot: Vec<HotPath>,
    /// How many there are; not all need be listed.
    pub n_paths: usize,
    /// The first of their functions in that order, where paths are listed and folded.
    pub functions: Vec<HotPath>,
    /// How many functions there are.
    pub n_functions: usize,
}

impl<'p> SampledLists<'p> {
    fn new(
        profile: &'p Profile,
        (kind, is_sum): (SampleKind, bool),
        question: &ReportQuestion,
        options: &TreeOptions,
    ) -> Self {
        let tree = CallTree::of_samples(profile, kind, options);
        let rows = question.rows;
        // A path that was never innermost has no samples of its own and is not listed.
        if question.folds_recursion() {
            let (hot, n_paths) = folded_paths(&tree, question.order, rows.hot_paths);
            let (functions, n_functions) = hot_functions(&tree, question.order, rows.functions);
            return Self { kind, is_sum, tree, hot, n_paths, functions, n_functions };
        }
        let hot = hot_paths(&tree, question.grouping, question.order, rows.hot_paths);
        let n_paths = n_listed_paths(&tree);
        Self { kind, is_sum, tree, hot, n_paths, functions: Vec::new(), n_functions: 0 }
    }

    /// Whether the list of functions says no more than that of paths: no function has two of them.
    #[must_use]
    pub fn repeats_functions(&self) -> bool {
        // By total time functions are listed that only call others; paths are not.
        let is_on_paths = self.functions.iter().all(|function| function.samples != Some(0));
        self.n_functions == self.n_paths && is_on_paths
    }

    /// Whether a listed entry leads through, or ends in, a function of this name: by paths anywhere on one, by functions at
    /// its end.
    #[must_use]
    pub fn lists(&self, name: &str, grouping: Grouping) -> bool {
        let profile = self.tree.profile();
        self.hot.iter().any(|entry| {
            let path = profile.path_names(self.tree.node(entry.nodes[0]).stack);
            match grouping {
                Grouping::Path => path.contains(&name),
                Grouping::Function => path.last() == Some(&name),
            }
        })
    }
}

/// The lists of all kinds that are asked for and that the profile has.
pub(super) fn of_all_kinds<'p>(
    profile: &'p Profile,
    question: &ReportQuestion,
    options: &TreeOptions,
) -> Vec<SampledLists<'p>> {
    let kinds = kinds(profile, question.source).into_iter();
    let lists = kinds.map(|kind| SampledLists::new(profile, kind, question, options));
    lists.filter(|lists| !lists.tree.is_empty()).collect()
}

/// Whether time waited is among what is asked for.
pub(super) fn lists_waits(profile: &Profile, source: Option<Source>) -> bool {
    kinds(profile, source).iter().any(|(kind, _)| *kind == SampleKind::OffCpu)
}

/// The kinds of samples that are listed, and whether one is put together from others.
fn kinds(profile: &Profile, source: Option<Source>) -> Vec<(SampleKind, bool)> {
    let has_wall = profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall);
    let (cpu, off_cpu) = ((SampleKind::Cpu, false), (SampleKind::OffCpu, false));
    match source {
        None if has_wall => vec![cpu, (SampleKind::Wall, false), off_cpu],
        None => vec![cpu, off_cpu],
        Some(Source::Scopes) => Vec::new(),
        Some(Source::Samples(SampleKind::Wall)) => vec![(SampleKind::Wall, !has_wall), off_cpu],
        Some(Source::Samples(kind)) => vec![(kind, false)],
    }
}
