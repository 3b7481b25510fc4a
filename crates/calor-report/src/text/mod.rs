//! The report for a terminal: headings, aligned numbers, names that may be cut; no boxes. Every line fits the
//! width, as far as words can be broken.

mod chart;
pub(crate) mod palette;
mod path;
pub(crate) mod printable;
mod table;
mod waterfall;

use std::fmt::Write;

use crate::document::{Body, Name, Section, Told};
use crate::report::Report;
use crate::wrap::wrapped;
use crate::{Remarks, section};
use palette::Palette;
use printable::{printable, width};

/// Lines of the call hierarchy.
const TREE_ROWS: usize = 40;
/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 40;

pub(crate) fn page(report: &Report<'_>) -> String {
    let palette = Palette { is_coloured: report.options.color };
    let columns = report.options.width;
    let tree_rows = report.options.top.unwrap_or(TREE_ROWS);
    let page = sections(&section::all(report, tree_rows), columns, palette);
    page + &report.options.remarks.as_ref().map(Remarks::text).unwrap_or_default()
}

/// Sections under each other.
pub(crate) fn sections(sections: &[Section], columns: usize, palette: Palette) -> String {
    let columns = columns.max(NARROWEST);
    let mut page = String::new();
    for (index, section) in sections.iter().enumerate() {
        if index > 0 {
            page.push('\n');
        }
        draw(section, columns, palette, &mut page);
    }
    page
}

fn draw(section: &Section, columns: usize, palette: Palette, page: &mut String) {
    let _ = writeln!(page, "{}", palette.heading(&section.title));
    if let Some(intro) = &section.intro {
        for line in wrapped(intro, columns - 2) {
            let _ = writeln!(page, "  {}", palette.quiet(&line));
        }
    }
    match &section.body {
        Body::Facts(facts) => {
            let name_width = facts.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
            for (name, value) in facts {
                let indent = name_width + 4;
                let value = printable(value);
                for (index, line) in wrapped(&value, columns.saturating_sub(indent)).iter().enumerate() {
                    let name = if index == 0 { name.as_str() } else { "" };
                    let blank = " ".repeat(name_width - width(name));
                    let _ = writeln!(page, "  {}{blank}  {line}", palette.quiet(name));
                }
            }
        }
        Body::Lines(lines) | Body::Findings(Told { lines, .. }) => {
            for line in lines {
                let line = printable(line);
                for (index, line) in wrapped(&line, columns - 4).iter().enumerate() {
                    let _ = writeln!(page, "{}{line}", if index == 0 { "  - " } else { "    " });
                }
            }
        }
        Body::Table(table) => table::draw(table, columns, palette, page),
        Body::Tree(table) => table::draw_tree(table, columns, palette, page),
        Body::Chart(chart) => chart::draw(chart, columns, palette, page),
        Body::Waterfall(waterfall) => waterfall::draw(waterfall, columns, palette, page),
    }
}

/// A tree alone and without colour, for formats that show it as it is.
pub(crate) fn plain_tree(tree: &crate::document::Table, columns: usize) -> String {
    let mut text = String::new();
    table::draw_tree(tree, columns, Palette { is_coloured: false }, &mut text);
    text
}

/// A chart alone and without colour.
pub(crate) fn plain_chart(chart: &crate::document::Chart, columns: usize) -> String {
    let mut text = String::new();
    chart::draw(chart, columns, Palette { is_coloured: false }, &mut text);
    text
}

/// A waterfall alone and without colour.
pub(crate) fn plain_waterfall(waterfall: &crate::document::Waterfall, columns: usize) -> String {
    let mut text = String::new();
    waterfall::draw(waterfall, columns, Palette { is_coloured: false }, &mut text);
    text
}

/// A call path in at most `columns`, with the callers that tell it from other rows as long as there is room.
pub(crate) fn path_within(name: &Name, telling: &[bool], columns: usize) -> String {
    path::Label::new(name, telling).draw(columns, Palette { is_coloured: false })
}
