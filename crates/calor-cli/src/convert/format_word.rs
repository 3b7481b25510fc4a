//! The words after `--to`. Pages and pictures are no formats of profiles, but they are asked for here; the answer names
//! the command that makes them.

use std::ffi::OsStr;

use calor_formats::Format;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use super::can_write;

/// Takes the word for a format that can be written.
#[derive(Clone)]
pub(super) struct FormatWord;

impl FormatWord {
    fn known() -> PossibleValuesParser {
        let formats = Format::ALL.into_iter().filter(|format| can_write(*format));
        PossibleValuesParser::new(formats.map(|format| {
            let word = PossibleValue::new(format.word());
            match format {
                Format::Native => word.alias("native"),
                Format::Folded => word.alias("collapsed"),
                _ => word,
            }
        }))
    }
}

impl TypedValueParser for FormatWord {
    type Value = Format;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, given: &OsStr) -> Result<Format, Error> {
        if let Some(advice) = given.to_str().and_then(other_command) {
            return Err(command.clone().error(ErrorKind::InvalidValue, advice));
        }
        let word = Self::known().parse_ref(command, arg, given)?;
        word.parse::<Format>().map_err(|error| command.clone().error(ErrorKind::InvalidValue, error))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // The parser is made anew each time, so its values are collected before it goes.
        let values: Vec<PossibleValue> = Self::known().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

/// What to type instead where a word or the ending of a file asks for a page or a picture.
pub(super) fn other_command(word: &str) -> Option<String> {
    let (what, command) = match word.to_ascii_lowercase().as_str() {
        "html" | "htm" => ("a page", "report"),
        "md" | "markdown" => ("a report", "report"),
        "txt" | "text" => ("a report", "report"),
        "svg" => ("a flame graph", "flame"),
        _ => return None,
    };
    let ending = word.to_ascii_lowercase().replace("markdown", "md").replace("text", "txt");
    Some(format!(
        "{word} is {what} and no format of profiles: `calor {command} IN -o OUT.{ending}` writes one; \
         `calor convert --list` shows the formats"
    ))
}
