//! The call tree as branches that open and close, with their numbers in columns.

use std::fmt::Write;

use super::escape::escaped;
use super::{bar, hint};
use crate::document::{Row, Table};

/// Branches with at least this share of the whole are open at first.
const OPEN_SHARE: f64 = 0.02;

pub(super) fn draw(table: &Table, page: &mut String) {
    page.push_str("<p class=\"tools\"><button data-open=\"all\">Open all</button> <button data-open=\"none\">Close all</button></p>\n");
    page.push_str("<div class=\"scroll\"><div class=\"branches\">\n<div class=\"line head\">");
    for column in &table.columns {
        let _ = write!(
            page,
            "<span class=\"num\" title=\"{}\">{}</span>",
            escaped(column.meaning),
            escaped(column.title)
        );
    }
    let _ = writeln!(page, "<span class=\"name\">{}</span></div>", escaped(table.subject));
    let mut n_open = 0;
    for (index, row) in table.rows.iter().enumerate() {
        // Rows come in the order of the tree: a row that is not deeper ends the branches before it.
        while n_open > row.depth {
            page.push_str("</details>\n");
            n_open -= 1;
        }
        let has_children = table.rows.get(index + 1).is_some_and(|next| next.depth > row.depth);
        if has_children {
            let share = row.cells.iter().find_map(|cell| cell.share).unwrap_or(0.0);
            let _ = write!(
                page,
                "<details{}><summary class=\"line\">",
                if share >= OPEN_SHARE { " open" } else { "" }
            );
            draw_line(row, page);
            page.push_str("</summary>\n");
            n_open += 1;
        } else {
            page.push_str("<div class=\"line\">");
            draw_line(row, page);
            page.push_str("</div>\n");
        }
    }
    page.push_str(&"</details>\n".repeat(n_open));
    page.push_str("</div></div>\n");
}

fn draw_line(row: &Row, page: &mut String) {
    for cell in &row.cells {
        let bar = bar(cell).replace("class=\"bar\"", "class=\"num bar\"");
        let class = if bar.is_empty() { " class=\"num\"" } else { bar.as_str() };
        let _ = write!(page, "<span{class}>{}</span>", escaped(&cell.text));
    }
    let hidden = row
        .hidden
        .as_ref()
        .map(|hidden| format!(" <small>({})</small>", escaped(hidden)))
        .unwrap_or_default();
    let _ = write!(
        page,
        "<span class=\"name\" style=\"--depth:{}\"{}><b>{}</b>{hidden}</span>",
        row.depth,
        if row.name.location.is_some() || row.name.whole.is_some() { hint(&row.name) } else { String::new() },
        escaped(&row.name.leaf)
    );
}
