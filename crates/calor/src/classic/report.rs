//! What a profiler knows, as a page: Calor's report of its profile, and the bottlenecks found in it.

use std::fmt;
use std::path::Path;

use calor_analysis::findings::{Circumstances, judge};
use calor_model::Profile;
pub use calor_report::ReportFormat;
use calor_report::{Escaped, Options, render};
use serde_json::json;

use super::bottleneck::Bottleneck;
use super::error::{Error, Result};

/// A profiler's summary. Printing it gives the text; [`export`](Report::export) writes any format to a file.
#[derive(Clone, Debug)]
pub struct Report {
    profile: Profile,
    bottlenecks: Vec<Bottleneck>,
}

impl Report {
    /// A report of a profile and of what stands out in it.
    #[must_use]
    pub fn new(profile: Profile, bottlenecks: Vec<Bottleneck>) -> Self {
        Self { profile, bottlenecks }
    }

    /// The profile it is of.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What stands out, the worst first.
    #[must_use]
    pub fn bottlenecks(&self) -> &[Bottleneck] {
        &self.bottlenecks
    }

    /// The page in a format.
    ///
    /// # Errors
    /// When the report cannot be made of this profile.
    pub fn render(&self, format: ReportFormat) -> Result<String> {
        let findings = judge(&self.profile, &Circumstances::default().of_report()).findings;
        let mut page = Vec::new();
        render(&self.profile, &Options { format, findings, ..Options::default() }, &mut page)?;
        let page = String::from_utf8_lossy(&page).into_owned();
        Ok(match format {
            ReportFormat::Json => with_member(&page, "bottlenecks", &self.as_json()),
            ReportFormat::Html => before(&page, "</main>", &self.as_html()),
            ReportFormat::Markdown => page + &self.as_markdown(),
            ReportFormat::Text => page + &self.as_text(),
            // A table of call paths has no place for them.
            ReportFormat::Csv => page,
        })
    }

    /// Writes the page to a file, replacing one that is there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, format: ReportFormat) -> Result<()> {
        let path = path.as_ref();
        let page = self.render(format)?;
        std::fs::write(path, page).map_err(|cause| Error::Export { path: path.to_owned(), cause })
    }

    fn as_text(&self) -> String {
        let lines = self.bottlenecks.iter().map(|found| {
            format!(
                "  - [{}] {}: {}\n    {}\n",
                found.severity,
                printable(&found.name),
                printable(&found.description),
                found.suggestion
            )
        });
        format!("\nBottlenecks\n{}", or_none(lines.collect(), "  - none above the thresholds\n"))
    }

    fn as_markdown(&self) -> String {
        let lines = self.bottlenecks.iter().map(|found| {
            let (name, description) = (markdown(&found.name), markdown(&found.description));
            format!("- **{}** {name}: {description}. {}.\n", found.severity, markdown(&found.suggestion))
        });
        format!("\n## Bottlenecks\n\n{}", or_none(lines.collect(), "- none above the thresholds\n"))
    }

    fn as_html(&self) -> String {
        let lines = self.bottlenecks.iter().map(|found| {
            let (name, description) = (html(&found.name), html(&found.description));
            let (severity, suggestion) = (found.severity, html(&found.suggestion));
            format!("<li><strong>{severity}</strong> {name}: {description}. {suggestion}.</li>\n")
        });
        let lines = or_none(lines.collect(), "<li>none above the thresholds</li>\n");
        format!(
            "<section id=\"bottlenecks\" class=\"lines\">\n<h2>Bottlenecks</h2>\n<ul>\n{lines}</ul>\n</section>\n"
        )
    }

    fn as_json(&self) -> serde_json::Value {
        let found = self.bottlenecks.iter().map(|found| {
            json!({
                "kind": found.kind.word(),
                "severity": found.severity.to_string(),
                "name": found.name,
                "description": found.description,
                "suggestion": found.suggestion,
                "measured": found.measured,
                "threshold": found.threshold,
            })
        });
        found.collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.render(ReportFormat::Text) {
            Ok(page) => f.write_str(page.trim_end()),
            Err(error) => write!(f, "no report: {error}"),
        }
    }
}

fn or_none(lines: String, none: &str) -> String {
    if lines.is_empty() { none.to_owned() } else { lines }
}

/// Puts text before the last occurrence of a mark, or at the end.
fn before(page: &str, mark: &str, text: &str) -> String {
    let (start, end) = page.split_at(page.rfind(mark).unwrap_or(page.len()));
    format!("{start}{text}{end}")
}

/// Adds a member to an object that has others.
fn with_member(object: &str, key: &str, value: &serde_json::Value) -> String {
    let indented = format!("{value:#}").replace('\n', "\n  ");
    match object.trim_end().strip_suffix('}') {
        Some(start) => format!("{},\n  \"{key}\": {indented}\n}}\n", start.trim_end()),
        None => object.to_owned(),
    }
}

/// Names come from programs: nothing in them may steer a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        if matches!(letter, '\\' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '|' | '#') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

fn html(text: &str) -> String {
    Escaped(&printable(text)).to_string()
}
