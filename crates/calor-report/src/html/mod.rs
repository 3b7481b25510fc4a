//! The report as one HTML page that needs nothing else: no network, no other file. Without its script it is
//! still a whole report; the script sorts tables and opens branches of the tree.

mod escape;
mod tree;

use std::fmt::Write;

use crate::distinction::telling_callers;
use crate::document::{Body, Cell, Name, Row, Section, Table};
use crate::facts::Report;
use crate::section;
use escape::escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Paths of the call hierarchy; a browser opens a page of this size at once.
const TREE_ROWS: usize = 1000;

pub(crate) fn page(report: &Report<'_>) -> String {
    let sections = section::all(report, TREE_ROWS);
    let run = report.profile.runs.first();
    let subject = run.and_then(|run| run.command.as_deref()).unwrap_or("profile");
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"generator\" content=\"calor {}\">\n<title>{} - Calor report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(subject),
    );
    let _ = write!(
        page,
        "<header>\n<h1>Calor report</h1>\n<p class=\"subject\">{}</p>\n<nav>\n",
        escaped(subject)
    );
    for section in &sections {
        let _ = writeln!(page, "<a href=\"#{}\">{}</a>", section.id, escaped(&section.title));
    }
    page.push_str("</nav>\n</header>\n<main>\n");
    sections.iter().for_each(|section| draw(section, &mut page));
    let _ = write!(
        page,
        "</main>\n<footer>Written by calor {}.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

fn draw(section: &Section, page: &mut String) {
    let kind = match section.body {
        Body::Facts(_) => "facts",
        Body::Lines(_) => "lines",
        Body::Table(_) => "wide",
        Body::Tree(_) => "wide tree",
    };
    let _ = write!(
        page,
        "<section id=\"{}\" class=\"{kind}\">\n<h2>{}</h2>\n",
        section.id,
        escaped(&section.title)
    );
    if let Some(intro) = &section.intro {
        let _ = writeln!(page, "<p class=\"intro\">{}</p>", escaped(intro));
    }
    match &section.body {
        Body::Facts(facts) => {
            page.push_str("<dl>\n");
            for (name, value) in facts {
                let _ = writeln!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
            }
            page.push_str("</dl>\n");
        }
        Body::Lines(lines) => {
            page.push_str("<ul>\n");
            lines.iter().for_each(|line| {
                let _ = writeln!(page, "<li>{}</li>", escape::with_code(line));
            });
            page.push_str("</ul>\n");
        }
        Body::Table(table) => draw_table(table, page),
        Body::Tree(table) => tree::draw(table, page),
    }
    page.push_str("</section>\n");
}

fn draw_table(table: &Table, page: &mut String) {
    page.push_str("<div class=\"scroll\">\n<table class=\"sortable\">\n<thead><tr>");
    let _ = write!(page, "<th scope=\"col\" class=\"name\"><button>{}</button></th>", escaped(table.subject));
    for column in &table.columns {
        let (title, meaning) = (escaped(column.title), escaped(column.meaning));
        let _ = write!(page, "<th scope=\"col\" title=\"{meaning}\"><button>{title}</button></th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (row, telling) in table.rows.iter().zip(telling_callers(&table.rows)) {
        draw_row(row, &telling, page);
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

fn draw_row(row: &Row, telling: &[bool], page: &mut String) {
    let name = name(&row.name, telling);
    let _ = write!(page, "<tr><th scope=\"row\" class=\"name\"{}>{name}</th>", hint(&row.name));
    for cell in &row.cells {
        let key = cell.key.map(|key| format!(" data-key=\"{key}\"")).unwrap_or_default();
        let missing = if cell.is_missing() { " class=\"none\"" } else { "" };
        let _ = write!(page, "<td{key}{missing}{}>{}</td>", bar(cell), escaped(&cell.text));
    }
    page.push_str("</tr>\n");
}

/// What the pointer finds on a name: the whole path and where it is in the source.
fn hint(name: &Name) -> String {
    let location = name.location.as_ref().map(|location| format!("\n{location}")).unwrap_or_default();
    format!(" title=\"{}\"", escaped(&format!("{}{location}", name.path())))
}

/// A path in pieces: in a narrow window the style cuts runs of callers that other rows share before those that
/// tell this row from them.
fn name(name: &Name, telling: &[bool]) -> String {
    let callers: Vec<(&String, bool)> = name.callers.iter().zip(telling.iter().copied()).collect();
    let mut pieces = String::new();
    for run in callers.chunk_by(|a, b| !a.1 && !b.1) {
        let class = if run[0].1 { " class=\"telling\"" } else { "" };
        let names: Vec<String> = run.iter().map(|(caller, _)| escaped(caller)).collect();
        let _ = write!(pieces, "<small{class}><bdi>{} ›</bdi></small> ", names.join(" › "));
    }
    format!("<span>{pieces}<b>{}</b></span>", escaped(&name.leaf))
}

/// A share drawn behind its number.
fn bar(cell: &Cell) -> String {
    match cell.share {
        Some(share) => format!(" class=\"bar\" style=\"--share:{:.2}%\"", (share * 100.0).clamp(0.0, 100.0)),
        None => String::new(),
    }
}
