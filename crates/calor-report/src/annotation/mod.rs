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

/// Why there are no instructions, and what to do about it.
fn missing_code(profile: &Profile, annotation: &Annotation<'_>) -> Option<&'static str> {
    use calor_model::FrameKind;
    if !annotation.code.is_empty() {
        return None;
    }
    Some(match annotation.kind {
        FrameKind::Python => "a Python function has no machine code of its own",
        FrameKind::Kernel => "code of the kernel is not recorded",
        _ if profile.code.is_empty() => {
            "the profile has no machine code: `calor record` keeps that of the hottest functions when a recording ends; \
             other formats and older files have none"
        }
        _ => {
            "its machine code is not in the profile: that of functions with at least 0.5 % of the samples as \
             their own is, if their file could be read; record for longer, or with a higher --rate"
        }
    })
}
