//! A table of a run in letters. Where it is too wide, heads are broken in two and signs of per cent move to their numbers;
//! where that is not enough, the columns that matter least are left out, and a line says so; words are cut last.

use std::fmt::Write;

use super::{Column, Table};
use crate::text::palette::Palette;
use crate::text::printable::{cut_back, printable, width};
use crate::wrap::wrapped;

/// A column of words may be cut to this.
const LEAST_WORDS: usize = 10;
/// Blanks before a line, and between columns.
const INDENT: usize = 2;
const GAP: usize = 2;

/// Draws a table in at most so many columns of letters.
pub(super) fn draw(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let grid = Grid::new(table, columns);
    for head in &grid.heads {
        let _ = writeln!(page, "{}", palette.quiet(&grid.line(table, head)));
    }
    for row in &grid.rows {
        let _ = writeln!(page, "{}", grid.line(table, row));
    }
    for line in grid.left_out(table, columns) {
        let _ = writeln!(page, "  {}", palette.quiet(&line));
    }
}

/// How a table takes less room, step by step.
#[derive(Clone, Copy)]
enum Spacing {
    Wide,
    /// Heads are in two lines.
    Broken,
    /// And there is no blank before a sign of per cent.
    Close,
}

/// What is shown of a table.
struct Grid {
    /// Numbers of the columns.
    kept: Vec<usize>,
    heads: Vec<Vec<String>>,
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Grid {
    fn new(table: &Table, columns: usize) -> Self {
        let mut order: Vec<usize> = (0..table.columns.len()).collect();
        order.sort_by_key(|at| table.columns[*at].dispensable);
        loop {
            let mut kept = order.clone();
            kept.sort_unstable();
            let fitting = [Spacing::Wide, Spacing::Broken, Spacing::Close]
                .map(|spacing| Self::of(table, kept.clone(), spacing))
                .into_iter()
                .find(|grid| grid.taken() <= columns);
            if let Some(grid) = fitting {
                return grid;
            }
            match order.pop() {
                Some(last) if table.columns[last].dispensable > 0 => {}
                _ => return Self::of(table, kept, Spacing::Close).cut(table, columns),
            }
        }
    }

    fn of(table: &Table, kept: Vec<usize>, spacing: Spacing) -> Self {
        let text = |cell: &String| match spacing {
            Spacing::Close => printable(cell).replace(" %", "%"),
            Spacing::Wide | Spacing::Broken => printable(cell).into_owned(),
        };
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| kept.iter().map(|at| row.get(*at).map(text).unwrap_or_default()).collect())
            .collect();
        let names = || kept.iter().map(|at| &*table.columns[*at].name);
        let heads = match spacing {
            Spacing::Wide => vec![names().map(str::to_owned).collect()],
            Spacing::Broken | Spacing::Close => {
                let (above, below): (Vec<String>, Vec<String>) = names().map(in_two).unzip();
                if above.iter().all(String::is_empty) { vec![below] } else { vec![above, below] }
            }
        };
        let cells = |at: usize| heads.iter().chain(&rows).map(move |row: &Vec<String>| width(&row[at]));
        let widths = (0..kept.len()).map(|at| cells(at).max().unwrap_or(0)).collect();
        Self { kept, heads, rows, widths }
    }

    fn taken(&self) -> usize {
        INDENT + self.widths.iter().map(|room| room + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// The widest column of words gives way; numbers are never cut.
    fn cut(mut self, table: &Table, columns: usize) -> Self {
        while self.taken() > columns {
            let words = (0..self.kept.len())
                .filter(|at| !table.columns[self.kept[*at]].is_number && self.widths[*at] > LEAST_WORDS);
            let Some(widest) = words.max_by_key(|at| self.widths[*at]) else { break };
            self.widths[widest] -= 1;
        }
        self
    }

    fn line(&self, table: &Table, row: &[String]) -> String {
        let cells = self
            .kept
            .iter()
            .zip(&self.widths)
            .zip(row)
            .map(|((at, room), cell)| laid(&table.columns[*at], *room, cell));
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        format!("{}{line}", " ".repeat(INDENT)).trim_end().to_owned()
    }

    /// Says what is not shown, and where it is.
    fn left_out(&self, table: &Table, columns: usize) -> Vec<String> {
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let names: Vec<&str> =
            all.iter().filter(|at| !self.kept.contains(at)).map(|at| &*table.columns[*at].name).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let wide = Self::of(table, all, Spacing::Close).taken();
        let note = format!(
            "no room for {}: {wide} columns show all, as do the formats md and html",
            names.join("; ")
        );
        wrapped(&note, columns.saturating_sub(INDENT))
    }
}

fn laid(column: &Column, room: usize, cell: &str) -> String {
    let cell = cut_back(cell, room);
    let blank = " ".repeat(room.saturating_sub(width(&cell)));
    if column.is_number { format!("{blank}{cell}") } else { format!("{cell}{blank}") }
}

/// A name where it is broken with the least width; one word is below.
fn in_two(name: &str) -> (String, String) {
    let parts = name.match_indices(' ').map(|(at, _)| (&name[..at], &name[at + 1..]));
    match parts.min_by_key(|(above, below)| width(above).max(width(below))) {
        Some((above, below)) => (above.to_owned(), below.to_owned()),
        None => (String::new(), name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(columns: usize) -> String {
        let heads = [
            Column::text("kernel"),
            Column::text("vectors").dispensable(2),
            Column::number("of main memory"),
            Column::number("spread").dispensable(1),
        ];
        let mut table = Table::new("x", heads);
        table
            .rows
            .push(["a long name of a kernel", "avx2+fma", "104.3 (100 %)", "1.2 %"].map(String::from).into());
        let mut page = String::new();
        draw(&table, columns, Palette { is_coloured: false }, &mut page);
        assert!(page.lines().all(|line| width(line) <= columns), "{page}");
        page
    }

    #[test]
    fn a_table_gives_way_by_heads_then_units_then_columns_and_last_by_words() {
        let check = |columns: usize, expect: &str| assert_eq!(drawn(columns), expect, "{columns}");
        let wide = "  kernel                   vectors   of main memory  spread\n  a long name of a kernel  avx2+fma   104.3 (100 %)   1.2 %\n";
        check(80, wide);
        check(59, wide);
        check(
            58,
            "                                           of main\n  kernel                   vectors          memory  spread\n  a long name of a kernel  avx2+fma  104.3 (100 %)   1.2 %\n",
        );
        check(
            57,
            "                                          of main\n  kernel                   vectors         memory  spread\n  a long name of a kernel  avx2+fma  104.3 (100%)    1.2%\n",
        );
        let narrow = drawn(48);
        assert!(!narrow.contains("avx2") && narrow.contains("1.2 %"), "{narrow}");
        assert!(narrow.contains("no room for vectors: 57 columns show all"), "{narrow}");
        let narrower = drawn(40);
        assert!(narrower.contains("no room for vectors; spread: 57"), "{narrower}");
        assert!(narrower.contains("104.3 (100 %)"), "{narrower}");
        assert!(drawn(30).contains("104.3 (100%)"));
    }
}
