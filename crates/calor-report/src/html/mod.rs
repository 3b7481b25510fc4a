//! The report as one HTML page that needs nothing else: no network, no other file. Without its script it is
//! still a whole report; the script sorts tables, opens branches of the tree, and draws the graphs once the rest
//! stands. The profile itself is carried along in an element that browsers do not show.

mod chart;
pub(crate) mod escape;
mod graphs;
mod notebook;
mod timeline;
mod tree;
mod waterfall;

use std::fmt::Write;

use calor_formats::embedded;
use calor_model::Profile;

use crate::carried::{self, Carried};
use crate::document::{Body, Cell, Name, Row, Section, Table, Tone};
use crate::report::Report;
use crate::{Carry, Remarks, findings, section};
use escape::escaped;
use graphs::Graphs;

/// What every page of sections looks like.
const STYLES: [&str; 4] = ["page/page.css", "chart/chart.css", "timeline/timeline.css", "findings/card.css"];

/// Paths of the call hierarchy; a browser opens a page of this size at once, and the flame graph has them all.
const TREE_ROWS: usize = 600;
/// A page opens at once and can be mailed: the carried profile takes what the rest leaves of this, within bounds.
const MOST_PAGE_BYTES: usize = 1_700_000;
const CARRIED_BYTES: std::ops::Range<usize> = 250_000..700_000;
/// A table of no more columns than these does not stretch over the page.
const FEW_COLUMNS: usize = 4;
/// The sections before the graphs: what is read first.
const BEFORE_GRAPHS: [&str; 14] = [
    "system",
    "summary",
    "findings",
    "threads",
    "operations",
    "scopes",
    "hot-paths",
    "functions",
    "cpu",
    "functions-wall",
    "wall",
    "off-cpu",
    "heap",
    "heap-time",
];

/// The page. `whole` is the profile that the report is of, before any part of it was chosen.
pub(crate) fn page(report: &Report<'_>, whole: &Profile) -> String {
    let sections = section::all(report, TREE_ROWS);
    let (mut before, after): (Vec<Section>, Vec<Section>) =
        sections.into_iter().partition(|section| BEFORE_GRAPHS.contains(&section.id));
    // In a terminal the end is read first; a page is read from its beginning.
    before.sort_by_key(|section| match section.id {
        "system" | "summary" => 0,
        "findings" => 1,
        _ => 2,
    });
    let after = if notebook::is_of_cell(report) { notebook::arranged(&mut before, after) } else { after };
    let graphs = Graphs::of(report);
    let mut body = String::new();
    body.push_str("<nav aria-label=\"Sections\">\n");
    let link = |id: &str, title: &str, body: &mut String| {
        let _ = writeln!(body, "<a href=\"#{id}\">{}</a>", escaped(title));
    };
    before.iter().for_each(|section| link(section.id, &section.title, &mut body));
    graphs.titles().for_each(|(id, title)| link(id, title, &mut body));
    after.iter().for_each(|section| link(section.id, &section.title, &mut body));
    body.push_str("</nav>\n<main>\n");
    before.iter().for_each(|section| draw(section, &mut body));
    graphs.draw(&mut body);
    after.iter().for_each(|section| draw(section, &mut body));
    body.push_str(&report.options.remarks.as_ref().map(Remarks::html).unwrap_or_default());
    body.push_str("</main>\n");

    let style = format!("{}{}", calor_web::style(&STYLES), graphs.style());
    let script = calor_web::script(graphs.script());
    let around = style.len() + script.len();
    let room =
        MOST_PAGE_BYTES.saturating_sub(body.len() + around).clamp(CARRIED_BYTES.start, CARRIED_BYTES.end);
    let carried = carried::carried(whole, report.options.carry, room);
    let mut page = String::from("<!doctype html>\n");
    if carried.is_some() {
        let _ = writeln!(page, "{}", embedded::ANNOUNCEMENT);
    }
    head(report, &style, &mut page);
    page.push_str(&body);
    foot(report.options.carry, carried.as_ref(), &mut page);
    closing(&script, &mut page);
    page
}

/// A page of sections alone, which carries no profile.
pub(crate) fn of_sections(title: &str, subject: &str, sections: &[Section]) -> String {
    let mut body = String::new();
    if sections.len() > 1 {
        body.push_str("<nav aria-label=\"Sections\">\n");
        for section in sections {
            let _ = writeln!(body, "<a href=\"#{}\">{}</a>", section.id, escaped(&section.title));
        }
        body.push_str("</nav>\n");
    }
    body.push_str("<main>\n");
    sections.iter().for_each(|section| draw(section, &mut body));
    body.push_str("</main>\n");
    frame(title, subject, "pages/sections.js", &[], &body)
}

/// A page around a body that carries no profile, with the module that it runs and what it adds to the style.
pub(crate) fn frame(title: &str, subject: &str, module: &str, styles: &[&str], body: &str) -> String {
    let mut page = String::from("<!doctype html>\n");
    let style = calor_web::style(&[&STYLES, styles].concat());
    opening(title, &escaped(subject), &style, &mut page);
    page.push_str(body);
    let _ = writeln!(page, "<footer>\n<p>Written by calor {}.</p>\n</footer>", env!("CARGO_PKG_VERSION"));
    closing(&calor_web::script(module), &mut page);
    page
}

/// The end of a page: its script stands behind what it works on.
fn closing(script: &str, page: &mut String) {
    let _ = write!(page, "<script type=\"module\">\n{script}</script>\n</body>\n</html>\n");
}

fn head(report: &Report<'_>, style: &str, page: &mut String) {
    let run = report.answer.profile.runs.first();
    let of_program = || run.and_then(|run| run.command.as_deref()).unwrap_or("profile");
    let subject = match notebook::is_of_cell(report) {
        true => report.options.context.as_deref().unwrap_or("notebook"),
        false => of_program(),
    };
    let subject = escaped(subject);
    opening("Calor report", &subject, style, page);
}

/// The beginning of a page; the subject is escaped already.
fn opening(title: &str, subject: &str, style: &str, page: &mut String) {
    let _ = write!(
        page,
        "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"generator\" content=\"calor {}\">\n<title>{subject} - {title}</title>\n\
         <style>\n{style}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title}</h1>\n<p class=\"subject\">{subject}</p>\n</header>\n",
        env!("CARGO_PKG_VERSION"),
    );
}

/// The end of the page, with the profile in an element that is neither shown nor run.
fn foot(carry: Carry, carried: Option<&Carried>, page: &mut String) {
    page.push_str("<footer>\n");
    let _ = writeln!(page, "<p>Written by calor {}.</p>", env!("CARGO_PKG_VERSION"));
    let Some(Carried { lines, left_out }) = carried else {
        if carry != Carry::Nothing {
            page.push_str("<p>The profile is too large to be carried by this page.</p>\n");
        }
        page.push_str("</footer>\n");
        return;
    };
    page.push_str(
        "<p>This page carries its profile: give the file to <code>calor report</code>, <code>calor flame</code> or \
         <code>calor convert</code> like a profile.</p>\n",
    );
    if !left_out.is_empty() {
        let _ = writeln!(
            page,
            "<p>So that the page opens at once, the profile in it leaves out {}; <code>--carry whole</code> carries all.</p>",
            escaped(&left_out.join(", "))
        );
    }
    let _ = writeln!(page, "</footer>\n<script type=\"application/x-calor\">\n{lines}</script>");
}

pub(crate) fn draw(section: &Section, page: &mut String) {
    let kind = match section.body {
        Body::Facts(_) => "facts",
        Body::Lines(_) => "lines",
        Body::Table(_) => "wide",
        Body::Tree(_) => "wide tree",
        Body::Chart(_) => "chart",
        Body::Waterfall(_) => "wide",
        Body::Findings(_) => "wide findings",
    };
    let _ = write!(
        page,
        "<section id=\"{}\" class=\"{kind}\">\n<h2>{}</h2>\n",
        section.id,
        escaped(&section.title)
    );
    if let Some(intro) = &section.intro {
        let _ = writeln!(page, "<p class=\"intro\">{}</p>", escape::with_code(intro));
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
        Body::Chart(chart) => chart::draw(chart, page),
        Body::Waterfall(waterfall) => waterfall::draw(waterfall, page),
        Body::Findings(told) => findings::cards(&told.found, false, page),
    }
    page.push_str("</section>\n");
}

fn draw_table(table: &Table, page: &mut String) {
    // Few numbers far from their names are hard to read along.
    // A call path needs the room.
    let has_paths = table.rows.iter().any(|row| row.name.keeps_line);
    let few = if table.columns.len() <= FEW_COLUMNS && !has_paths { " few" } else { "" };
    let _ = write!(page, "<div class=\"scroll\">\n<table class=\"sortable{few}\">\n<thead><tr>");
    let _ = write!(page, "<th scope=\"col\" class=\"name\"><button>{}</button></th>", escaped(table.subject));
    let sorted = sorted_column(table);
    for (index, column) in table.columns.iter().enumerate() {
        let (title, meaning) = (escaped(column.title), escaped(column.meaning));
        let class = if column.is_words { " class=\"words\"" } else { "" };
        let sort = if sorted == Some(index) { " aria-sort=\"descending\"" } else { "" };
        let _ =
            write!(page, "<th scope=\"col\"{class}{sort} title=\"{meaning}\"><button>{title}</button></th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (row, telling) in table.rows.iter().zip(table.telling_callers()) {
        draw_row(table, row, &telling, page);
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// The first column by which the rows stand from the largest down, as they were listed; `None` where there is none.
fn sorted_column(table: &Table) -> Option<usize> {
    let keys = |index: usize| table.rows.iter().map(move |row| row.cells[index].key);
    let is_sorted = |index: &usize| {
        // A number that is the same in all rows is no order.
        keys(*index).all(|key| key.is_some())
            && keys(*index).is_sorted_by(|a, b| a >= b)
            && keys(*index).next() != keys(*index).next_back()
    };
    (0..table.columns.len()).find(is_sorted)
}

fn draw_row(table: &Table, row: &Row, telling: &[bool], page: &mut String) {
    let name = name(&row.name, telling, row.mark);
    let tone = tone_class(row.tone);
    let _ = write!(page, "<tr{tone}><th scope=\"row\" class=\"name\"{}>{name}</th>", hint(&row.name));
    for (cell, column) in row.cells.iter().zip(&table.columns) {
        let key = cell.key.map(|key| format!(" data-key=\"{key}\"")).unwrap_or_default();
        let class = match (cell.is_missing(), column.is_words) {
            (true, true) => " class=\"none words\"",
            (true, false) => " class=\"none\"",
            (false, true) => " class=\"words\"",
            (false, false) => "",
        };
        let _ = write!(page, "<td{key}{class}{}>{}</td>", bar(cell), escaped(&cell.text));
    }
    page.push_str("</tr>\n");
}

/// What a row is to its reader, for the style.
fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Quiet => " class=\"quiet\"",
        Tone::Worse => " class=\"worse\"",
        Tone::Better => " class=\"better\"",
    }
}

/// What the pointer finds on a name: the whole path and where it is in the source.
fn hint(name: &Name) -> String {
    let location = name.location.as_ref().map(|location| format!("\n{location}")).unwrap_or_default();
    format!(" title=\"{}\"", escaped(&format!("{}{location}", name.path())))
}

/// A path in pieces: in a narrow window the style cuts runs of callers that other rows share before those that
/// tell this row from them.
fn name(name: &Name, telling: &[bool], mark: Option<&str>) -> String {
    let callers: Vec<(&String, bool)> = name.callers.iter().zip(telling.iter().copied()).collect();
    let mut pieces = String::new();
    for run in callers.chunk_by(|a, b| !a.1 && !b.1) {
        let class = if run[0].1 { " class=\"telling\"" } else { "" };
        let names: Vec<String> = run.iter().map(|(caller, _)| escaped(caller)).collect();
        let _ = write!(pieces, "<small{class}><bdi>{} ›</bdi></small> ", names.join(" › "));
    }
    let place = name.place().filter(|_| name.keeps_line);
    let place = place.map(|place| format!("<i><bdi>{}</bdi></i>", escaped(place))).unwrap_or_default();
    let mark = mark.map(|mark| format!("<em>{}</em>", escaped(mark))).unwrap_or_default();
    format!("<span>{pieces}<b>{}</b>{place}{mark}</span>", escaped(&name.leaf))
}

/// A share drawn behind its number.
fn bar(cell: &Cell) -> String {
    match cell.share {
        Some(share) => format!(" class=\"bar\" style=\"--share:{:.2}%\"", (share * 100.0).clamp(0.0, 100.0)),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Column;

    #[test]
    fn the_column_that_rows_were_listed_by_is_marked() {
        let check = |rows: &[[f64; 2]], expected: Option<usize>| {
            let row = |keys: &[f64; 2]| Row::new(Name::plain("f"), keys.map(|key| Cell::new("", key)).into());
            let columns = vec![Column::new("total", 0, ""), Column::new("self", 0, "")];
            let table = Table { subject: "scope", columns, rows: rows.iter().map(row).collect() };
            assert_eq!(sorted_column(&table), expected, "{rows:?}");
        };
        check(&[[9.0, 5.0], [12.0, 4.0], [1.0, 1.0]], Some(1));
        check(&[[9.0, 5.0], [9.0, 6.0], [1.0, 1.0]], Some(0));
        check(&[[1.0, 1.0], [1.0, 2.0]], None);
        check(&[[1.0, 1.0]], None);
        check(&[], None);
    }
}
