//! Functions that samples found, where the process looked at its own stacks: Python functions, each with the compiled code that
//! it called.

use calor_model::{Profile, SampleKind};

use crate::{CallTree, HotPath, Order, TreeOptions, hot_functions};

/// One function by its samples.
#[derive(Clone, PartialEq, Debug)]
pub struct SampledFunction {
    /// Its name.
    pub name: String,
    /// Samples that found it innermost.
    pub samples: Option<u64>,
    /// Time in it and in what it calls.
    pub total_nanos: u64,
    /// Time in it alone.
    pub self_nanos: u64,
    /// Self time as a part of that of all samples.
    pub share: Option<f64>,
    /// Its file.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
}

/// The functions of a profile that has samples, the one with the most time of its own first.
pub(super) fn functions(profile: &Profile) -> Vec<SampledFunction> {
    let has = |kind: SampleKind| profile.samples.iter().any(|(key, _)| key.kind == kind);
    let Some(kind) = [SampleKind::Cpu, SampleKind::Wall].into_iter().find(|kind| has(*kind)) else {
        return Vec::new();
    };
    let shown = profile.has_python().then(|| profile.python_only());
    let profile = shown.as_ref().unwrap_or(profile);
    let tree = CallTree::of_samples(profile, kind, &TreeOptions::default());
    let text = |id| profile.strings.get(id).to_owned();
    let (found, _) = hot_functions(&tree, Order::SelfTime, None);
    let function = |entry: &HotPath| {
        let frame = tree.frame(entry.nodes[0]);
        SampledFunction {
            name: text(frame.name),
            samples: entry.samples,
            total_nanos: entry.total_nanos,
            self_nanos: entry.self_nanos,
            share: entry.share,
            file: frame.file.map(text),
            line: frame.line,
        }
    };
    found.iter().map(function).collect()
}
