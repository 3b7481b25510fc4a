//! Tables and trees in columns: numbers first and aligned to the right, the name last, where it has all the
//! room that is left. When that is not enough to tell rows apart, the columns that matter least are left out, and a
//! line says so.

use std::fmt::Write;

use super::palette::Palette;
use super::path::Label;
use super::printable::{cut_back, printable, width};
use crate::distinction::telling_callers;
use crate::document::{Cell, Row, Table};

/// A name that needs it is given three tenths of the line, within these bounds, before a column has to go.
const NAME_COLUMNS: (usize, usize) = (24, 40);
/// What tells rows apart is given up to so many hundredths of the line.
const TELLING_PERCENT: usize = 55;
/// Blanks between columns.
const GAP: usize = 2;

pub(crate) fn draw(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let telling = telling_callers(&table.rows);
    let labels = || table.rows.iter().zip(&telling).map(|(row, telling)| Label::new(&row.name, telling));
    let whole = labels().map(|label| label.whole_width()).max().unwrap_or(0);
    let apart = labels().map(|label| label.telling_width()).max().unwrap_or(0);
    let wanted = usual_room(whole, columns).max(apart.min(columns * TELLING_PERCENT / 100));
    let shown = Shown::new(table, columns, wanted);
    shown.head(table, palette, page);
    for (row, label) in table.rows.iter().zip(labels()) {
        let name = label.draw(shown.name_room, palette);
        let _ = writeln!(page, "{}{name}", shown.cells(row, palette));
    }
    shown.left_out(table, columns, palette, page);
}

pub(crate) fn draw_tree(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let longest = table.rows.iter().map(|row| width(&row.name.leaf) + 2 * row.depth).max().unwrap_or(0);
    let shown = Shown::new(table, columns, usual_room(longest, columns));
    shown.head(table, palette, page);
    // A deep tree is indented less, so that names keep half of their room.
    let deepest = table.rows.iter().map(|row| row.depth).max().unwrap_or(0).max(1);
    let step = (shown.name_room / 2 / deepest).clamp(0, 2);
    for row in &table.rows {
        let indent = (row.depth * step).min(shown.name_room / 2);
        let room = shown.name_room.saturating_sub(indent);
        let leaf = cut_back(&printable(&row.name.leaf), room);
        let left = room.saturating_sub(width(&leaf) + GAP);
        let hidden = row.hidden.as_ref().filter(|hidden| width(hidden) + 2 <= left);
        let hidden = hidden.map(|hidden| palette.quiet(&format!("  ({hidden})"))).unwrap_or_default();
        let _ = writeln!(
            page,
            "{}{}{}{hidden}",
            shown.cells(row, palette),
            " ".repeat(indent),
            palette.strong(&leaf)
        );
    }
    shown.left_out(table, columns, palette, page);
}

/// The room that names ask for, of which the longest takes `longest` columns.
fn usual_room(longest: usize, columns: usize) -> usize {
    longest.min((columns * 3 / 10).clamp(NAME_COLUMNS.0, NAME_COLUMNS.1))
}

/// Which columns are shown, and how wide.
struct Shown {
    /// Number of the column and its width.
    columns: Vec<(usize, usize)>,
    name_room: usize,
}

impl Shown {
    /// Leaves out columns until names have the room they want.
    fn new(table: &Table, columns: usize, wanted: usize) -> Self {
        let mut shown: Vec<(usize, usize)> = (0..table.columns.len())
            .map(|index| {
                let cells = table.rows.iter().map(|row| width(&printable(&row.cells[index].text)));
                (index, cells.chain([width(table.columns[index].title)]).max().unwrap_or(0))
            })
            .collect();
        let wanted = wanted.max(width(table.subject));
        let taken =
            |shown: &[(usize, usize)]| GAP + shown.iter().map(|(_, width)| width + GAP).sum::<usize>();
        while taken(&shown) + wanted > columns {
            let last =
                shown.iter().enumerate().max_by_key(|(_, (index, _))| table.columns[*index].dispensable);
            match last {
                Some((at, (index, _))) if table.columns[*index].dispensable > 0 => shown.remove(at),
                _ => break,
            };
        }
        // At least a few letters of a name, even if the line then runs over.
        let name_room = columns.saturating_sub(taken(&shown)).max(8);
        Self { columns: shown, name_room }
    }

    fn head(&self, table: &Table, palette: Palette, page: &mut String) {
        let mut line = " ".repeat(GAP);
        for (index, room) in &self.columns {
            let title = table.columns[*index].title;
            let _ = write!(line, "{}{title}{}", " ".repeat(room - width(title)), " ".repeat(GAP));
        }
        line.push_str(table.subject);
        let _ = writeln!(page, "{}", palette.quiet(&line));
    }

    fn cells(&self, row: &Row, palette: Palette) -> String {
        let mut line = " ".repeat(GAP);
        for (index, room) in &self.columns {
            let cell: &Cell = &row.cells[*index];
            let text = printable(&cell.text);
            line.push_str(&" ".repeat(room - width(&text)));
            match cell.share {
                Some(share) => line.push_str(&palette.heat(share, &text)),
                None => line.push_str(&text),
            }
            line.push_str(&" ".repeat(GAP));
        }
        line
    }

    fn left_out(&self, table: &Table, columns: usize, palette: Palette, page: &mut String) {
        let is_shown = |index: usize| self.columns.iter().any(|(shown, _)| *shown == index);
        let left_out: Vec<&str> = (0..table.columns.len())
            .filter(|index| !is_shown(*index))
            .map(|index| table.columns[index].title)
            .collect();
        if left_out.is_empty() {
            return;
        }
        let note = format!("no room for {}: use a wider terminal or another format", left_out.join(", "));
        for line in super::wrapped(&note, columns - GAP) {
            let _ = writeln!(page, "  {}", palette.quiet(&line));
        }
    }
}
