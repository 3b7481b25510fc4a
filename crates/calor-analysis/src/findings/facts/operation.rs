//! Operations on arrays, as the Python package records them: scopes whose labels tell what was done to what. The label `op`
//! is the library (`numpy`), `shape`, `dtype` and `contiguous` tell of the operands. Where the label `caller` tells the function
//! that called it, the file and the line of the scope are those of the call; otherwise the parent is the calling line.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calor_model::{LabelSetId, ScopeStats, StackId, ThreadId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::Facts;
use super::scope::bounds;
use crate::findings::Share;

/// The label that makes a scope an operation.
const KIND: &str = "op";

/// One operation at one line, on operands of one shape and type.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation<'p> {
    /// The path to the operation itself.
    pub stack: StackId,
    /// The path to the line that called it; `None` where it is not known.
    pub line: Option<StackId>,
    /// The operation, such as `add`; of a method of arrays the method.
    pub name: &'p str,
    /// The library, such as `numpy`.
    pub library: &'p str,
    /// Shapes of the operands, as recorded: `1000x1000,1000`.
    pub shape: Option<&'p str>,
    /// Types of the operands and the result, as recorded: `float32,float64->float64`.
    pub dtype: Option<&'p str>,
    /// Whether all operands lie in memory without gaps.
    pub is_contiguous: Option<bool>,
    /// All labels of the row.
    pub labels: LabelSetId,
    /// How often it was called.
    pub calls: u64,
    /// How long all calls took, with the operations inside.
    pub total_nanos: u64,
    /// Its part of the whole.
    pub share: Share,
    /// All that was recorded: durations, and elements, bytes and operations in `work`.
    pub stats: ScopeStats,
}

impl Operation<'_> {
    /// How long a call took in the mean.
    #[must_use]
    pub fn nanos_per_call(&self) -> f64 {
        self.total_nanos as f64 / self.calls.max(1) as f64
    }

    /// How long a call usually took: half of them no longer. On a busy machine a few calls are interrupted by others, and the mean
    /// is theirs.
    #[must_use]
    pub fn usual_nanos(&self) -> f64 {
        let mean = self.nanos_per_call();
        self.stats.timed.quantile_nanos(0.5).map_or(mean, |middle| middle.min(mean))
    }

    /// Elements of a call.
    #[must_use]
    pub fn elements_per_call(&self) -> f64 {
        self.stats.work.elements as f64 / self.calls.max(1) as f64
    }

    /// Bytes that a call read and wrote.
    #[must_use]
    pub fn bytes_per_call(&self) -> f64 {
        self.stats.work.bytes as f64 / self.calls.max(1) as f64
    }

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

    /// The types of the operands, and that of the result where it is recorded behind `->`.
    #[must_use]
    pub fn dtypes(&self) -> (Vec<&str>, Option<&str>) {
        let (operands, result) = match self.dtype.map(|dtype| dtype.split_once("->")) {
            Some(Some((operands, result))) => (operands, Some(result.trim())),
            _ => (self.dtype.unwrap_or(""), None),
        };
        (operands.split(',').map(str::trim).filter(|dtype| !dtype.is_empty()).collect(), result)
    }
}

/// Methods of arrays are recorded as `ndarray.mean`.
fn bare(name: &str) -> &str {
    name.strip_prefix("ndarray.").unwrap_or(name)
}

fn per_second(amount: u64, nanos: u64) -> Option<f64> {
    (amount > 0 && nanos > 0).then(|| amount as f64 * 1e9 / nanos as f64)
}

pub(super) fn operations<'p>(facts: &Facts<'p>) -> Vec<Operation<'p>> {
    let profile = facts.profile();
    let Some(kind) = profile.strings.find(KIND) else { return Vec::new() };
    let mut rows: IndexMap<(StackId, LabelSetId), Sum, RandomState> = IndexMap::default();
    for (key, stats) in profile.scopes.iter() {
        if profile.labels.get(key.labels).iter().any(|(label, _)| *label == kind) {
            let sum = rows.entry((key.stack, key.labels)).or_default();
            sum.stats.add(stats);
            let of_thread = sum.by_thread.entry(key.thread).or_default();
            *of_thread = of_thread.saturating_add(stats.inclusive_nanos());
        }
    }
    let told = rows.into_iter().map(|((stack, labels), Sum { stats, by_thread })| {
        let label = |name: &str| {
            let name = profile.strings.find(name)?;
            let pair = profile.labels.get(labels).iter().find(|(label, _)| *label == name)?;
            Some(profile.strings.get(pair.1))
        };
        let longest = by_thread.values().copied().max().unwrap_or(0);
        Operation {
            stack,
            line: profile.stacks.get(stack).parent,
            name: bare(profile.stack_name(stack)),
            library: label(KIND).unwrap_or(""),
            shape: label("shape"),
            dtype: label("dtype"),
            is_contiguous: match label("contiguous") {
                Some("true" | "yes" | "1") => Some(true),
                Some("false" | "no" | "0") => Some(false),
                _ => None,
            },
            labels,
            calls: stats.calls,
            total_nanos: stats.inclusive_nanos(),
            share: bounds(facts, longest, stats.inclusive_nanos()),
            stats,
        }
    });
    let mut list: Vec<Operation<'p>> = told.collect();
    list.sort_by_key(|operation| (Reverse(operation.total_nanos), operation.stack));
    list
}

#[derive(Default)]
struct Sum {
    stats: ScopeStats,
    by_thread: BTreeMap<ThreadId, u64>,
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn scopes_with_the_label_are_operations_by_shape_and_type() {
        let work = Work { elements: 600, bytes: 4_800, flops: 600, ..Work::default() };
        let line = "py:train@train.py:12";
        let profile = Draft::new()
            .seconds(1e-6)
            .operation(
                &[line, "add"],
                &[("shape", "100,100"), ("dtype", "float32,float64->float64")],
                6,
                300,
                work,
            )
            .operation(&[line, "add"], &[("shape", "7"), ("contiguous", "false")], 1, 100, Work::default())
            .scope(&["run"], 1, 900)
            .profile();
        let facts = Facts::new(&profile, None);
        let [large, small] = facts.operations() else { panic!("two operations") };
        assert_eq!(
            (large.name, large.library, large.shape, large.calls),
            ("add", "numpy", Some("100,100"), 6)
        );
        assert_eq!(large.dtypes(), (vec!["float32", "float64"], Some("float64")));
        assert_eq!(
            (large.nanos_per_call(), large.elements_per_call(), large.bytes_per_call()),
            (50.0, 100.0, 800.0)
        );
        assert_eq!((large.bytes_per_second(), large.is_contiguous), (Some(1.6e10), None));
        assert!((large.share.estimate - 0.3).abs() < 1e-9);
        let place = facts.place(large.line.unwrap());
        assert_eq!((place.source().as_deref(), place.is_programs), (Some("train.py:12"), true));
        assert_eq!(
            (small.is_contiguous, small.dtypes().0.len(), small.bytes_per_second()),
            (Some(false), 0, None)
        );
    }
}
