//! Findings as one page for a browser, in the look of a report: a card each, and behind them what was not told, what could not
//! be judged and how to record it, and what is fine.

use std::fmt::Write;

use calor_analysis::findings::{Finding, Suppressed, SuppressedBy};

use super::card::{self, Shown};
use super::scale::Scale;
use super::{FindingsOptions, FoundIn, words};
use crate::html::escape::{escaped, with_code};
use crate::html::frame;

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> String {
    let (shown, n_more) = found.shown(options);
    let mut body = String::from("<main>\n");
    let headline = escaped(&words::headline(found.subject, found.findings));
    let _ = writeln!(body, "<section id=\"findings\" class=\"wide findings\">\n<h2>{headline}</h2>");
    if let Some(note) = found.note() {
        let _ = writeln!(body, "<p class=\"intro\">{}</p>", with_code(note));
    }
    cards(shown, true, &mut body);
    if n_more > 0 {
        let _ = writeln!(body, "<p class=\"intro\">{}</p>", escaped(&words::more(n_more)));
    }
    body.push_str("</section>\n");
    not_judged(found, &mut body);
    not_told(&found.findings.suppressed, &mut body);
    fine(&found.findings.fine, &mut body);
    not_seen(found, &mut body);
    body.push_str("</main>\n");
    frame("Calor findings", found.subject, "pages/sections.js", &[], &body)
}

/// Cards on one scale, in their order.
pub(crate) fn cards(found: &[Finding], is_open: bool, page: &mut String) {
    let scale = Scale::of(found);
    for (at, finding) in found.iter().enumerate() {
        card::draw(finding, Shown { number: at + 1, is_open }, scale, page);
    }
}

fn not_judged(found: FoundIn<'_>, body: &mut String) {
    let (missing, _) = words::not_enough(found.findings, true);
    if missing.is_empty() {
        return;
    }
    body.push_str(
        "<section id=\"not-judged\" class=\"lines\">\n<h2>Not judged, for want of data</h2>\n<ul>\n",
    );
    for (what, how) in missing {
        // Some is not recorded by a command, but told by the program.
        let is_command = how.starts_with("calor ") && !how.contains(',');
        let how = if is_command { format!("<code>{}</code>", escaped(&how)) } else { escaped(&how) };
        let _ = writeln!(body, "<li>{}: {how}</li>", escaped(&what));
    }
    body.push_str("</ul>\n</section>\n");
}

fn not_told(suppressed: &[Suppressed], body: &mut String) {
    if suppressed.is_empty() {
        return;
    }
    body.push_str("<section id=\"not-told\" class=\"lines\">\n<h2>Found and not told</h2>\n<ul>\n");
    for Suppressed { finding, by } in suppressed {
        let why = match by {
            SuppressedBy::Rule(rule) => format!("a symptom of <code>{}</code>", escaped(rule)),
            SuppressedBy::User(reason) => format!("suppressed: {}", escaped(reason)),
        };
        let _ = writeln!(
            body,
            "<li><code>{}</code> {} <small>{}</small>: {why}</li>",
            escaped(&finding.rule),
            with_code(&finding.title),
            escaped(&words::whereabouts(finding)),
        );
    }
    body.push_str("</ul>\n</section>\n");
}

fn fine(rules: &[String], body: &mut String) {
    if rules.is_empty() {
        return;
    }
    let names: Vec<String> = rules.iter().map(|rule| format!("<code>{}</code>", escaped(rule))).collect();
    let _ = writeln!(
        body,
        "<section id=\"fine\" class=\"lines\">\n<h2>Fine</h2>\n<p class=\"intro\">{}</p>\n<p class=\"rules\">{}</p>\n</section>",
        escaped(&words::fine(rules.len())),
        names.join(" "),
    );
}

fn not_seen(found: FoundIn<'_>, body: &mut String) {
    if found.warnings.is_empty() {
        return;
    }
    let _ = write!(body, "<section id=\"not-seen\" class=\"lines\">\n<h2>{}</h2>\n<ul>\n", words::NOT_SEEN);
    for warning in found.warnings {
        let _ = writeln!(body, "<li>{}</li>", with_code(&warning.message));
    }
    body.push_str("</ul>\n</section>\n");
}
