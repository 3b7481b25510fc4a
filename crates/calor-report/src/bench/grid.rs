//! A table of a run in letters. Where it is too wide, heads are broken in two and signs of per cent move to their numbers;
//! where that is not enough, the columns that matter least are left out, then what stands in brackets behind numbers, and a line says
//! so; words are put below each other last.

use std::fmt::Write;

use super::{Column, Table};
use crate::text::palette::Palette;
use crate::text::printable::{cut_back, printable, width};
use crate::wrap::wrapped;

/// A column of words may be narrowed to this.
const LEAST_WORDS: usize = 10;
/// Blanks before words that stand below others of their cell.
const HANG: usize = 1;
/// Blanks before a line, and between columns.
const INDENT: usize = 2;
const GAP: usize = 2;

/// Draws a table in at most so many columns of letters.
pub(super) fn draw(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let grid = Grid::new(table, columns);
    for head in &grid.heads {
        let _ = writeln!(page, "{}", palette.quiet(&grid.line(table, head)));
    }
    for row in grid.rows.iter().flat_map(|row| grid.lines(table, row)) {
        let _ = writeln!(page, "{}", grid.line(table, &row));
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
    /// Whether what stands in brackets behind numbers is left out.
    is_bare: bool,
    heads: Vec<Vec<String>>,
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Grid {
    fn new(table: &Table, columns: usize) -> Self {
        let mut order: Vec<usize> = (0..table.columns.len()).collect();
        order.sort_by_key(|at| table.columns[*at].dispensable);
        let n_needed = order.iter().filter(|at| table.columns[**at].dispensable == 0).count();
        for is_bare in [false, true] {
            // Columns that matter as little as each other go together.
            let is_step = |n: &usize| {
                let ranks = order.get(n.wrapping_sub(1)).zip(order.get(*n));
                ranks.is_none_or(|(a, b)| table.columns[*a].dispensable != table.columns[*b].dispensable)
            };
            for n in (n_needed..=order.len()).rev().filter(is_step) {
                let mut kept = order[..n].to_vec();
                kept.sort_unstable();
                let fitting = [Spacing::Wide, Spacing::Broken, Spacing::Close]
                    .map(|spacing| Self::of(table, kept.clone(), spacing, is_bare))
                    .into_iter()
                    .find(|grid| grid.taken() <= columns);
                if let Some(grid) = fitting {
                    return grid;
                }
            }
        }
        let mut kept = order[..n_needed].to_vec();
        kept.sort_unstable();
        // What is in brackets is shown all the same where narrow words make room for it.
        let whole = Self::of(table, kept.clone(), Spacing::Close, false).narrowed(table, columns);
        if whole.taken() <= columns {
            return whole;
        }
        Self::of(table, kept, Spacing::Close, true).narrowed(table, columns)
    }

    fn of(table: &Table, kept: Vec<usize>, spacing: Spacing, is_bare: bool) -> Self {
        let text = |at: usize, cell: &String| {
            let cell = match is_bare && table.columns[at].is_number {
                true => without_brackets(cell),
                false => cell,
            };
            match spacing {
                Spacing::Close => printable(cell).replace(" %", "%"),
                Spacing::Wide | Spacing::Broken => printable(cell).into_owned(),
            }
        };
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| {
                kept.iter().map(|at| row.get(*at).map(|cell| text(*at, cell)).unwrap_or_default()).collect()
            })
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
        Self { kept, is_bare, heads, rows, widths }
    }

    fn taken(&self) -> usize {
        INDENT + self.widths.iter().map(|room| room + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// The widest column of words gives way; numbers are never cut.
    fn narrowed(mut self, table: &Table, columns: usize) -> Self {
        while self.taken() > columns {
            let words = (0..self.kept.len())
                .filter(|at| !table.columns[self.kept[*at]].is_number && self.widths[*at] > LEAST_WORDS);
            let Some(widest) = words.max_by_key(|at| self.widths[*at]) else { break };
            self.widths[widest] -= 1;
        }
        self
    }

    /// The lines of a row: words that have no room beside each other are below each other.
    fn lines(&self, table: &Table, row: &[String]) -> Vec<Vec<String>> {
        let cells: Vec<Vec<String>> = self
            .kept
            .iter()
            .zip(&self.widths)
            .zip(row)
            .map(|((at, room), cell)| match table.columns[*at].is_number || width(cell) <= *room {
                true => vec![cell.clone()],
                false => hanging(cell, *room),
            })
            .collect();
        let n_lines = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| cells.iter().map(|cell| cell.get(at).cloned().unwrap_or_default()).collect();
        (0..n_lines).map(line).collect()
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
        let mut names: Vec<&str> =
            all.iter().filter(|at| !self.kept.contains(at)).map(|at| &*table.columns[*at].name).collect();
        let has_brackets = |row: &Vec<String>| {
            let mut numbers = self.kept.iter().filter(|at| table.columns[**at].is_number);
            numbers.any(|at| row.get(*at).is_some_and(|cell| without_brackets(cell) != cell))
        };
        let mut seen = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(*name);
                true
            }
        });
        if self.is_bare && table.rows.iter().any(has_brackets) {
            names.push("what stands in brackets");
        }
        if names.is_empty() {
            return Vec::new();
        }
        let wide = Self::of(table, all, Spacing::Close, false).taken();
        let note = format!(
            "no room for {}: {wide} columns show all, as do the formats md and html",
            names.join("; ")
        );
        wrapped(&note, columns.saturating_sub(INDENT))
    }
}

/// A number without what stands in brackets behind it, such as its range.
fn without_brackets(cell: &str) -> &str {
    cell.strip_suffix(')').and_then(|inside| inside.split_once(" (")).map_or(cell, |(number, _)| number)
}

/// Words below each other, all but the first line a little to the right.
fn hanging(cell: &str, room: usize) -> Vec<String> {
    let mut lines = wrapped(cell, room.saturating_sub(HANG));
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, &" ".repeat(HANG)));
    lines
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
    fn a_table_gives_way_by_heads_then_units_then_columns_then_brackets_and_last_by_words() {
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
        let bare = drawn(37);
        assert!(bare.contains("kernel    104.3\n") && !bare.contains("100 %"), "{bare}");
        assert!(bare.contains("brackets: 57"), "{bare}");
        let below = drawn(30);
        assert!(below.contains("104.3 (100%)") && below.contains("\n   of a kernel\n"), "{below}");
    }

    #[test]
    fn columns_that_matter_as_little_as_each_other_go_together() {
        let pair = |side: &str| [Column::number(side.to_owned()), Column::number("p99").dispensable(1)];
        let mut table = Table::new("x", pair("theirs").into_iter().chain(pair("ours")));
        table.rows.push(["1.00", "2.00 ms", "3.00", "4.00 ms"].map(String::from).into());
        let mut page = String::new();
        draw(&table, 28, Palette { is_coloured: false }, &mut page);
        assert!(page.starts_with("  theirs  ours\n    1.00  3.00\n"), "{page}");
        assert_eq!(page.matches("p99").count(), 1, "{page}");
    }
}
