//! One finding as a card of an HTML page: what is the matter and what changing it gives at a glance, the evidence and the
//! change when it is opened. Everything in it that comes from a profile is escaped.

use std::fmt::Write;

use calor_analysis::findings::{Evidence, Finding, Severity};

use super::scale::Scale;
use super::words;
use crate::html::escape::{escaped, with_code};

/// How a card is shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// Its number on the page.
    pub(crate) number: usize,
    /// Whether all of it is shown at once.
    pub(crate) is_open: bool,
}

pub(crate) fn draw(finding: &Finding, shown: Shown, scale: Scale, page: &mut String) {
    let severity = finding.severity().map_or("low", Severity::word);
    let open = if shown.is_open { " open" } else { "" };
    let _ = write!(
        page,
        "<details class=\"finding {severity}\" id=\"finding-{number}\"{open}>\n<summary>\
         <span class=\"severity\">{severity}</span> <b>{number}. {title}</b> <span class=\"amount\">{amount}</span></summary>\n\
         <div class=\"about\">\n",
        number = shown.number,
        title = with_code(&finding.title),
        amount = escaped(&words::gain_in_short(&finding.gain)),
    );
    gain(finding, scale, page);
    place(finding, page);
    let _ = writeln!(page, "<p>{}</p>", with_code(&finding.description));
    evidence(&finding.evidence, page);
    fix(finding, page);
    let _ =
        writeln!(page, "<p class=\"rule\">rule <code>{}</code>{}</p>", escaped(&finding.rule), more(finding));
    page.push_str("</div>\n</details>\n");
}

/// The gain as a bar from the least to the most, on the scale that all cards share.
fn gain(finding: &Finding, scale: Scale, page: &mut String) {
    let [from, to] = [finding.gain.least(), finding.gain.most()].map(|factor| 100.0 * scale.place(factor));
    let ticks: String = scale
        .ticks()
        .map(|tick| format!("<span style=\"left:{:.1}%\">{tick}x</span>", 100.0 * scale.place(tick)))
        .collect();
    let _ = write!(
        page,
        "<div class=\"gain\">\n<div class=\"scale\" role=\"img\" aria-label=\"{}\">\
         <i style=\"left:{from:.1}%;width:{:.1}%\"></i>{ticks}</div>\n<p>{}</p>\n</div>\n",
        escaped(&words::gain_in_short(&finding.gain)),
        to - from,
        with_code(&words::gain(&finding.gain)),
    );
}

/// Where it is, and how the program comes there.
fn place(finding: &Finding, page: &mut String) {
    let function = format!("<code>{}</code>", escaped(&finding.place.function));
    let whereabouts = match finding.place.source() {
        Some(source) => format!("<code>{}</code> in {function}", escaped(&source)),
        None => function,
    };
    let _ = writeln!(page, "<p class=\"place\">at {whereabouts}</p>");
    if let Some(callers) = words::callers(finding) {
        let whole = finding.place.path.join(" › ");
        let _ = writeln!(
            page,
            "<p class=\"path\" title=\"{}\">called by {}</p>",
            escaped(&whole),
            escaped(&callers)
        );
    }
}

/// The figures, each against its threshold.
fn evidence(figures: &[Evidence], page: &mut String) {
    if figures.is_empty() {
        return;
    }
    page.push_str(
        "<div class=\"scroll\">\n<table class=\"evidence\">\n<thead><tr><th scope=\"col\">evidence</th><th scope=\"col\">value</th>\
         <th scope=\"col\">95 % interval</th><th scope=\"col\">threshold</th><th scope=\"col\"></th></tr></thead>\n<tbody>\n",
    );
    for figure in figures {
        let [value, interval, threshold] = words::figures(figure).map(|text| escaped(&text));
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{value}</td><td>{interval}</td><td>{threshold}</td><td class=\"gauge\">{}</td></tr>",
            escaped(&figure.metric),
            gauge(figure),
        );
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// A value beside its threshold, as lengths from zero on; nothing where there is no threshold to hold it against.
fn gauge(figure: &Evidence) -> String {
    let Some(threshold) = figure.threshold.filter(|threshold| threshold.is_finite() && *threshold >= 0.0)
    else {
        return String::new();
    };
    let longest = figure.value.max(threshold).max(figure.interval.map_or(0.0, |(_, high)| high));
    if !(figure.value.is_finite() && figure.value >= 0.0 && longest > 0.0 && longest.is_finite()) {
        return String::new();
    }
    let part = |value: f64| 96.0 * (value / longest).clamp(0.0, 1.0);
    let whisker = figure.interval.map_or_else(String::new, |(low, high)| {
        format!("<u style=\"left:{:.1}%;width:{:.1}%\"></u>", part(low), part(high) - part(low))
    });
    format!(
        "<div><i style=\"width:{:.1}%\"></i>{whisker}<b style=\"left:{:.1}%\"></b></div>",
        part(figure.value),
        part(threshold)
    )
}

fn fix(finding: &Finding, page: &mut String) {
    let _ = writeln!(page, "<p class=\"fix\"><b>Change</b> {}</p>", with_code(&finding.fix.text));
    let parts = [("before", &finding.fix.before), ("after", &finding.fix.after)];
    if parts.iter().all(|(_, code)| code.is_none()) {
        return;
    }
    page.push_str("<div class=\"code\">\n");
    for (word, code) in parts {
        if let Some(code) = code {
            let code = escaped(&code.replace('\t', "    "));
            let _ = writeln!(page, "<figure><figcaption>{word}</figcaption><pre>{code}</pre></figure>");
        }
    }
    page.push_str("</div>\n");
}

/// Where more is written: a link where it is an address of the web, and nothing that would run.
fn more(finding: &Finding) -> String {
    let more = words::more_about(finding);
    match more.as_str() {
        "" => String::new(),
        address if address.starts_with("https://") || address.starts_with("http://") => {
            let address = escaped(address);
            format!(", see <a href=\"{address}\" rel=\"noreferrer\">{address}</a>")
        }
        words => format!(", see {}", with_code(words)),
    }
}
