//! Remarks of the caller's own, as the last section of a report: what somebody else found out about the profile.

use std::fmt::Write;

use serde_json::Value;

use crate::html::escape::escaped;
use crate::text::printable::printable;

/// A section of remarks. A table for spreadsheets has no place for it.
#[derive(Clone, Debug)]
pub struct Remarks {
    /// Its anchor on a page and its name for programs.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The remarks.
    pub list: Vec<Remark>,
    /// What stands there without any.
    pub none: &'static str,
}

/// One remark.
#[derive(Clone, Debug)]
pub struct Remark {
    /// A word for how much it matters.
    pub severity: String,
    /// What it is about.
    pub name: String,
    /// What was found.
    pub description: String,
    /// What to do about it.
    pub suggestion: String,
    /// All of it for programs.
    pub json: Value,
}

impl Remarks {
    /// The section in a terminal.
    pub(crate) fn text(&self) -> String {
        let mut page = format!("\n{}\n", self.title);
        for Remark { severity, name, description, suggestion, .. } in &self.list {
            let (name, description) = (printable(name), printable(description));
            let _ = writeln!(page, "  - [{severity}] {name}: {description}\n    {suggestion}");
        }
        if self.list.is_empty() {
            let _ = writeln!(page, "  - {}", self.none);
        }
        page
    }

    /// The section on a page for a forge.
    pub(crate) fn markdown(&self) -> String {
        let mut page = format!("\n## {}\n\n", self.title);
        for Remark { severity, name, description, suggestion, .. } in &self.list {
            let [name, description, suggestion] = [name, description, suggestion].map(|it| in_markdown(it));
            let _ = writeln!(page, "- **{severity}** {name}: {description}. {suggestion}.");
        }
        if self.list.is_empty() {
            let _ = writeln!(page, "- {}", self.none);
        }
        page
    }

    /// The section on a page for a browser.
    pub(crate) fn html(&self) -> String {
        let mut page =
            format!("<section id=\"{}\" class=\"lines\">\n<h2>{}</h2>\n<ul>\n", self.id, self.title);
        for Remark { severity, name, description, suggestion, .. } in &self.list {
            let [name, description, suggestion] = [name, description, suggestion].map(|it| escaped(it));
            let _ =
                writeln!(page, "<li><strong>{severity}</strong> {name}: {description}. {suggestion}.</li>");
        }
        if self.list.is_empty() {
            let _ = writeln!(page, "<li>{}</li>", self.none);
        }
        page + "</ul>\n</section>\n"
    }

    /// The section for programs.
    pub(crate) fn json(&self) -> Value {
        self.list.iter().map(|remark| remark.json.clone()).collect()
    }
}

/// Text that stands for itself on a page for a forge.
fn in_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        if matches!(letter, '\\' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '|' | '#') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
