//! The formats a report comes in.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A format of a report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReportFormat {
    /// Tables for a terminal.
    #[default]
    Text,
    /// Fields for programs.
    Json,
    /// Tables for a forge or a wiki.
    Markdown,
    /// A page of its own that needs no network.
    Html,
    /// Call paths with all their columns, for spreadsheets.
    Csv,
}

impl ReportFormat {
    /// All formats, in the order they are listed to people.
    pub const ALL: [Self; 5] = [Self::Text, Self::Json, Self::Markdown, Self::Html, Self::Csv];

    /// The word for it, which is also the usual ending of a file's name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Csv => "csv",
        }
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for ReportFormat {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given.to_ascii_lowercase().as_str() {
            "text" | "txt" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "md" | "markdown" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            "csv" => Ok(Self::Csv),
            _ => Err(Error::UnknownFormat { given: given.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_back_from_its_word() {
        for format in ReportFormat::ALL {
            assert_eq!(format.to_string().parse::<ReportFormat>().unwrap(), format);
        }
        assert_eq!("Markdown".parse::<ReportFormat>().unwrap(), ReportFormat::Markdown);
        let error = "pdf".parse::<ReportFormat>().unwrap_err();
        assert_eq!(error.to_string(), "unknown report format `pdf`: expected text, json, md, html or csv");
    }
}
