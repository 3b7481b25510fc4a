//! One function from near, as text for a terminal and as JSON for programs.

mod json;
mod listing;
mod text;

use calor_analysis::Annotation;
use calor_model::{Profile, Warning};

/// What to show of a function, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnnotationOptions {
    /// Whether lines of the source are shown.
    pub lines: bool,
    /// Whether instructions are shown.
    pub instructions: bool,
    /// How many of the hottest lines and instructions.
    pub top: usize,
    /// How many instructions around a hot one.
    pub context: usize,
    /// Columns of a terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// Gives the text of a line of a source file, if it can be read.
pub type Source<'s> = dyn Fn(&str, u32) -> Option<String> + 's;

/// The function as text. `notes` are what a reader has to know of the sources.
#[must_use]
pub fn annotation_text(
    profile: &Profile,
    annotation: &Annotation<'_>,
    options: &AnnotationOptions,
    source: &Source<'_>,
    notes: &[Warning],
) -> String {
    text::page(profile, annotation, options, source, notes)
}

/// The function as JSON: `calor/annotate/1`.
///
/// # Errors
/// When the values cannot be written as JSON.
pub fn annotation_json(
    profile: &Profile,
    annotation: &Annotation<'_>,
    options: &AnnotationOptions,
    source: &Source<'_>,
    notes: &[Warning],
) -> Result<String, crate::Error> {
    json::page(profile, annotation, options, source, notes)
}
