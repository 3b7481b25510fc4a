//! Pages about a history of saved runs: a trend of each scope, where it changed, and the commit that came with it.

mod chart;
mod csv;
mod html;
mod json;
mod markdown;
mod plot;
mod text;
mod words;

use std::collections::BTreeMap;
use std::io::Write;

use calor_analysis::{Change, RunChange, Verdict};
use calor_model::Warning;

use crate::{Error, ReportFormat};

/// How a page about a history is written.
#[derive(Clone, Copy, Debug)]
pub struct HistoryOptions {
    /// How it looks.
    pub format: ReportFormat,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// Runs over time, and what scopes took in them.
#[derive(Clone, Debug)]
pub struct History {
    /// What was run.
    pub subject: String,
    /// The word for what was measured, such as `cpu`.
    pub metric: &'static str,
    /// What people call it.
    pub metric_name: &'static str,
    /// Whether the values are bytes and not nanoseconds.
    pub is_bytes: bool,
    /// The runs, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// The whole program or the scope that was asked for, and scopes that changed.
    pub series: Vec<HistorySeries>,
    /// How many commits came after the first run of a change up to the second, by the places of these among the runs; none of
    /// those where it is not known.
    pub n_commits: BTreeMap<[usize; 2], u64>,
    /// How many scopes were looked at besides those that are shown.
    pub n_unchanged: usize,
    /// What has to be known of the runs.
    pub warnings: Vec<Warning>,
    /// What came of running both sides of a change again.
    pub confirmation: Option<HistoryConfirmation>,
}

/// One run.
#[derive(Clone, Debug)]
pub struct HistoryRun {
    /// What the store calls it.
    pub id: String,
    /// When it was, in nanoseconds since 1970.
    pub at_unix_nanos: u64,
    /// The commit of the program.
    pub commit: Option<String>,
    /// Whether files were changed since the commit.
    pub is_dirty: bool,
}

/// What one scope took, run by run.
#[derive(Clone, Debug)]
pub struct HistorySeries {
    /// Its name; `None` for the whole program.
    pub scope: Option<String>,
    /// The file or module that tells it from others of its name.
    pub place: Option<String>,
    /// What of it was measured.
    pub value: HistoryValue,
    /// In the order of the runs; `None` where a run does not have it.
    pub values: Vec<Option<f64>>,
    /// Where it changed.
    pub changes: Vec<RunChange>,
}

/// What of a scope is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HistoryValue {
    /// With what it calls.
    #[default]
    Total,
    /// Without what it calls.
    Own,
    /// One call of it, with what that calls.
    Call,
}

impl HistoryValue {
    /// The word for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Own => "self",
            Self::Call => "call",
        }
    }
}

/// Both sides of a change, run again in turns.
#[derive(Clone, Debug)]
pub struct HistoryConfirmation {
    /// What was run as the side before, and as the side after.
    pub sides: [String; 2],
    /// What that came to.
    pub verdict: Verdict,
    /// By how much the side after differs from the side before.
    pub change: Option<Change>,
    /// How often each was run.
    pub n_pairs: usize,
    /// The verdict for people.
    pub sentence: String,
    /// Whether the change is there, as a sentence.
    pub conclusion: String,
}

/// Writes a page about a history.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_history(
    history: &History,
    options: &HistoryOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let page = match options.format {
        ReportFormat::Text => text::page(history, options),
        ReportFormat::Markdown => markdown::page(history),
        ReportFormat::Json => json::page(history)?,
        ReportFormat::Html => html::page(history),
        ReportFormat::Csv => csv::page(history),
    };
    Ok(out.write_all(page.as_bytes())?)
}
