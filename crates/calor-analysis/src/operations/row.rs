//! Operations on arrays, one row for each operation, line and shape: where the time of a numerical program goes. Rows add up
//! the paths that lead to one line, so an operation that works for another (`add.reduce` inside `mean`) is told apart by its
//! parent and left out of sums.

use std::cmp::Reverse;

use calor_model::{FrameKind, LabelSetId, ScopeStats, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::agreed::Agreed;
use super::kind::{Kinds, OperationLabels};
use crate::roofline::{Told, Worked};
use crate::{CallTree, GpuTimes, MachineRoof, NodeId, RoofNumber, RooflinePoint};

/// One operation at one line, on operands of one shape and type.
#[derive(Clone, PartialEq, Debug)]
pub struct OperationRow<'p> {
    /// The operation, such as `add`.
    pub name: &'p str,
    /// The library, such as `numpy`.
    pub library: &'p str,
    /// Shapes of the operands, as recorded: `1000x1000,1000`.
    pub shape: Option<&'p str>,
    /// How shapes were put together: `rounded` up to powers of two, or `various` where none are known; `None` where they are exact.
    pub grain: Option<&'p str>,
    /// Types of the operands and the result, as recorded: `float32,float64->float64`.
    pub dtype: Option<&'p str>,
    /// Where the operands were, such as `cuda:0`; `None` of libraries that know one place only.
    pub device: Option<&'p str>,
    /// The file that called it.
    pub file: Option<&'p str>,
    /// The line that did.
    pub line: Option<u32>,
    /// The context that all calls were in; `None` where they were in none or in several.
    pub context: Option<&'p str>,
    /// The scope, function or operation that all calls were made by; `None` where there was none or several.
    pub parent: Option<&'p str>,
    /// What served most of the calls, such as `blas`; the library where nothing told.
    pub backend: &'p str,
    /// Its paths.
    pub nodes: Vec<NodeId>,
    /// How long all calls took, with the operations inside.
    pub total_nanos: u64,
    /// How much of that was not inside another operation: what sums are of.
    pub outermost_nanos: u64,
    /// How long GPUs worked for all calls, with the operations inside; `None` where they did nothing for any, or nobody recorded it.
    pub gpu_nanos: Option<u64>,
    /// Its part of the recorded time; `None` where none was recorded.
    pub share: Option<f64>,
    /// Whether every call was inside another operation.
    pub is_nested: bool,
    /// All that was recorded: calls, durations, and elements, bytes and operations in `work`.
    pub stats: ScopeStats,
    /// Where it stands under the roofs of the machine; `None` where those are not known or it told no work.
    pub roof: Option<RooflinePoint>,
}

impl OperationRow<'_> {
    /// Bytes a second; `None` where none are known.
    #[must_use]
    pub fn bytes_per_second(&self) -> Option<f64> {
        per_second(self.stats.work.bytes, self.total_nanos)
    }

    /// Floating-point operations a second; `None` where none are known.
    #[must_use]
    pub fn flops_per_second(&self) -> Option<f64> {
        per_second(self.stats.work.flops, self.total_nanos)
    }

    /// How much of what the machine can do it attained; `None` where that is not known.
    #[must_use]
    pub fn roof_share(&self) -> Option<f64> {
        self.roof.as_ref()?.roof_share
    }

    /// The types of the operands.
    #[must_use]
    pub fn dtypes(&self) -> Vec<&str> {
        let operands = self.dtype.map_or("", |dtype| dtype.split("->").next().unwrap_or(dtype));
        operands.split(',').map(str::trim).filter(|dtype| !dtype.is_empty()).collect()
    }

    /// The type of the result, where it was recorded.
    #[must_use]
    pub fn result_dtype(&self) -> Option<&str> {
        Some(self.dtype?.split_once("->")?.1.trim()).filter(|dtype| !dtype.is_empty())
    }
}

fn per_second(amount: u64, nanos: u64) -> Option<f64> {
    (amount > 0 && nanos > 0).then(|| amount as f64 * 1e9 / nanos as f64)
}

/// The operations of a tree of scopes, the one with the most time first; those inside others stand behind all that are not.
#[must_use]
pub fn operation_rows<'p>(tree: &CallTree<'p>, roof: Option<&MachineRoof>) -> Vec<OperationRow<'p>> {
    let profile = tree.profile();
    let kinds = Kinds::new(profile);
    let surroundings = Surroundings::new(tree, &kinds);
    let gpu = GpuTimes::of(tree);
    let mut sums: IndexMap<Key, Sum, RandomState> = IndexMap::default();
    for (id, node) in tree.nodes() {
        let rows = &tree.rows[node.rows.clone()];
        let mut known: Vec<LabelSetId> = Vec::new();
        for (key, stats) in rows {
            let Some(labels) = kinds.operation(key.labels) else { continue };
            let frame = profile.frames.get(node.frame);
            let place = Key { name: frame.name, file: frame.file, line: frame.line, labels };
            let sum = sums.entry(place).or_default();
            sum.add(id, key.labels, stats, &surroundings);
            // Rows of several threads share what GPUs did for them.
            if let Some(gpu) = gpu.as_ref().filter(|_| !known.contains(&key.labels)) {
                known.push(key.labels);
                sum.gpu_nanos += gpu.labelled_nanos(id, key.labels).unwrap_or_else(|| {
                    let is_alone = rows.iter().all(|(other, _)| other.labels == key.labels);
                    if is_alone { gpu.nanos(id) } else { 0 }
                });
            }
        }
    }
    let mut rows: Vec<OperationRow<'p>> =
        sums.into_iter().map(|(key, sum)| sum.row(&key, tree, roof)).collect();
    rows.sort_by_key(|row| (row.is_nested, Reverse(row.total_nanos), row.nodes[0]));
    rows
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    name: StringId,
    file: Option<StringId>,
    line: Option<u32>,
    labels: OperationLabels,
}

#[derive(Default)]
struct Sum {
    nodes: Vec<NodeId>,
    labels: Vec<LabelSetId>,
    stats: ScopeStats,
    outermost_nanos: u64,
    gpu_nanos: u64,
    n_outermost: usize,
    context: Agreed<Option<StringId>>,
    parent: Agreed<Option<StringId>>,
}

impl Sum {
    fn add(&mut self, id: NodeId, labels: LabelSetId, stats: &ScopeStats, around: &Surroundings) {
        if self.nodes.last() != Some(&id) {
            self.nodes.push(id);
        }
        if !self.labels.contains(&labels) {
            self.labels.push(labels);
        }
        self.stats.add(stats);
        let at = &around.of_nodes[id.index()];
        if !at.is_inside_operation {
            self.outermost_nanos = self.outermost_nanos.saturating_add(stats.inclusive_nanos());
            self.n_outermost += 1;
        }
        self.context = self.context.with(at.context);
        self.parent = self.parent.with(at.parent);
    }

    fn row<'p>(self, key: &Key, tree: &CallTree<'p>, roof: Option<&MachineRoof>) -> OperationRow<'p> {
        let text = |id: StringId| tree.profile().strings.get(id);
        let total_nanos = self.stats.inclusive_nanos();
        let (library, dtype) = (text(key.labels.library), key.labels.dtype.map(text));
        let most = self.stats.work.backends.iter().max_by_key(|(_, calls)| *calls);
        OperationRow {
            name: text(key.name),
            library,
            shape: key.labels.shape.map(text),
            grain: key.labels.grain.map(text),
            dtype,
            device: key.labels.device.map(text),
            file: key.file.map(text).filter(|file| !file.is_empty()),
            line: key.line,
            context: self.context.value().flatten().map(text),
            parent: self.parent.value().flatten().map(text),
            backend: most.map_or(library, |(name, _)| text(*name)),
            total_nanos,
            outermost_nanos: self.outermost_nanos,
            gpu_nanos: Some(self.gpu_nanos).filter(|nanos| *nanos > 0),
            share: tree.share(total_nanos),
            is_nested: self.n_outermost == 0,
            roof: roof.and_then(|roof| self.under(tree, roof, dtype, total_nanos)),
            nodes: self.nodes,
            stats: self.stats,
        }
    }

    /// Where it stands under the roofs. Those of arithmetic are of floating-point numbers, so whole numbers have none.
    fn under(
        &self,
        tree: &CallTree<'_>,
        roof: &MachineRoof,
        dtype: Option<&str>,
        nanos: u64,
    ) -> Option<RooflinePoint> {
        let told = Told::by(tree.profile(), self.labels.iter().copied());
        let has_roof = dtype.is_none() || told.number.is_some();
        let worked = Worked {
            calls: self.stats.calls,
            nanos,
            recorded_nanos: tree.recorded_nanos(),
            flops: if has_roof { self.stats.work.flops } else { 0 },
            bytes: self.stats.work.bytes,
            is_estimated: self.stats.is_estimated(),
        };
        RooflinePoint::of(self.nodes[0], worked, told, roof, RoofNumber::default())
    }
}

/// What each node of a tree is inside of.
struct Surroundings {
    of_nodes: Vec<Around>,
}

#[derive(Clone, Copy, Default)]
struct Around {
    context: Option<StringId>,
    parent: Option<StringId>,
    is_inside_operation: bool,
}

impl Surroundings {
    fn new(tree: &CallTree<'_>, kinds: &Kinds<'_>) -> Self {
        let mut of_nodes: Vec<Around> = Vec::new();
        let mut is_operation: Vec<bool> = Vec::new();
        // Callers have smaller numbers than their callees.
        for (_, node) in tree.nodes() {
            let around = match node.parent {
                None => Around::default(),
                Some(parent) => {
                    let (above, frame) = (of_nodes[parent.index()], tree.frame(parent));
                    Around {
                        context: if frame.kind == FrameKind::Context {
                            Some(frame.name)
                        } else {
                            above.context
                        },
                        parent: Some(frame.name),
                        is_inside_operation: above.is_inside_operation || is_operation[parent.index()],
                    }
                }
            };
            let rows = &tree.rows[node.rows.clone()];
            is_operation.push(rows.iter().any(|(key, _)| kinds.operation(key.labels).is_some()));
            of_nodes.push(around);
        }
        Self { of_nodes }
    }
}

#[cfg(test)]
mod tests;
