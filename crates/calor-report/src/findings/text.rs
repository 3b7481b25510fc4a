//! Findings for a terminal.

use std::fmt::Write;

use calor_analysis::findings::{Finding, Severity};

use super::{FindingsOptions, FoundIn, words};
use crate::document::Tone;
use crate::text::palette::Palette;
use crate::text::printable::printable;
use crate::wrap::wrapped;

const NARROWEST: usize = 40;
/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 110;
const INDENT: &str = "   ";

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> String {
    let palette = Palette { is_coloured: options.color };
    let columns = options.width.clamp(NARROWEST, WIDEST);
    let (shown, n_more) = found.shown(options);
    let mut page = String::new();
    let headline = words::headline(found.subject, found.findings);
    let _ = writeln!(page, "{}", palette.heading(&printable(&headline)));
    for (number, finding) in shown.iter().enumerate() {
        page.push('\n');
        draw(number + 1, finding, columns, palette, &mut page);
    }
    let mut not_shown = words::not_shown(found.findings, n_more);
    not_shown.extend(words::n_not_enough(found.findings).filter(|_| options.is_brief));
    not_shown.extend(found.note().map(str::to_owned));
    if !not_shown.is_empty() {
        page.push('\n');
    }
    for sentence in not_shown {
        say("", &sentence, columns, &mut page);
    }
    let (not_enough, more) = match options.is_brief {
        true => (Vec::new(), None),
        false => words::not_enough(found.findings, options.shows_all),
    };
    if !not_enough.is_empty() {
        let _ = writeln!(page, "\n{}", palette.strong("Not judged, for want of data"));
    }
    for (missing, how) in not_enough {
        say(INDENT, &format!("{missing}:"), columns, &mut page);
        how_to(&how, columns, &mut page);
    }
    if let Some(more) = more {
        let _ = writeln!(page, "{INDENT}{more}");
    }
    let not_seen = words::not_seen(found.warnings, options.shows_all);
    if !not_seen.is_empty() {
        let _ = writeln!(page, "\n{}", palette.strong(words::NOT_SEEN));
    }
    for sentence in not_seen {
        say(INDENT, &sentence, columns, &mut page);
    }
    page
}

fn draw(number: usize, finding: &Finding, columns: usize, palette: Palette, page: &mut String) {
    let severity = finding.severity();
    let word = severity.map_or("", Severity::word);
    let tone = if severity >= Some(Severity::High) { Tone::Worse } else { Tone::Plain };
    let head = format!("{number}. {word}: {}", printable(&finding.title));
    for (at, line) in wrapped(&head, columns).iter().enumerate() {
        let indent = if at == 0 { "" } else { INDENT };
        let _ = writeln!(page, "{indent}{}", palette.strong(&palette.tone(tone, line)));
    }
    // In one line, however long: it is there to be copied.
    let _ = writeln!(page, "{INDENT}at {}", printable(&words::whereabouts(finding)));
    if let Some(callers) = words::callers(finding) {
        say(INDENT, &palette.quiet(&format!("called by {callers}")), columns, page);
    }
    say(INDENT, &format!("gain: {}", words::gain(&finding.gain)), columns, page);
    let evidence: Vec<String> = finding.evidence.iter().map(words::evidence).collect();
    if !evidence.is_empty() {
        say(INDENT, &format!("evidence: {}", evidence.join(", ")), columns, page);
    }
    say(INDENT, &format!("why: {}", finding.description), columns, page);
    say(INDENT, &format!("fix: {}", finding.fix.text), columns, page);
    for (word, code) in [("before", &finding.fix.before), ("after", &finding.fix.after)] {
        let Some(code) = code else { continue };
        let _ = writeln!(page, "{INDENT}  {word}");
        for line in code.lines() {
            let _ = writeln!(page, "{INDENT}    {}", palette.quiet(&printable(line)));
        }
    }
    let more = words::more_about(finding);
    let more = if more.is_empty() { more } else { format!(", see {more}") };
    let _ = writeln!(page, "{INDENT}rule {}{}", printable(&finding.rule), printable(&more));
}

/// A command is in one line, however long: it is there to be copied.
fn how_to(how: &str, columns: usize, page: &mut String) {
    let indent = format!("{INDENT}  ");
    match how.starts_with("calor ") {
        true => {
            let _ = writeln!(page, "{indent}{}", printable(how));
        }
        false => say(&indent, how, columns, page),
    }
}

fn say(indent: &str, text: &str, columns: usize, page: &mut String) {
    for line in wrapped(&shown(text), columns.saturating_sub(indent.len())) {
        let _ = writeln!(page, "{indent}{line}");
    }
}

/// Text without what a terminal would obey; colours of ours stay, as they are put around whole sentences.
fn shown(text: &str) -> String {
    match text.strip_prefix("\x1b[2m").and_then(|text| text.strip_suffix("\x1b[0m")) {
        Some(inner) => format!("\x1b[2m{}\x1b[0m", printable(inner)),
        None => printable(text).into_owned(),
    }
}
