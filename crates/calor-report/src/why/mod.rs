//! The page that explains why one implementation is slower: its causes as bars, the curves of both over the sizes, and
//! where the time of each goes.

mod causes;
mod curves;
mod flame;

use std::fmt::Write;

use calor_analysis::{Why, WhyEvidence};
use calor_model::{Profile, Warning};

use crate::document::{Body, Section};
use crate::html::escape::{escaped, with_code};
use crate::html::{draw, frame};

const STYLES: [&str; 2] = ["union/compare.css", "page/why.css"];

/// What the page shows.
pub struct WhyPage<'p> {
    /// The verdict.
    pub sentence: String,
    /// What A and B are.
    pub names: [String; 2],
    /// The causes; `None` where there is no gap.
    pub why: Option<&'p Why>,
    /// What they are drawn from.
    pub evidence: &'p WhyEvidence,
    /// Recordings of A and B, and how many calls each is of.
    pub sides: [Option<(&'p Profile, f64)>; 2],
    /// What has to be known of it.
    pub warnings: &'p [Warning],
}

/// The page, which needs nothing else.
#[must_use]
pub fn why_page(page: &WhyPage<'_>) -> String {
    let mut parts: Vec<(&str, &str, String)> = Vec::new();
    if let Some(why) = page.why {
        parts.push(("causes", "Causes", causes::draw(why)));
    }
    if page.evidence.points.len() > 1 {
        parts.push(("curves", "Time by size", curves::draw(page.evidence, page.why)));
    }
    parts.extend(flame::draw(page.sides));
    let notes = notes(page);
    let mut body = String::from("<nav aria-label=\"Sections\">\n");
    for (id, title, _) in &parts {
        let _ = writeln!(body, "<a href=\"#{id}\">{}</a>", escaped(title));
    }
    body.push_str("</nav>\n<main>\n");
    let word = match page.why {
        Some(why) if why.slower == 1 => "regressed",
        Some(_) => "improved",
        None => "same",
    };
    let _ = writeln!(
        body,
        "<section id=\"verdict\" class=\"wide verdict {word}\">\n<p>{}</p>",
        escaped(&page.sentence)
    );
    for (name, shown) in ['A', 'B'].iter().zip(&page.names) {
        let _ = writeln!(body, "<p class=\"intro\">{name}: <code>{}</code></p>", escaped(shown));
    }
    body.push_str("</section>\n");
    for (id, title, part) in &parts {
        let _ = write!(
            body,
            "<section id=\"{id}\" class=\"wide\">\n<h2>{}</h2>\n{part}</section>\n",
            escaped(title)
        );
    }
    if !notes.is_empty() {
        draw(&Section::new("notes", "What else is to be known", Body::Lines(notes)), &mut body);
    }
    body.push_str("</main>\n");
    frame("Calor why", &page.names.join(" ↔ "), "pages/union.js", &STYLES, &body)
}

fn notes(page: &WhyPage<'_>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(why) = page.why {
        notes.extend(why.notes.iter().cloned());
        notes.extend(why.missing.iter().map(|missing| format!("not known: {missing}")));
    }
    notes.extend(page.warnings.iter().map(|warning| warning.message.clone()));
    notes
}

/// A sentence with its code marked.
fn sentence(text: &str) -> String {
    with_code(text)
}

#[cfg(test)]
mod tests;
