//! Pages about findings: what is slow, where, what to change and what that gives, the most sure gain first. What was judged
//! fine is counted, and what could not be judged is told with the command that records it.

mod card;
mod html;
mod json;
mod markdown;
mod recommendation;
mod scale;
mod text;
mod words;

use std::io::Write;

use calor_analysis::findings::{Finding, Findings, MOST_SHOWN};
use calor_model::Warning;

use crate::Error;

pub(crate) use self::html::cards;
pub use self::recommendation::recommendations_json;
pub(crate) use self::words::gain_in_short;

/// How a page about findings looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FindingsFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a comment on a pull request.
    Markdown,
    /// For a browser: one file that needs nothing else.
    Html,
    /// For programs.
    Json,
}

/// How a page about findings is written.
#[derive(Clone, Debug)]
pub struct FindingsOptions {
    /// How it looks.
    pub format: FindingsFormat,
    /// Whether all findings are shown, not the first few alone.
    pub shows_all: bool,
    /// Whether what could not be judged is counted alone. Text leaves the rest to a page of its own.
    pub is_brief: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// What a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct FoundIn<'f> {
    /// What was looked at: a file.
    pub subject: &'f str,
    /// What came of it.
    pub findings: &'f Findings,
    /// What the profile could not see.
    pub warnings: &'f [Warning],
    /// Whether it is not known how long the program waited, so that gains are of the time in which it ran.
    pub is_without_waits: bool,
}

impl<'f> FoundIn<'f> {
    /// The findings that are shown, and how many there are besides.
    fn shown(&self, options: &FindingsOptions) -> (&'f [Finding], usize) {
        let all = &self.findings.found;
        let n_shown = if options.shows_all { all.len() } else { all.len().min(MOST_SHOWN) };
        (&all[..n_shown], all.len() - n_shown)
    }

    /// What has to be known of the gains.
    fn note(&self) -> Option<&'static str> {
        let is_of_time = self.findings.found.iter().any(|finding| finding.gain.memory.is_none());
        (self.is_without_waits && is_of_time).then_some(words::WITHOUT_WAITS)
    }
}

/// Writes a page about findings.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_findings(
    found: FoundIn<'_>,
    options: &FindingsOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let page = match options.format {
        FindingsFormat::Text => text::page(found, options),
        FindingsFormat::Markdown => markdown::page(found, options),
        FindingsFormat::Html => html::page(found, options),
        FindingsFormat::Json => json::page(found, options)?,
    };
    Ok(out.write_all(page.as_bytes())?)
}

#[cfg(test)]
mod tests;
