//! Where in an input something was found that made no sense, as an error says it.

use std::fmt;

/// Where in an input something was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// In text: line and column, from 1.
    Line {
        /// The line.
        line: u64,
        /// The byte of the line; `None` for the line as a whole.
        column: Option<u64>,
    },
    /// In JSON that is well formed: an entry of a list, from 0.
    Entry {
        /// The list.
        list: &'static str,
        /// Which of its entries.
        index: u64,
    },
    /// In binary input, after decompression.
    Byte(u64),
    /// At the end of the input.
    End,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, column: Some(column) } => write!(f, "line {line}, column {column}"),
            Self::Line { line, column: None } => write!(f, "line {line}"),
            Self::Entry { list, index } => write!(f, "entry {index} of {list}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::End => f.write_str("the end of the input"),
        }
    }
}
