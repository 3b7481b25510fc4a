//! Pages about a history of saved runs: a trend of each scope, where it changed, and the commit that came with it.

mod chart;
mod csv;
mod html;
mod json;
mod markdown;
mod plot;
mod text;
mod words;

use std::io::Write;

use calor_analysis::history::History;

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
