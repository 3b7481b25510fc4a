//! What a run of one of the built-in workloads has to tell, and its pages: figures with their spread, tables, charts, advice.
//!
//! A workload fills a [`Bench`]; [`render`] writes it as text, Markdown, HTML, JSON (`bench/1`) or CSV. Every figure is also
//! a scope of the run's profile, so nothing here compares two runs: `calor compare` does.

mod csv;
mod figure;
mod grid;
mod html;
mod json;
mod letters;
mod markdown;
pub mod models;
mod plot;
#[cfg(test)]
mod tests;
mod text;

use std::io::Write;

use calor_model::Profile;
pub use calor_model::Warning;
pub use figure::{Figure, Params};

use crate::axis::Scale;
use crate::carried::{Carried, carried};
use crate::{Carry, Error};

/// Letters that the profile in a page may take, as far as the rest of a Markdown page leaves them.
const CARRIED_IN_HTML: usize = 700_000;

/// How a page looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchFormat {
    /// For people in a terminal.
    Text,
    /// For a comment or a wiki.
    Markdown,
    /// For scripts: `bench/1`.
    Json,
    /// For a browser.
    Html,
    /// For spreadsheets: a row for each figure.
    Csv,
}

/// How a run is told.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// How the page looks.
    pub format: BenchFormat,
    /// Columns of text.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// Writes what a run has to tell. Markdown and HTML carry the run's profile out of sight, so that a page that was kept can be
/// read wherever a profile can.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render(
    bench: &Bench,
    profile: Option<&Profile>,
    options: &BenchOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let carried = |most_bytes: usize| carried(profile?, Carry::Fitting, most_bytes);
    match options.format {
        BenchFormat::Json => json::write(bench, out)?,
        BenchFormat::Csv => out.write_all(csv::page(bench).as_bytes())?,
        BenchFormat::Text => out.write_all(text::page(bench, options).as_bytes())?,
        BenchFormat::Markdown => {
            let page = markdown::page(bench);
            let room = crate::markdown::MOST_LETTERS.saturating_sub(page.len() + 500);
            let page = match carried(room) {
                Some(carried) => markdown::with_profile(&page, &carried),
                None => page,
            };
            out.write_all(page.as_bytes())?;
        }
        BenchFormat::Html => {
            out.write_all(html::page(bench, carried(CARRIED_IN_HTML).as_ref()).as_bytes())?;
        }
    }
    Ok(())
}

/// What one run tells.
#[derive(Clone, PartialEq, Debug)]
pub struct Bench {
    /// The workload, as on the command line: `simd`.
    pub name: &'static str,
    /// The heading of the page.
    pub title: String,
    /// The head of the page: what it ran on, and how.
    pub facts: Vec<Fact>,
    /// What was measured.
    pub figures: Vec<Figure>,
    /// The same for people.
    pub tables: Vec<Table>,
    /// And as pictures.
    pub charts: Vec<Chart>,
    /// What follows from it.
    pub advice: Vec<Advice>,
    /// The models that were run, for programs: see [`models`](calor_analysis::workload::models).
    pub models: Vec<calor_analysis::workload::ModelRun>,
    /// What was not measured, or not well.
    pub warnings: Vec<Warning>,
}

/// A line of the head, such as `vector class` and `avx2`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// What was found.
    pub value: String,
}

/// A table for people; its cells are formatted already.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its heading.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<String>>,
    /// What to know when reading it.
    pub note: Option<String>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Whether its cells are numbers, which stand at the right.
    pub is_number: bool,
    /// How soon a narrow terminal may do without it, the highest first; 0 for never.
    pub dispensable: u8,
}

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Its heading.
    pub title: String,
    /// How it is drawn.
    pub kind: ChartKind,
    /// To the right. Of bars, `x` of a point is not drawn: its label names the bar.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn in it.
    pub series: Vec<Series>,
    /// What to know when reading it.
    pub note: Option<String>,
}

/// How a chart is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChartKind {
    /// The points of a series are joined.
    Lines,
    /// They stand alone, but for those of a front.
    Points,
    /// A bar for each, beside its label.
    Bars,
}

/// An axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// What it tells, with the unit: `size`, `GFLOP/s`.
    pub label: String,
    /// Whether each step is a factor.
    pub is_log: bool,
    /// Whether it tells sizes in bytes, whose round values are powers of two.
    pub is_bytes: bool,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The points, in the order of x where they are joined.
    pub points: Vec<Point>,
    /// Whether it is not one of the others: of points the front of the best, drawn as a line above them; of lines a level that they are
    /// held against, drawn as dashes below them.
    pub is_front: bool,
}

/// A point of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// What it is, for whoever points at it.
    pub label: Option<String>,
}

/// What to do, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// In a few words.
    pub title: String,
    /// In a sentence or two.
    pub text: String,
    /// The figures that it follows from.
    pub evidence: Vec<String>,
}

impl Bench {
    /// One that has nothing to tell yet.
    #[must_use]
    pub fn new(name: &'static str, title: impl Into<String>) -> Self {
        Self {
            name,
            title: title.into(),
            facts: Vec::new(),
            figures: Vec::new(),
            tables: Vec::new(),
            charts: Vec::new(),
            advice: Vec::new(),
            models: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a line to the head.
    pub fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.push(Fact { name: name.into(), value: value.into() });
    }

    /// Adds what was not measured, and what to do about it.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warnings.push(Warning::new(code, message));
    }
}

impl Advice {
    /// Its title as a sentence, with what goes before the text.
    fn sentence(&self) -> String {
        let stop = if self.title.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        format!("{}{stop}", self.title)
    }
}

impl Table {
    /// One without rows.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().collect(), rows: Vec::new(), note: None }
    }
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false, dispensable: 0 }
    }

    /// A column of numbers.
    #[must_use]
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true, dispensable: 0 }
    }

    /// The same, left out where a terminal is narrow: the higher, the sooner.
    #[must_use]
    pub fn dispensable(self, order: u8) -> Self {
        Self { dispensable: order, ..self }
    }
}

impl Axis {
    /// An axis whose steps are equal.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), is_log: false, is_bytes: false }
    }

    /// An axis whose steps are factors.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), is_log: true, is_bytes: false }
    }

    /// The same, of sizes in bytes.
    #[must_use]
    pub fn of_bytes(self) -> Self {
        Self { is_bytes: true, ..self }
    }

    /// Marks along it, at most about so many: the values that were measured where they are few and can be told in short, and
    /// round ones otherwise.
    fn marks(&self, scale: &Scale, own: &[f64], most: usize) -> Vec<f64> {
        let is_round = |value: &f64| !self.is_bytes || value.log2().fract() == 0.0;
        if !own.is_empty() && own.len() <= most && own.iter().all(is_round) {
            return own.to_vec();
        }
        if self.is_bytes && self.is_log { scale.powers_of_two(most) } else { scale.ticks(most) }
    }
}
