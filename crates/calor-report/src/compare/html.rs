//! A comparison as one page for a browser, in the look of a report.

use std::fmt::Write;

use calor_analysis::comparison::Comparison;

use super::{CompareOptions, flame, section, settling, words};
use crate::document::Section;
use crate::html::escape::{escaped, with_code};
use crate::html::{draw, frame};

/// Rows of the table: a browser opens that many at once.
const ROWS: usize = 1_000;
/// Sections before the flame graph: the totals and the waterfall.
const BEFORE_FLAME: usize = 2;

pub(super) fn page(compared: &Comparison, options: &CompareOptions) -> String {
    let rows = options.top.unwrap_or(ROWS);
    let mut sections: Vec<Section> = vec![section::totals(compared), section::waterfall(compared)];
    sections.extend(section::changes(compared, options.top));
    sections.extend(section::work(compared, rows));
    sections.push(section::functions(compared, rows));
    sections.extend(section::renamed(compared, rows));
    sections.extend(section::circumstances(compared));
    let mut body = String::new();
    body.push_str("<nav aria-label=\"Sections\">\n");
    for (at, section) in sections.iter().enumerate() {
        if at == BEFORE_FLAME && compared.flame.is_some() {
            body.push_str("<a href=\"#flame\">Flame graph of both</a>\n");
        }
        let _ = writeln!(body, "<a href=\"#{}\">{}</a>", section.id, escaped(&section.title));
    }
    body.push_str("</nav>\n<main>\n");
    verdict(compared, options, &mut body);
    for (at, section) in sections.iter().enumerate() {
        if let Some(union) = compared.flame.as_ref().filter(|_| at == BEFORE_FLAME) {
            flame::draw(compared, union, &mut body);
        }
        draw(section, &mut body);
    }
    body.push_str("</main>\n");
    let subject = compared.names.each_ref().map(|names| words::runs(names)).join(" → ");
    frame("Calor compare", &subject, "pages/union.js", &["union/compare.css"], &body)
}

fn verdict(compared: &Comparison, options: &CompareOptions, body: &mut String) {
    let word = compared.difference.verdict.word();
    let sentence = escaped(&compared.headline());
    let _ = writeln!(body, "<section id=\"verdict\" class=\"wide verdict {word}\">\n<p>{sentence}</p>");
    for note in section::notes(compared, options) {
        let _ = writeln!(body, "<p class=\"intro\">{}</p>", with_code(&note));
    }
    if let Some(advice) = settling(compared, options) {
        let _ = writeln!(body, "<p class=\"intro\"><code>{}</code></p>", escaped(&advice.command));
    }
    body.push_str("</section>\n");
}
