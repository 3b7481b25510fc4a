//! Findings as a comment on a pull request: a table to read at once, and the evidence and the change of each behind a fold. A
//! comment has an end on every forge, so that folds which would not fit are left out and counted.

use std::fmt::Write;

use calor_analysis::findings::{Finding, Severity};
use calor_analysis::quantity::counted;

use super::{FindingsOptions, FoundIn, words};
use crate::markdown::{MOST_LETTERS, escaped, fenced, fold, with_code};

/// What the page says behind the folds takes no more than this.
const FOOT_LETTERS: usize = 8_000;

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> String {
    let (shown, n_more) = found.shown(options);
    let mut page = format!("### {}\n", escaped(&words::headline(found.subject, found.findings)));
    if !shown.is_empty() {
        table(shown, &mut page);
    }
    let mut n_left_out = 0;
    for (number, finding) in shown.iter().enumerate() {
        let mut details = String::new();
        draw(number + 1, finding, &mut details);
        if page.len() + details.len() + FOOT_LETTERS > MOST_LETTERS {
            n_left_out += 1;
        } else {
            page.push_str(&details);
        }
    }
    let left_out = (n_left_out > 0).then(|| {
        let n = counted(n_left_out, "finding");
        format!("the details of {n} do not fit a comment: `calor findings -o findings.html` has them")
    });
    let note = found.note().map(str::to_owned);
    page.push('\n');
    for sentence in left_out.into_iter().chain(words::not_shown(found.findings, n_more)).chain(note) {
        let _ = writeln!(page, "- {}", with_code(&sentence));
    }
    not_judged(found, options, &mut page);
    let not_seen = words::not_seen(found.warnings, options.shows_all);
    if !not_seen.is_empty() {
        let _ = write!(page, "\n{}:\n\n", words::NOT_SEEN);
    }
    for sentence in not_seen {
        let _ = writeln!(page, "- {}", with_code(&sentence));
    }
    page.trim_end().to_owned() + "\n"
}

fn table(shown: &[Finding], page: &mut String) {
    page.push_str("\n| | severity | finding | where | gain |\n|--:|:--|:--|:--|:--|\n");
    for (number, finding) in shown.iter().enumerate() {
        let place = finding.place.source().unwrap_or_else(|| finding.place.function.clone());
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            number + 1,
            severity(finding),
            with_code(&finding.title),
            escaped(&place),
            escaped(&words::gain_in_short(&finding.gain)),
        );
    }
}

fn severity(finding: &Finding) -> &'static str {
    finding.severity().map_or("", Severity::word)
}

fn draw(number: usize, finding: &Finding, page: &mut String) {
    // Markdown is not read inside the line of a fold.
    let summary = format!("{number}. {}", crate::html::escape::with_code(&finding.title));
    fold(&summary, page, |page| {
        let _ = writeln!(page, "- at {}", with_code(&format!("`{}`", words::whereabouts(finding))));
        if let Some(callers) = words::callers(finding) {
            let _ = writeln!(page, "- called by {}", escaped(&callers));
        }
        let _ = writeln!(page, "- gain: {}", with_code(&words::gain(&finding.gain)));
        let evidence: Vec<String> = finding.evidence.iter().map(words::evidence).collect();
        if !evidence.is_empty() {
            let _ = writeln!(page, "- evidence: {}", with_code(&evidence.join(", ")));
        }
        let _ = write!(page, "\n{}\n\n{}\n", with_code(&finding.description), with_code(&finding.fix.text));
        for (word, code) in [("Before", &finding.fix.before), ("After", &finding.fix.after)] {
            if let Some(code) = code {
                let _ = write!(page, "\n{word}:\n\n{}", fenced(code));
            }
        }
        let more = words::more_about(finding);
        let more = if more.is_empty() { more } else { format!(", see {}", with_code(&more)) };
        let _ = write!(page, "\nRule {}{more}\n", escaped(&finding.rule));
    });
}

fn not_judged(found: FoundIn<'_>, options: &FindingsOptions, page: &mut String) {
    let (not_enough, more) = words::not_enough(found.findings, options.shows_all);
    if not_enough.is_empty() {
        return;
    }
    fold("Not judged, for want of data", page, |page| {
        for (missing, how) in not_enough {
            let _ = writeln!(page, "- {}: {}", with_code(&missing), with_code(&format!("`{how}`")));
        }
        if let Some(more) = more {
            let _ = writeln!(page, "- {more}");
        }
    });
}
