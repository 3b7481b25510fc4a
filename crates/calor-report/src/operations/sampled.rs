//! Functions that samples found, where the process looked at its own stacks: Python functions, each with the compiled code that
//! it called.

use calor_analysis::{CallTree, Order, TreeOptions, hot_functions};
use calor_model::{Profile, SampleKind};
use serde::Serialize;

/// One function by its samples.
#[derive(Serialize)]
pub(super) struct SampledFunction {
    pub(super) name: String,
    pub(super) samples: Option<u64>,
    pub(super) total_ns: u64,
    pub(super) self_ns: u64,
    /// Self time as a part of that of all samples.
    pub(super) share: Option<f64>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
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
    let function = |entry: &calor_analysis::HotPath| {
        let frame = tree.frame(entry.nodes[0]);
        SampledFunction {
            name: text(frame.name),
            samples: entry.samples,
            total_ns: entry.total_nanos,
            self_ns: entry.self_nanos,
            share: entry.share,
            file: frame.file.map(text),
            line: frame.line,
        }
    };
    found.iter().map(function).collect()
}
