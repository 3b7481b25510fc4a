//! Pages about two sets of runs: what changed, how sure that is, and which functions did it.
//!
//! The page begins with the verdict, because most readers want no more. What the sides differ in besides the program is said
//! right below it in a few words, and at the end in full.

mod flame;
mod html;
mod json;
mod markdown;
mod name;
mod section;
mod text;
mod words;

use std::io::Write;

use calor_analysis::comparison::{Comparison, Settling};

use crate::Error;

pub use json::compared_json;

/// How a page about a comparison looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompareFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a comment on a pull request.
    Markdown,
    /// For programs.
    Json,
    /// For a browser.
    Html,
}

/// How a comparison is shown.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// How the page looks.
    pub format: CompareFormat,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether the page is a part of one that has said the verdict and what to do next already. In text it is short then.
    pub is_part: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { format: CompareFormat::Text, top: None, width: 100, color: false, is_part: false }
    }
}

/// Writes a page about a comparison.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_compared(
    compared: &Comparison,
    options: &CompareOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let page = match options.format {
        CompareFormat::Text => text::page(compared, options),
        CompareFormat::Markdown => markdown::page(compared, options),
        CompareFormat::Html => html::page(compared, options),
        CompareFormat::Json => json::page(compared, options)?,
    };
    Ok(out.write_all(page.as_bytes())?)
}

/// What would settle an open verdict. A page around it knows better what to do.
fn settling<'c>(compared: &'c Comparison, options: &CompareOptions) -> Option<&'c Settling> {
    compared.settling.as_ref().filter(|_| !options.is_part)
}
