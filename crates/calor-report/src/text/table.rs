//! Tables and trees in columns: numbers first and aligned to the right, the name last, where it has all the
//! room that is left. When room is short, columns move together and names are cut to what tells rows apart; when that is
//! not enough, the columns that matter least are left out, and a line says so.

use std::borrow::Cow;
use std::fmt::Write;

use super::palette::Palette;
use super::path::Label;
use super::printable::{cut_back, printable, width};
use crate::document::{Cell, Column, Row, Table, Tone};

/// A name that needs it is given three tenths of the line, within these bounds, before columns move together.
const NAME_COLUMNS: (usize, usize) = (24, 40);
/// What tells rows apart is given up to so many hundredths of the line.
const TELLING_PERCENT: usize = 55;
/// And at least so many, shortened, before a column has to go: rows that look the same say nothing.
const LEAST_TELLING_PERCENT: usize = 45;
/// A name is given a fifth of the line, within these bounds, before a column has to go.
const LEAST_NAME_COLUMNS: (usize, usize) = (24, 32);
/// No terminal is wider: where more would be needed, none is named.
const WIDEST: usize = 300;
/// Blanks before the first column.
const INDENT: usize = 2;

pub(crate) fn draw(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let telling = table.telling_callers();
    let labels = || table.rows.iter().zip(&telling).map(|(row, telling)| Label::new(&row.name, telling));
    let most = |room: &dyn Fn(&Label<'_>, &Row) -> usize| {
        labels().zip(&table.rows).map(|(label, row)| room(&label, row)).max().unwrap_or(0)
    };
    let whole = most(&|label, row| label.whole_width() + kept_width(row));
    let apart = most(&|label, row| label.telling_width() + kept_width(row));
    let wanted = usual_room(whole, columns).max(apart.min(columns * TELLING_PERCENT / 100));
    // A line that is part of what the row is has to have its room beside the function.
    let needed = most(&|label, row| match kept_width(row) {
        0 => label.least_telling_width(),
        place => label.least_telling_width().max(label.leaf_width()) + place,
    });
    let least = least_room(whole, columns).max(needed.min(columns * LEAST_TELLING_PERCENT / 100));
    let shown = Shown::new(table, columns, wanted, least);
    shown.head(table, palette, page);
    for (row, label) in table.rows.iter().zip(labels()) {
        let kept = kept_place(row, shown.name_room);
        let name_room = shown.name_room - kept.as_deref().map_or(0, width);
        let name = match row.tone == Tone::Quiet {
            true => palette.quiet(&label.draw(name_room, Palette { is_coloured: false })),
            false => label.draw(name_room, palette),
        };
        let place = kept.or_else(|| place_beside(row, &label, shown.name_room));
        let place = place.map(|place| palette.quiet(&place)).unwrap_or_default();
        let cells = match row.tone {
            Tone::Plain => shown.cells(table, row, palette),
            tone => palette.tone(tone, &shown.cells(table, row, Palette { is_coloured: false })),
        };
        let _ = writeln!(page, "{cells}{name}{place}");
    }
    let needs = |columns| least_room(whole, columns).max(needed.min(columns * LEAST_TELLING_PERCENT / 100));
    shown.left_out(table, columns, needs, palette, page);
}

pub(crate) fn draw_tree(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let longest = table.rows.iter().map(|row| width(&row.name.leaf) + 2 * row.depth).max().unwrap_or(0);
    let shown = Shown::new(table, columns, usual_room(longest, columns), least_room(longest, columns));
    shown.head(table, palette, page);
    // A deep tree is indented less, so that names keep half of their room.
    let deepest = table.rows.iter().map(|row| row.depth).max().unwrap_or(0).max(1);
    let step = (shown.name_room / 2 / deepest).clamp(0, 2);
    for row in &table.rows {
        let indent = (row.depth * step).min(shown.name_room / 2);
        let room = shown.name_room.saturating_sub(indent);
        let leaf = cut_back(&printable(&row.name.leaf), room);
        let left = room.saturating_sub(width(&leaf) + 2);
        let hidden = row.hidden.as_ref().filter(|hidden| width(hidden) + 2 <= left);
        let hidden = hidden.map(|hidden| palette.quiet(&format!("  ({hidden})"))).unwrap_or_default();
        let _ = writeln!(
            page,
            "{}{}{}{hidden}",
            shown.cells(table, row, palette),
            " ".repeat(indent),
            palette.strong(&leaf)
        );
    }
    shown.left_out(table, columns, |columns| least_room(longest, columns), palette, page);
}

/// What a line that is part of a row takes, beside the name.
fn kept_width(row: &Row) -> usize {
    kept_place(row, usize::MAX).as_deref().map_or(0, width)
}

/// Where a row's function is in the source, if that is part of what the row is; in half of the room at most, or what its name
/// leaves, and there the file is shortened and the line is not.
fn kept_place(row: &Row, room: usize) -> Option<String> {
    let left = (room / 2).max(room.saturating_sub(width(&row.name.leaf)));
    let mark = row.mark.map(|mark| format!("  ← {mark}")).unwrap_or_default();
    let left = left.saturating_sub(2 + width(&mark));
    let place = row.name.place_within(left).filter(|_| row.name.keeps_line);
    let place = place.map(|place| format!("  {place}")).unwrap_or_default() + &mark;
    (!place.is_empty() && width(&place) < room).then_some(place)
}

/// The same of any row, if there is room beside its name.
fn place_beside(row: &Row, label: &Label<'_>, room: usize) -> Option<String> {
    let place = format!("  {}", printable(row.name.place()?));
    let drawn = label.draw(room, Palette { is_coloured: false });
    (width(&drawn) + width(&place) <= room).then_some(place)
}

/// The room that names ask for, of which the longest takes `longest` columns.
fn usual_room(longest: usize, columns: usize) -> usize {
    longest.min((columns * 3 / 10).clamp(NAME_COLUMNS.0, NAME_COLUMNS.1))
}

/// The room that names have to have.
fn least_room(longest: usize, columns: usize) -> usize {
    longest.min((columns / 5).clamp(LEAST_NAME_COLUMNS.0, LEAST_NAME_COLUMNS.1))
}

/// How close columns stand.
#[derive(Clone, Copy, PartialEq)]
enum Spacing {
    /// Two blanks between columns, one before a unit.
    Wide,
    /// Two between columns, none before a unit.
    Close,
    /// One between columns, none before a unit.
    Tight,
}

impl Spacing {
    fn gap(self) -> usize {
        match self {
            Self::Wide | Self::Close => 2,
            Self::Tight => 1,
        }
    }

    fn title(self, column: &Column) -> &'static str {
        match self {
            Self::Wide => column.title,
            Self::Close | Self::Tight => column.short_title,
        }
    }

    fn text(self, cell: &Cell) -> Cow<'_, str> {
        let text = printable(&cell.text);
        let is_number = || cell.key.is_some() && !text.starts_with(char::is_alphabetic);
        match self {
            Self::Wide => text,
            Self::Close | Self::Tight if is_number() => Cow::Owned(text.replace(' ', "")),
            Self::Close | Self::Tight => Cow::Owned(text.replace(" %", "%")),
        }
    }
}

impl Column {
    /// So many blanks before and behind a text.
    fn blanks(&self, blanks: usize) -> (String, String) {
        let blanks = " ".repeat(blanks);
        if self.is_words { (String::new(), blanks) } else { (blanks, String::new()) }
    }
}

/// Which columns are shown, and how wide.
struct Shown {
    spacing: Spacing,
    /// Number of the column and its width.
    columns: Vec<(usize, usize)>,
    name_room: usize,
}

impl Shown {
    /// Moves columns together, then leaves some out, until names have the room they want or at least have to have.
    fn new(table: &Table, columns: usize, wanted: usize, least: usize) -> Self {
        let all = [Spacing::Wide, Spacing::Close, Spacing::Tight].map(|spacing| Self::all(table, spacing));
        let [wanted, least] = [wanted, least].map(|room| room.max(width(table.subject)));
        let mut order: Vec<usize> = (0..table.columns.len()).collect();
        order.sort_by_key(|index| table.columns[*index].dispensable);
        let mut n_kept = order.len();
        let mut shown = loop {
            let [wide, close, tight] = all.each_ref().map(|from| from.only(&order[..n_kept]));
            if wide.taken() + wanted <= columns {
                break wide;
            }
            if close.taken() + wanted <= columns {
                break close;
            }
            let is_needed = order[..n_kept].last().is_none_or(|last| table.columns[*last].dispensable == 0);
            if is_needed || tight.taken() + least <= columns {
                break tight;
            }
            n_kept -= 1;
        };
        // At least a few letters of a name, even if the line then runs over.
        shown.name_room = columns.saturating_sub(shown.taken()).max(8);
        shown
    }

    fn all(table: &Table, spacing: Spacing) -> Self {
        let columns = table.columns.iter().enumerate().map(|(index, column)| {
            let cells = table.rows.iter().map(|row| width(&spacing.text(&row.cells[index])));
            (index, cells.chain([width(spacing.title(column))]).max().unwrap_or(0))
        });
        Self { spacing, columns: columns.collect(), name_room: 0 }
    }

    fn only(&self, kept: &[usize]) -> Self {
        let columns = self.columns.iter().filter(|(index, _)| kept.contains(index)).copied().collect();
        Self { spacing: self.spacing, columns, name_room: 0 }
    }

    /// What a line takes before the name.
    fn taken(&self) -> usize {
        INDENT + self.columns.iter().map(|(_, width)| width + self.spacing.gap()).sum::<usize>()
    }

    fn head(&self, table: &Table, palette: Palette, page: &mut String) {
        let mut line = " ".repeat(INDENT);
        for (index, room) in &self.columns {
            let column = &table.columns[*index];
            let title = self.spacing.title(column);
            let (before, behind) = column.blanks(room - width(title));
            let _ = write!(line, "{before}{title}{behind}{}", self.gap());
        }
        line.push_str(table.subject);
        let _ = writeln!(page, "{}", palette.quiet(&line));
    }

    fn cells(&self, table: &Table, row: &Row, palette: Palette) -> String {
        let mut line = " ".repeat(INDENT);
        for (index, room) in &self.columns {
            let cell: &Cell = &row.cells[*index];
            let text = self.spacing.text(cell);
            let (before, behind) = table.columns[*index].blanks(room - width(&text));
            line.push_str(&before);
            match cell.share {
                Some(share) => line.push_str(&palette.heat(share, &text)),
                None => line.push_str(&text),
            }
            line.push_str(&behind);
            line.push_str(self.gap());
        }
        line
    }

    fn gap(&self) -> &'static str {
        &"  "[..self.spacing.gap()]
    }

    /// Says what is not shown; `least` tells the room that names have to have in a line of so many columns.
    fn left_out(
        &self,
        table: &Table,
        columns: usize,
        least: impl Fn(usize) -> usize,
        palette: Palette,
        page: &mut String,
    ) {
        let is_shown = |index: usize| self.columns.iter().any(|(shown, _)| *shown == index);
        let left_out: Vec<&str> = (0..table.columns.len())
            .filter(|index| !is_shown(*index))
            .map(|index| table.columns[index].title)
            .collect();
        if left_out.is_empty() {
            return;
        }
        let all = Self::all(table, Spacing::Tight).taken();
        let fits = |columns: &usize| all + least(*columns).max(width(table.subject)) <= *columns;
        let how = match (columns..=WIDEST).find(fits) {
            Some(wide) => format!("{wide} columns show all, as do the formats md and json"),
            None => "the formats md and json show all".to_owned(),
        };
        let note = format!("no room for {}: {how}", left_out.join(", "));
        for line in crate::wrapped(&note, columns - INDENT) {
            let _ = writeln!(page, "  {}", palette.quiet(&line));
        }
    }
}
