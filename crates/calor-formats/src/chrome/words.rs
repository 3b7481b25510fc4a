//! The words that our own traces use beyond the format's, so that what is written reads back as what it was.

use calor_model::FrameKind;

/// Categories of events that Calor wrote begin with this.
pub(super) const OURS: &str = "calor.";
/// The category of an event that stands for all calls on a path, laid out without regard to time.
pub(super) const TOTALS: &str = "calor.totals.";

/// The category of an event that stands for what one metric weighs on a path, laid out without regard to time.
pub(super) const WEIGHTS: &str = "calor.weights.";

pub(super) const MODULE: &str = "module";
pub(super) const FILE: &str = "file";
pub(super) const LINE: &str = "line";

pub(super) const CALLS: &str = "calls";
pub(super) const METRIC: &str = "metric";
pub(super) const COUNT: &str = "count";
pub(super) const OWN: &str = "self";
pub(super) const TOTAL_NANOS: &str = "total_nanos";
pub(super) const MIN_NANOS: &str = "min_nanos";
pub(super) const MAX_NANOS: &str = "max_nanos";
pub(super) const DEVICE: &str = "device";
pub(super) const BYTES: &str = "bytes";

/// The property of the document that says of what run it is.
pub(super) const RUN: &str = "calor";
pub(super) const STARTED_AT: &str = "started_at_unix_nanos";
pub(super) const DURATION: &str = "duration_nanos";
pub(super) const COMMAND: &str = "command";

/// The word for a kind of frame.
pub(super) fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Context => "context",
        FrameKind::Native => "native",
        FrameKind::Kernel => "kernel",
        FrameKind::Python => "python",
        FrameKind::Gpu => "gpu",
        FrameKind::Synthetic => "synthetic",
        _ => "scope",
    }
}

/// The kind that a category of ours stands for; a scope when it is a word of a later version.
pub(super) fn kind(category: &str) -> FrameKind {
    match category.rsplit('.').next().unwrap_or_default() {
        "context" => FrameKind::Context,
        "native" => FrameKind::Native,
        "kernel" => FrameKind::Kernel,
        "python" => FrameKind::Python,
        "gpu" => FrameKind::Gpu,
        "synthetic" => FrameKind::Synthetic,
        _ => FrameKind::Scope,
    }
}
