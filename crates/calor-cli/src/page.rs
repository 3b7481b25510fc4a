//! The options of commands that write a page: how it looks, where it goes, how much of every list it has. And the formats that
//! several of them have, each with the words that a user meets everywhere.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::Result;
use calor_report::{CompareFormat, FindingsFormat, HeapFormat, ReportFormat, WhatIfFormat};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::output;
use crate::terminal::Look;

/// How a page looks and where it goes.
#[derive(Args)]
pub(crate) struct Page<F: ValueEnum + Send + Sync + 'static> {
    #[command(flatten)]
    place: Place<F>,
    #[command(flatten)]
    look: Look,
}

/// The same of a page that never has colours.
#[derive(Args)]
pub(crate) struct Place<F: ValueEnum + Send + Sync + 'static> {
    /// How it looks [default: by the ending of OUT, otherwise text]
    #[arg(long, value_enum)]
    format: Option<F>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl<F: ValueEnum + Send + Sync + 'static> Page<F> {
    /// Whether its text is coloured.
    pub(crate) fn is_coloured(&self) -> bool {
        self.look.is_coloured(self.place.file().is_some())
    }

    /// The same of text on standard error.
    pub(crate) fn is_coloured_on_errors(&self) -> bool {
        self.look.is_coloured_on_errors()
    }
}

impl<F: ValueEnum + Send + Sync + 'static> Deref for Page<F> {
    type Target = Place<F>;

    fn deref(&self) -> &Place<F> {
        &self.place
    }
}

impl<F: ValueEnum + Send + Sync + 'static> Place<F> {
    /// The format that was asked for, or else the one that the ending of the file stands for.
    pub(crate) fn format(&self, written: Written) -> Result<F> {
        written.format(self.format.clone(), self.output.as_deref())
    }

    /// Refuses to write over a file that is read.
    pub(crate) fn refuse_input(&self, input: &Path) -> Result<()> {
        output::refuse_input(input, self.output.as_deref())
    }

    /// Refuses a place that cannot be written to, before anything is done for the page.
    pub(crate) fn refuse_bad_place(&self) -> Result<()> {
        self.file().map_or(Ok(()), output::refuse_bad_place)
    }

    pub(crate) fn write(&self, content: &[u8]) -> Result<()> {
        output::write(self.output.as_deref(), content)
    }

    /// Whether somebody said where it goes, be it to standard output.
    pub(crate) fn is_placed(&self) -> bool {
        self.output.is_some()
    }

    /// The file; `None` for standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !output::is_standard(path))
    }
}

/// How much of every list a page has.
#[derive(Args)]
pub(crate) struct Top {
    /// Show at most N rows of every list [default: what fits a page; in JSON all]
    #[arg(long = "top", value_name = "N", value_parser = rows, allow_negative_numbers = true)]
    pub(crate) rows: Option<usize>,
}

/// A number of rows; a list without any would say nothing.
fn rows(given: &str) -> Result<usize, String> {
    given.parse().ok().filter(|rows| *rows > 0).ok_or_else(|| {
        "expected a whole number from 1 on, such as 20; leave --top out for what fits a page".to_owned()
    })
}

/// Formats of what is for one reader at a time.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Brief {
    /// For people
    Text,
    /// For scripts: `calor schema` has the fields
    Json,
}

/// Formats of figures without a picture.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Plain {
    /// For people
    Text,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For scripts: `calor schema` has the fields
    Json,
}

/// The same, and a page.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Paged {
    /// For people
    Text,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For scripts: `calor schema` has the fields
    Json,
    /// For a browser: one page that needs nothing else
    Html,
}

/// The same, and a table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tabled {
    /// For people
    Text,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For scripts: `calor schema` has the fields
    Json,
    /// For a browser: one page that needs nothing else
    Html,
    /// For spreadsheets: a row for each call path
    Csv,
}

impl From<Plain> for WhatIfFormat {
    fn from(format: Plain) -> Self {
        match format {
            Plain::Text => Self::Text,
            Plain::Md => Self::Markdown,
            Plain::Json => Self::Json,
        }
    }
}

impl From<Paged> for CompareFormat {
    fn from(format: Paged) -> Self {
        match format {
            Paged::Text => Self::Text,
            Paged::Md => Self::Markdown,
            Paged::Json => Self::Json,
            Paged::Html => Self::Html,
        }
    }
}

impl From<Paged> for FindingsFormat {
    fn from(format: Paged) -> Self {
        match format {
            Paged::Text => Self::Text,
            Paged::Md => Self::Markdown,
            Paged::Json => Self::Json,
            Paged::Html => Self::Html,
        }
    }
}

impl From<Tabled> for ReportFormat {
    fn from(format: Tabled) -> Self {
        match format {
            Tabled::Text => Self::Text,
            Tabled::Md => Self::Markdown,
            Tabled::Json => Self::Json,
            Tabled::Html => Self::Html,
            Tabled::Csv => Self::Csv,
        }
    }
}

impl From<Tabled> for HeapFormat {
    fn from(format: Tabled) -> Self {
        match format {
            Tabled::Text => Self::Text,
            Tabled::Md => Self::Markdown,
            Tabled::Json => Self::Json,
            Tabled::Html => Self::Html,
            Tabled::Csv => Self::Csv,
        }
    }
}
