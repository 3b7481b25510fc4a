//! A run as one page for a browser, in the look of a report. It carries the run's profile out of sight where there is one.

use std::fmt::Write;

use calor_formats::embedded;

use super::{Bench, Carried, Table, plot};
use crate::document::{Body, Section};
use crate::html::escape::{escaped, with_code};
use crate::html::{draw, frame};

const STYLES: [&str; 3] = ["chart/dots.css", "chart/plot.css", "page/bench.css"];

pub(super) fn page(bench: &Bench, carried: Option<&Carried>) -> String {
    let mut body = String::from("<nav aria-label=\"Sections\">\n");
    let charts = bench.charts.iter().enumerate().map(|(at, chart)| (format!("chart-{at}"), &chart.title));
    let tables = bench.tables.iter().enumerate().map(|(at, table)| (format!("table-{at}"), &table.title));
    for (id, title) in charts.chain(tables) {
        let _ = writeln!(body, "<a href=\"#{id}\">{}</a>", escaped(title));
    }
    body.push_str("</nav>\n<main>\n");
    if !bench.facts.is_empty() {
        let facts = bench.facts.iter().map(|fact| (fact.name.clone(), fact.value.clone())).collect();
        draw(&Section::new("facts", "Run", Body::Facts(facts)), &mut body);
    }
    if !bench.warnings.is_empty() {
        let lines = bench.warnings.iter().map(|warning| warning.message.clone()).collect();
        draw(&Section::new("warnings", "What was not seen", Body::Lines(lines)), &mut body);
    }
    advice(bench, &mut body);
    for (at, chart) in bench.charts.iter().enumerate() {
        let title = escaped(&chart.title);
        let _ = writeln!(body, "<section class=\"wide\" id=\"chart-{at}\">\n<h2>{title}</h2>");
        note(chart.note.as_deref(), &mut body);
        plot::draw(chart, &mut body);
        body.push_str("</section>\n");
    }
    for (at, table) in bench.tables.iter().enumerate() {
        let title = escaped(&table.title);
        let _ = writeln!(body, "<section class=\"wide\" id=\"table-{at}\">\n<h2>{title}</h2>");
        note(table.note.as_deref(), &mut body);
        draw_table(table, &mut body);
        body.push_str("</section>\n");
    }
    body.push_str("</main>\n");
    if let Some(Carried { lines, .. }) = carried {
        let _ = writeln!(
            body,
            "<p class=\"intro\">This page carries the profile of its run: give the file to <code>calor</code> like a profile.</p>\n\
             <script type=\"application/x-calor\">\n{lines}</script>"
        );
    }
    let page = frame("Calor bench", &bench.title, "pages/charts.js", &STYLES, &body);
    match carried {
        Some(_) => {
            page.replacen("<!doctype html>\n", &format!("<!doctype html>\n{}\n", embedded::ANNOUNCEMENT), 1)
        }
        None => page,
    }
}

fn note(note: Option<&str>, body: &mut String) {
    if let Some(note) = note {
        let _ = writeln!(body, "<p class=\"intro\">{}</p>", with_code(note));
    }
}

fn advice(bench: &Bench, body: &mut String) {
    if bench.advice.is_empty() {
        return;
    }
    body.push_str("<section class=\"wide advice\" id=\"advice\">\n<h2>Advice</h2>\n<ul>\n");
    for advice in &bench.advice {
        let _ = write!(body, "<li><b>{}</b> {}", with_code(&advice.sentence()), with_code(&advice.text));
        if !advice.evidence.is_empty() {
            body.push_str("<ul>");
            for line in &advice.evidence {
                let _ = write!(body, "<li>{}</li>", with_code(line));
            }
            body.push_str("</ul>");
        }
        body.push_str("</li>\n");
    }
    body.push_str("</ul>\n</section>\n");
}

fn draw_table(table: &Table, body: &mut String) {
    let few = if table.columns.len() <= 4 { " few" } else { "" };
    let _ = write!(body, "<div class=\"scroll\">\n<table class=\"sortable{few}\">\n<thead><tr>");
    for (at, column) in table.columns.iter().enumerate() {
        let class = match (at, column.is_number) {
            (0, _) => " class=\"name\"",
            (_, true) => "",
            (_, false) => " class=\"words\"",
        };
        let _ = write!(body, "<th scope=\"col\"{class}><button>{}</button></th>", escaped(&column.name));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        body.push_str("<tr>");
        for (at, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
            let text = escaped(cell);
            let _ = match (at, column.is_number) {
                (0, _) => write!(body, "<th scope=\"row\" class=\"name\"><span><b>{text}</b></span></th>"),
                (_, true) => write!(body, "<td{}>{text}</td>", key(cell)),
                (_, false) => write!(body, "<td class=\"words\">{text}</td>"),
            };
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody>\n</table>\n</div>\n");
}

/// What a cell is sorted by: the number that it begins with.
fn key(cell: &str) -> String {
    let number: String = cell
        .chars()
        .filter(|letter| *letter != ',')
        .take_while(|c| c.is_ascii_digit() || ".-".contains(*c))
        .collect();
    match number.parse::<f64>() {
        Ok(number) => format!(" data-key=\"{number}\""),
        Err(_) => " class=\"none\"".to_owned(),
    }
}
