//! What is known of the terminal, if there is one.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};

/// Columns where nothing is known of the reader's window.
const COLUMNS: usize = 100;

/// How text looks, for every command that prints text.
#[derive(Args)]
pub(crate) struct Look {
    /// When to colour text
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into pipes and files
    Always,
    /// Nowhere
    Never,
}

impl Look {
    /// Whether text is to be coloured that goes to a file or to standard output.
    pub(crate) fn is_coloured(&self, is_file: bool) -> bool {
        match self.color {
            Color::Auto => !is_file && is_colour_welcome(),
            Color::Always => true,
            Color::Never => false,
        }
    }

    /// The same of text that goes to standard error.
    pub(crate) fn is_coloured_on_errors(&self) -> bool {
        match self.color {
            Color::Auto => knows_colours(std::io::stderr().is_terminal()),
            Color::Always => true,
            Color::Never => false,
        }
    }
}

/// Columns of the terminal; of `COLUMNS` where output goes elsewhere.
pub(crate) fn width() -> usize {
    columns().or_else(said).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

/// The same for what goes to standard error.
pub(crate) fn width_of_errors() -> usize {
    columns_of_errors().or_else(said).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

/// Columns for sentences on standard error: longer lines are hard to read, however wide the terminal is.
pub(crate) fn width_of_news() -> usize {
    const MOST: usize = 100;
    const USUAL: usize = 80;
    columns_of_errors().or_else(said).filter(|columns| *columns > 0).unwrap_or(USUAL).clamp(40, MOST)
}

/// What a shell or a script says where there is no terminal to be asked.
fn said() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Columns of the terminal that standard output is.
pub(crate) fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

fn columns_of_errors() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0))
}

/// Whether standard output is a terminal.
pub(crate) fn is_there() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether colours are welcome: on a terminal that knows them, and nobody set `NO_COLOR`.
pub(crate) fn is_colour_welcome() -> bool {
    knows_colours(is_there())
}

fn knows_colours(is_terminal: bool) -> bool {
    is_terminal && !is_colour_refused() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether somebody set `NO_COLOR`.
pub(crate) fn is_colour_refused() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
