//! Scopes by name, whatever path led to them and whichever line opened them: what a program asks for when it looks up one of
//! its own sections. A scope inside another of its name counts once.

use std::cmp::Reverse;

use calor_model::{FrameKind, ScopeStats, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::kind::Kinds;
use super::labelled_sum::{ByLabels, LabelledSum};
use crate::{CallTree, GpuTimes, NodeId};

/// What a name is the name of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScopeSumKind {
    /// A context: its inside can be reported alone.
    Context,
    /// A scope that the program opens.
    Scope,
    /// A function that was traced.
    Function,
}

/// All scopes of one name.
#[derive(Clone, PartialEq, Debug)]
pub struct ScopeSum<'p> {
    /// The name.
    pub name: &'p str,
    /// What it is the name of.
    pub kind: ScopeSumKind,
    /// The file of the scope with the most time; `None` where that is not known.
    pub file: Option<&'p str>,
    /// Its line.
    pub line: Option<u32>,
    /// Its paths.
    pub nodes: Vec<NodeId>,
    /// Time with what is inside; of scopes inside others of the name, none.
    pub total_nanos: u64,
    /// Time without what is inside.
    pub self_nanos: u64,
    /// How long GPUs worked for it, for what is inside, too; `None` where they did nothing for it, or nobody recorded it.
    pub gpu_nanos: Option<u64>,
    /// `total_nanos` as a part of the recorded time; `None` where none was recorded.
    pub share: Option<f64>,
    /// Whether times are estimates.
    pub is_estimated: bool,
    /// All that was recorded: calls, durations, work.
    pub stats: ScopeStats,
    /// The same by labels, where scopes of the name have any: the set with the most time first.
    pub by_labels: Vec<LabelledSum<'p>>,
}

impl ScopeSum<'_> {
    /// Whether the name is that of a step of PyTorch's engine, such as `MmBackward0`, and not one that the program gave.
    #[must_use]
    pub fn is_step_back(&self) -> bool {
        let is_back = |set: &LabelledSum<'_>| set.labels.contains(&("phase", "backward"));
        let name = self.name.rsplit("::").next().unwrap_or(self.name);
        let is_word = !name.contains(char::is_whitespace);
        let is_step = (is_word
            && name.trim_end_matches(|letter: char| letter.is_ascii_digit()).ends_with("Backward"))
            || ["AccumulateGrad", "CopySlices", "GraphRoot"].contains(&name);
        is_step && !self.by_labels.is_empty() && self.by_labels.iter().all(is_back)
    }
}

/// Scopes, contexts and traced functions of a tree by name, the one with the most time first. Functions are apart by file, too.
#[must_use]
pub fn scope_sums<'p>(tree: &CallTree<'p>) -> Vec<ScopeSum<'p>> {
    let profile = tree.profile();
    let gpu = GpuTimes::of(tree);
    let kinds = Kinds::new(profile);
    let mut numbers: IndexMap<(StringId, Option<StringId>, bool), (), RandomState> = IndexMap::default();
    let number_of_node: Vec<Option<usize>> = tree
        .nodes()
        .map(|(_, node)| {
            let frame = profile.frames.get(node.frame);
            let rows = &tree.rows[node.rows.clone()];
            // A path that no scope ended or is open on only leads to others.
            let (first, _) = rows.first()?;
            let is_scope = matches!(frame.kind, FrameKind::Scope | FrameKind::Context | FrameKind::Python);
            if !is_scope || rows.iter().any(|(key, _)| kinds.operation(key.labels).is_some()) {
                return None;
            }
            let is_function = kinds.is_function(first.labels);
            let file = frame.file.filter(|_| is_function);
            Some(numbers.insert_full((frame.name, file, is_function), ()).0)
        })
        .collect();
    let mut sums: Vec<Option<ScopeSum<'p>>> = vec![None; numbers.len()];
    let mut longest = vec![0_u64; numbers.len()];
    let mut n_entered = vec![0_u32; numbers.len()];
    let mut by_labels: Vec<ByLabels> = vec![ByLabels::default(); numbers.len()];
    // A walk down every branch that counts how often each name is on the way.
    let mut waiting: Vec<Step> = tree.roots().iter().map(|root| Step::Enter(*root)).collect();
    while let Some(step) = waiting.pop() {
        let id = match step {
            Step::Leave(number, id) => {
                n_entered[number] -= 1;
                by_labels[number].leave(tree, id);
                continue;
            }
            Step::Enter(id) => id,
        };
        if let Some(number) = number_of_node[id.index()] {
            let (_, _, is_function) = *numbers.get_index(number).expect("it was numbered").0;
            let sum = sums[number].get_or_insert_with(|| ScopeSum::none(tree.name(id), is_function));
            sum.add(tree, id, n_entered[number] == 0, &mut longest[number]);
            if n_entered[number] == 0 {
                sum.add_gpu(gpu.as_ref().map_or(0, |gpu| gpu.nanos(id)));
            }
            n_entered[number] += 1;
            if !is_function {
                by_labels[number].enter(tree, id);
            }
            waiting.push(Step::Leave(number, id));
        }
        waiting.extend(tree.children(id).iter().map(|child| Step::Enter(*child)));
    }
    let labelled = sums.into_iter().zip(by_labels).filter_map(|(sum, by_labels)| {
        let by_labels = by_labels.sums(tree);
        sum.map(|sum| ScopeSum { by_labels, ..sum })
    });
    let mut list: Vec<ScopeSum<'p>> = labelled.collect();
    list.iter_mut().for_each(|sum| sum.share = tree.share(sum.total_nanos));
    list.sort_by_key(|sum| (Reverse(sum.total_nanos), sum.nodes.iter().min().copied()));
    list
}

/// What to do next on a walk over the tree.
enum Step {
    Enter(NodeId),
    Leave(usize, NodeId),
}

impl<'p> ScopeSum<'p> {
    fn none(name: &'p str, is_function: bool) -> Self {
        Self {
            name,
            kind: if is_function { ScopeSumKind::Function } else { ScopeSumKind::Scope },
            file: None,
            line: None,
            nodes: Vec::new(),
            total_nanos: 0,
            self_nanos: 0,
            gpu_nanos: None,
            share: None,
            is_estimated: false,
            stats: ScopeStats::default(),
            by_labels: Vec::new(),
        }
    }

    fn add_gpu(&mut self, nanos: u64) {
        if nanos > 0 {
            self.gpu_nanos = Some(self.gpu_nanos.unwrap_or(0).saturating_add(nanos));
        }
    }

    fn add(&mut self, tree: &CallTree<'p>, id: NodeId, is_outermost: bool, longest: &mut u64) {
        let (node, frame) = (tree.node(id), tree.frame(id));
        if frame.kind == FrameKind::Context {
            self.kind = ScopeSumKind::Context;
        }
        if self.nodes.is_empty() || node.inclusive_nanos > *longest {
            *longest = node.inclusive_nanos;
            let text = |id: StringId| tree.profile().strings.get(id);
            self.file = frame.file.map(text).filter(|file| !file.is_empty());
            self.line = frame.line.filter(|_| self.file.is_some());
        }
        self.nodes.push(id);
        if is_outermost {
            self.total_nanos = self.total_nanos.saturating_add(node.inclusive_nanos);
        }
        self.self_nanos = self.self_nanos.saturating_add(node.self_nanos);
        self.is_estimated |= node.is_estimated;
        for row in tree.rows_of(id) {
            if is_outermost || row.memory.is_none() {
                self.stats.add(row);
            } else {
                // What it allocated is in that of the outer one.
                self.stats.add(&ScopeStats { memory: None, ..row.clone() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::findings::draft::Draft;
    use calor_model::Work;

    #[test]
    fn a_name_adds_up_its_paths_and_a_scope_inside_its_namesake_counts_once() {
        let profile = Draft::new()
            .scope(&["train", "load"], 2, 300)
            .scope(&["train"], 1, 1_000)
            .scope(&["test", "load"], 1, 100)
            .scope(&["test", "load", "load"], 4, 60)
            .scope(&["test"], 1, 200)
            .operation(&["train", "add"], &[], 9, 500, Work::default())
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let told: Vec<_> = scope_sums(&tree)
            .iter()
            .map(|sum| (sum.name, sum.total_nanos, sum.self_nanos, sum.stats.calls, sum.nodes.len()))
            .collect();
        assert_eq!(told, [("train", 1_000, 200, 1, 1), ("load", 400, 400, 7, 3), ("test", 200, 100, 1, 1)]);
    }

    #[test]
    fn what_a_scope_inside_its_namesake_allocated_counts_once() {
        let profile = crate::sketch::Sketch::new()
            .allocating_scope("a", &["load"], 100, 4)
            .allocating_scope("a", &["load", "load"], 60, 2)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let sums = scope_sums(&tree);
        let memory = sums[0].stats.memory.expect("it was recorded");
        assert_eq!((sums.len(), memory.allocated_bytes, memory.allocated_count), (1, 100, 4));
    }

    #[test]
    fn contexts_and_traced_functions_are_told_apart() {
        let mut draft = Draft::new().scope(&["train"], 1, 900);
        draft = draft.change(|profile| {
            let name = profile.strings.intern("epoch");
            let frame = profile.frames.intern(calor_model::Frame::new(name, FrameKind::Context));
            let stack = profile.stacks.intern(None, frame);
            let thread = profile.intern_thread(1, 1, "main");
            let stats = ScopeStats { calls: 1, total_nanos: 50, ..ScopeStats::default() };
            let labels = calor_model::LabelTable::none();
            profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats.clone());
            let label = (profile.strings.intern("function"), profile.strings.intern("python"));
            let labels = profile.labels.intern(&[label]);
            for file in ["a.py", "b.py"] {
                let (name, file) = (profile.strings.intern("epoch"), profile.strings.intern(file));
                let frame = calor_model::Frame {
                    file: Some(file),
                    line: Some(3),
                    ..calor_model::Frame::new(name, FrameKind::Scope)
                };
                let frame = profile.frames.intern(frame);
                let stack = profile.stacks.intern(Some(stack), frame);
                profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats.clone());
            }
        });
        let profile = draft.profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let told: Vec<_> =
            scope_sums(&tree).iter().map(|sum| (sum.name, sum.kind, sum.file, sum.line)).collect();
        let expected = [
            ("train", ScopeSumKind::Scope, None, None),
            ("epoch", ScopeSumKind::Context, None, None),
            ("epoch", ScopeSumKind::Function, Some("a.py"), Some(3)),
            ("epoch", ScopeSumKind::Function, Some("b.py"), Some(3)),
        ];
        assert_eq!(told, expected);
    }
}
