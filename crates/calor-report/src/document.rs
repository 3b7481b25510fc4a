//! A report as a document without a look: sections of facts, tables, trees and lines. Sections are written
//! against these types; text, Markdown and HTML draw them.

use calor_analysis::findings::Finding;
use calor_analysis::telling_callers;

use crate::text::printable::{cut_front, printable, width};

/// One section.
pub(crate) struct Section {
    /// A short word that stays the same: the anchor of the HTML page.
    pub(crate) id: &'static str,
    pub(crate) title: String,
    /// What the reader has to know to read the body.
    pub(crate) intro: Option<String>,
    pub(crate) body: Body,
}

/// What a section holds.
pub(crate) enum Body {
    /// Names and values.
    Facts(Vec<(String, String)>),
    Table(Table),
    Tree(Table),
    Lines(Vec<String>),
    Chart(Chart),
    Waterfall(Waterfall),
    Findings(Told),
}

/// Findings, in lines of words and as they are.
pub(crate) struct Told {
    pub(crate) lines: Vec<String>,
    pub(crate) found: Vec<Finding>,
}

/// How one total becomes another: bars that stand where the one before them ended.
pub(crate) struct Waterfall {
    /// What stands at the left and the right edge.
    pub(crate) edges: [f64; 2],
    pub(crate) bars: Vec<Bar>,
}

/// One step, or a total.
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Its value, in words.
    pub(crate) text: String,
    /// Where it begins and ends, by the scale of the edges.
    pub(crate) span: [f64; 2],
    pub(crate) tone: Tone,
}

impl Waterfall {
    /// Where a bar begins and ends, as parts of the whole width.
    pub(crate) fn shares(&self, bar: &Bar) -> [f64; 2] {
        let [left, right] = self.edges;
        let width = if right > left { right - left } else { 1.0 };
        let [one, other] = bar.span.map(|value| ((value - left) / width).clamp(0.0, 1.0));
        [one.min(other), one.max(other)]
    }
}

/// What a row is to its reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// It decides nothing.
    Quiet,
    Worse,
    Better,
}

/// Values over time, drawn over each other by one scale.
pub(crate) struct Chart {
    /// What lies behind the others first.
    pub(crate) series: Vec<Series>,
}

/// Sizes over time.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// Whether the room below it is filled.
    pub(crate) is_filled: bool,
    /// Whether its values are estimates.
    pub(crate) is_estimated: bool,
    /// Nanoseconds and bytes, in order of time.
    pub(crate) points: Vec<(u64, u64)>,
}

impl Chart {
    /// The first and the last moment.
    pub(crate) fn span(&self) -> (u64, u64) {
        let times = || self.series.iter().flat_map(|series| &series.points).map(|(at, _)| *at);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// The largest value.
    pub(crate) fn most(&self) -> u64 {
        self.series.iter().flat_map(|series| &series.points).map(|(_, bytes)| *bytes).max().unwrap_or(0)
    }
}

/// Rows of cells; a row is about the thing it names. In a tree, rows stand under their parents by depth.
pub(crate) struct Table {
    /// What the rows are, such as `scope`.
    pub(crate) subject: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// One column of numbers, or of words.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// The title where room is short.
    pub(crate) short_title: &'static str,
    /// What the number is, in a sentence.
    pub(crate) meaning: &'static str,
    /// 0 is always shown; in a narrow terminal those with the largest number go first.
    pub(crate) dispensable: u8,
    /// Whether it holds words, which are read from the left.
    pub(crate) is_words: bool,
}

pub(crate) struct Row {
    pub(crate) name: Name,
    /// How deep in a tree; 0 in a table.
    pub(crate) depth: usize,
    pub(crate) cells: Vec<Cell>,
    /// What is not shown below this row of a tree.
    pub(crate) hidden: Option<String>,
    pub(crate) tone: Tone,
    /// A word that stands behind the name and says why the row matters.
    pub(crate) mark: Option<&'static str>,
}

/// What a row is about: a name, the callers that led to it and where it is in the source.
#[derive(Default)]
pub(crate) struct Name {
    /// Outermost first.
    pub(crate) callers: Vec<String>,
    pub(crate) leaf: String,
    pub(crate) location: Option<String>,
    /// Whether it is one of the program's functions, and not a scope.
    pub(crate) is_function: bool,
    /// The file, where that is part of what the function is.
    pub(crate) file: Option<String>,
    /// Whether its line is part of what it is: it then stays where room is short, and callers go.
    pub(crate) keeps_line: bool,
    /// How many bytes at the end of the leaf tell it from its namesakes: they stay when it is cut.
    pub(crate) n_telling: usize,
    /// The whole path in one line, where names were shortened or left out.
    pub(crate) whole: Option<String>,
}

/// What stands where there is no value.
const MISSING: &str = "-";

/// One number.
#[derive(Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// What it is sorted by; `None` when there is no value.
    pub(crate) key: Option<f64>,
    /// The share (0 to 1) that may be drawn as a bar.
    pub(crate) share: Option<f64>,
}

impl Section {
    pub(crate) fn new(id: &'static str, title: impl Into<String>, body: Body) -> Self {
        Self { id, title: title.into(), intro: None, body }
    }

    pub(crate) fn with_intro(self, intro: impl Into<String>) -> Self {
        Self { intro: Some(intro.into()), ..self }
    }
}

impl Table {
    /// For each row, which of its callers tell it from the others: where there is no room for whole paths, these stay.
    pub(crate) fn telling_callers(&self) -> Vec<Vec<bool>> {
        let names = self.rows.iter().map(|row| (row.name.callers.as_slice(), row.name.leaf.as_str()));
        telling_callers(&names.collect::<Vec<_>>())
    }

    /// The same without columns in which no row has a value: they would take room from those that say something.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let is_filled =
            |index: usize| self.rows.is_empty() || self.rows.iter().any(|row| !row.cells[index].is_missing());
        let filled: Vec<bool> = (0..self.columns.len()).map(is_filled).collect();
        self.only(&filled);
        self
    }

    /// Leaves out the columns that are not kept.
    pub(crate) fn only(&mut self, is_kept: &[bool]) {
        let mut of_column = is_kept.iter();
        self.columns.retain(|_| *of_column.next().expect("each column was looked at"));
        for row in &mut self.rows {
            let mut of_cell = is_kept.iter();
            row.cells.retain(|_| *of_cell.next().expect("a row has a cell for each column"));
        }
    }
}

impl Column {
    pub(crate) fn new(title: &'static str, dispensable: u8, meaning: &'static str) -> Self {
        Self { title, short_title: title, meaning, dispensable, is_words: false }
    }

    /// A column of words.
    pub(crate) fn words(title: &'static str, dispensable: u8, meaning: &'static str) -> Self {
        Self { is_words: true, ..Self::new(title, dispensable, meaning) }
    }

    /// The same with a title for where room is short.
    pub(crate) fn shortened(self, short_title: &'static str) -> Self {
        Self { short_title, ..self }
    }
}

impl Row {
    pub(crate) fn new(name: Name, cells: Vec<Cell>) -> Self {
        Self { name, depth: 0, cells, hidden: None, tone: Tone::Plain, mark: None }
    }
}

impl Name {
    pub(crate) fn plain(leaf: impl Into<String>) -> Self {
        Self { leaf: leaf.into(), ..Self::default() }
    }

    /// The file's name and the line of a function, where no file stands behind its name already. A scope has the name
    /// that its author chose, and is found by that.
    pub(crate) fn place(&self) -> Option<&str> {
        let location = self.location.as_deref().filter(|_| self.is_function && self.n_telling == 0)?;
        Some(location.rsplit('/').next().unwrap_or(location))
    }

    /// The place in at most `columns`: of its file the end, of its line all.
    pub(crate) fn place_within(&self, columns: usize) -> Option<String> {
        let place = printable(self.place()?);
        let (file, line) = place.rsplit_once(':').map_or((&*place, ""), |(file, line)| (file, line));
        let line = if line.is_empty() { String::new() } else { format!(":{line}") };
        Some(format!("{}{line}", cut_front(file, columns.saturating_sub(width(&line)))))
    }

    /// The whole path in one line.
    pub(crate) fn path(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let parts = self.callers.iter().chain(std::iter::once(&self.leaf));
        parts.map(String::as_str).collect::<Vec<_>>().join(" › ")
    }
}

impl Cell {
    /// A value with its text and what it is sorted by.
    pub(crate) fn new(text: impl Into<String>, key: f64) -> Self {
        Self { text: text.into(), key: Some(key), share: None }
    }

    /// A value that may not be there: then a dash, never a zero.
    pub(crate) fn of<T: Copy>(value: Option<T>, text: impl Fn(T) -> String, key: impl Fn(T) -> f64) -> Self {
        match value {
            Some(value) => Self::new(text(value), key(value)),
            None => Self::missing(),
        }
    }

    /// Words instead of a number.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// No value.
    pub(crate) fn missing() -> Self {
        Self::words(MISSING)
    }

    /// Whether there is no value.
    pub(crate) fn is_missing(&self) -> bool {
        self.key.is_none() && self.text == MISSING
    }

    pub(crate) fn share(share: Option<f64>) -> Self {
        Self { share, ..Self::of(share, calor_analysis::quantity::percent, |share| share) }
    }

    pub(crate) fn duration(nanos: Option<f64>) -> Self {
        Self::of(nanos, calor_analysis::quantity::duration, |nanos| nanos)
    }

    pub(crate) fn count(count: Option<u64>) -> Self {
        Self::of(count, calor_analysis::quantity::count, |count| count as f64)
    }

    pub(crate) fn bytes(bytes: Option<u64>) -> Self {
        Self::of(bytes, calor_analysis::quantity::bytes, |bytes| bytes as f64)
    }

    /// The same, marked as an estimate.
    pub(crate) fn estimated(mut self, is_estimated: bool) -> Self {
        if is_estimated && self.key.is_some() {
            self.text.insert(0, '~');
        }
        self
    }
}
