//! The categories that frames and markers are coloured by: one for each kind of frame.

use calor_model::FrameKind;
use serde::Serialize;

/// A category as the format's list has it.
#[derive(Serialize)]
pub(super) struct Category {
    name: &'static str,
    color: &'static str,
    subcategories: [&'static str; 1],
}

const CATEGORIES: [(FrameKind, &str, &str); 7] = [
    (FrameKind::Synthetic, "Other", "grey"),
    (FrameKind::Scope, "Scope", "blue"),
    (FrameKind::Context, "Context", "lightblue"),
    (FrameKind::Native, "Native", "orange"),
    (FrameKind::Kernel, "Kernel", "red"),
    (FrameKind::Python, "Python", "yellow"),
    (FrameKind::Gpu, "GPU", "green"),
];

/// All categories; the first is the one for what has none.
pub(super) fn all() -> Vec<Category> {
    CATEGORIES.iter().map(|&(_, name, color)| Category { name, color, subcategories: ["Other"] }).collect()
}

/// The place of a kind's category in the list.
pub(super) fn of(kind: FrameKind) -> usize {
    CATEGORIES.iter().position(|(of, _, _)| *of == kind).unwrap_or(0)
}
