//! A history as one page for a browser, in the look of a report.

use std::fmt::Write;

use calor_analysis::history::{History, HistorySeries};

use super::{chart, words};
use crate::html::escape::{escaped, with_code};
use crate::html::frame;

pub(super) fn page(history: &History) -> String {
    let mut body = String::from("<main>\n");
    notes(history, &mut body);
    for (at, series) in history.series.iter().enumerate() {
        section(history, series, at, &mut body);
    }
    if let Some(rest) = words::rest(history) {
        let _ = writeln!(body, "<section class=\"wide\"><p>{}</p></section>", escaped(&rest));
    }
    body.push_str("</main>\n");
    let subject = words::subject(history);
    frame("Calor history", &subject, "pages/charts.js", &["chart/dots.css", "chart/trend.css"], &body)
}

fn notes(history: &History, body: &mut String) {
    let confirmation = history.confirmation.as_ref();
    if confirmation.is_none() && history.warnings.is_empty() {
        return;
    }
    body.push_str("<section class=\"wide\">\n");
    if let Some(found) = confirmation {
        let [conclusion, sentence, before, after] =
            [&found.conclusion, &found.sentence, &found.sides[0], &found.sides[1]].map(|text| escaped(text));
        let _ = writeln!(body, "<p><strong>{conclusion}</strong> {sentence}</p>");
        let _ = writeln!(body, "<p class=\"intro\">A: <code>{before}</code><br>B: <code>{after}</code></p>");
    }
    for warning in &history.warnings {
        let _ = writeln!(body, "<p class=\"intro\">{}</p>", with_code(&warning.message));
    }
    body.push_str("</section>\n");
}

fn section(history: &History, series: &HistorySeries, at: usize, body: &mut String) {
    let title = escaped(&words::title(series));
    let standing = escaped(&words::standing(history, series));
    let _ = writeln!(
        body,
        "<section class=\"wide\" id=\"series-{at}\">\n<h2>{title}</h2>\n<p class=\"intro\">{standing}</p>"
    );
    chart::draw(history, series, body);
    if !series.changes.is_empty() {
        body.push_str("<ol class=\"changes\">\n");
        for change in &series.changes {
            let way = match words::tone(change) {
                crate::document::Tone::Worse => "worse",
                crate::document::Tone::Better => "better",
                _ => "quiet",
            };
            let _ = writeln!(body, "<li class=\"{way}\">{}</li>", escaped(&words::change(history, change)));
        }
        body.push_str("</ol>\n");
    }
    body.push_str("</section>\n");
}
