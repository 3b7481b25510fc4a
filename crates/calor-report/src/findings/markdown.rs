//! Findings as a comment on a pull request.

use std::fmt::Write;

use calor_analysis::findings::{Finding, Severity};

use super::{FindingsOptions, FoundIn, words};
use crate::markdown::{escaped, fenced, with_code};

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> String {
    let (shown, n_more) = found.shown(options);
    let mut page = format!("### {}\n", escaped(&words::headline(found.subject, found.findings)));
    for (number, finding) in shown.iter().enumerate() {
        draw(number + 1, finding, &mut page);
    }
    let note = found.note().map(str::to_owned);
    for sentence in words::not_shown(found.findings, n_more).into_iter().chain(note) {
        let _ = write!(page, "\n- {}", with_code(&sentence));
    }
    let (not_enough, more) = words::not_enough(found.findings, options.shows_all);
    if !not_enough.is_empty() {
        page.push_str("\n\n**Not judged, for want of data**\n");
    }
    for (missing, how) in not_enough {
        let _ = write!(page, "\n- {}: {}", with_code(&missing), with_code(&format!("`{how}`")));
    }
    if let Some(more) = more {
        let _ = write!(page, "\n- {more}");
    }
    page.trim_end().to_owned() + "\n"
}

fn draw(number: usize, finding: &Finding, page: &mut String) {
    let severity = finding.severity().map_or("", Severity::word);
    let _ = write!(page, "\n#### {number}. {severity}: {}\n\n", with_code(&finding.title));
    let _ = writeln!(page, "- at {}", with_code(&format!("`{}`", words::whereabouts(finding))));
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
    let more =
        if finding.doc.is_empty() { String::new() } else { format!(", see {}", escaped(&finding.doc)) };
    let _ = write!(page, "\nRule {}{more}\n", escaped(&finding.rule));
}
