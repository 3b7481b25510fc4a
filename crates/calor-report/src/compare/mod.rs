//! Pages about two sets of runs: what changed, how sure that is, and which functions did it.
//!
//! The page begins with the verdict, because most readers want no more. What the sides differ in besides the program is told
//! right below it in a few words, and at the end in full.

mod choice;
mod facts;
mod flame;
mod html;
mod json;
mod markdown;
mod metric;
mod name;
mod parts;
mod repeated;
mod section;
mod settle;
mod text;
mod totals;
mod unlike;
mod words;
mod work;

use std::io::Write;

use calor_model::Warning;

use crate::Error;

pub use calor_analysis::{CPU_NANOS, REPEATED_BY_TIME};
pub use facts::{Compared, ComparedRun};
pub use metric::CompareMetric;
pub use parts::ROUNDS;
pub use unlike::Unlike;

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

/// What functions are listed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompareBy {
    /// What they take themselves: this adds up to the whole.
    #[default]
    Own,
    /// What they take with what they call.
    Total,
}

impl CompareBy {
    /// The word for it on a command line and in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::Total => "total",
        }
    }
}

/// How runs are compared and shown.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// How the page looks.
    pub format: CompareFormat,
    /// What is compared; `None`: the first that all runs hold.
    pub metric: Option<CompareMetric>,
    /// What functions are listed by.
    pub by: CompareBy,
    /// Whether the runs of both sides took turns.
    pub is_interleaved: bool,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// The same of one run a side in rounds.
    pub margin_of_rounds: f64,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
    /// What is known of the runs already and has to be told, such as a file that was given twice.
    pub remarks: Vec<Warning>,
    /// Whether the page is a part of one that has told the verdict already. In text it is short then.
    pub is_part: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            format: CompareFormat::Text,
            metric: None,
            by: CompareBy::Own,
            is_interleaved: false,
            margin: parts::MARGIN,
            margin_of_rounds: parts::MARGIN_OF_ROUNDS,
            top: None,
            width: 100,
            color: false,
            remarks: Vec::new(),
            is_part: false,
        }
    }
}

/// Writes a page about a comparison.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_compared(
    compared: &Compared,
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

pub use json::compared_json;
