//! What can go wrong between a profile and its bytes. A message says what was expected, what was found and
//! where, and what to do next where there is something to do.

use crate::{Format, Metric, Place};

/// Why bytes could not be read as a profile, or a profile not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are of no format that is known here.
    #[error(
        "not a profile: found {found}; formats read here are {}; record one with calor::start_recording(..), or \
         try `calor demo`",
        Format::readable_words()
    )]
    UnknownFormat {
        /// What the first bytes look like.
        found: String,
    },

    /// Input of another tool's format does not make sense.
    #[error("not readable as {format}: expected {expected}, found {found}, at {place}")]
    Input {
        /// What it was read as.
        format: Format,
        /// What was expected.
        expected: String,
        /// What was found instead.
        found: String,
        /// Where.
        place: Place,
    },

    /// Input of another tool's format of which nothing could be used.
    #[error("nothing in it can be used as {format}: {why}")]
    NothingUsable {
        /// What it was read as.
        format: Format,
        /// What was left out, and why.
        why: String,
    },

    /// A compressed file is damaged.
    #[error("damaged gzip: {what}, after {unpacked} bytes were unpacked; copy or download the file again")]
    Compression {
        /// What is wrong.
        what: String,
        /// How much was unpacked before.
        unpacked: u64,
    },

    /// A compressed file is out of all proportion.
    #[error(
        "a gzip file of {bytes} bytes unpacks to more than {limit}, which no profile does; if it is one, \
         decompress it first"
    )]
    UnpacksToTooMuch {
        /// How large the file is.
        bytes: u64,
        /// The most that was expected inside.
        limit: u64,
    },

    /// A format cannot be read.
    #[error("{format} cannot be read here; the formats that can are {}", Format::readable_words())]
    NotReadable {
        /// The format.
        format: Format,
    },

    /// A format cannot be written.
    #[error("{format} cannot be written here; the formats that can are {}", Format::words(Format::can_write))]
    NotWritable {
        /// The format.
        format: Format,
    },

    /// The metric that was asked for was not recorded.
    #[error("the profile has no {metric}: it holds {available}; ask for one of those or record again")]
    MetricMissing {
        /// What was asked for.
        metric: Metric,
        /// What there is.
        available: String,
    },

    /// A word that names nothing.
    #[error("unknown {what} {found:?}: expected one of {known}")]
    UnknownWord {
        /// What it should name.
        what: &'static str,
        /// The word.
        found: String,
        /// The words that do name something.
        known: String,
    },

    /// The file ends before its header does.
    #[error("cut off inside the file header: expected {expected} bytes, found {found}; record again")]
    HeaderCut {
        /// How long a header is.
        expected: usize,
        /// How many bytes there are.
        found: usize,
    },

    /// The file is of a later format.
    #[error("written by a newer Calor (format {found}); this one reads up to {supported}: update calor")]
    Newer {
        /// The format of the file.
        found: u16,
        /// The newest format that can be read.
        supported: u16,
    },

    /// A file of which no part can be read.
    #[error(
        "nothing of it can be read: of {bytes} bytes, {}; copy the file again, or record again",
        match n_damaged { 0 => "not one part is whole".to_owned(), n => format!("{n} parts are damaged and none is whole") }
    )]
    NothingWhole {
        /// How long the file is.
        bytes: u64,
        /// How many parts are damaged; 0 when it only ends too early.
        n_damaged: u64,
    },

    /// A report carries a profile that is not whole.
    #[error(
        "the profile inside the report is {what}: expected {expected}, found {found}, at byte {offset}; copy the \
         report again, or give the profile it was made of"
    )]
    Embedded {
        /// What became of it.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was found instead.
        found: String,
        /// The byte of the report.
        offset: u64,
    },

    /// A chunk is not what a chunk has to be.
    #[error("damaged chunk: expected {expected}, found {found}, at byte {offset}")]
    Chunk {
        /// What was expected.
        expected: &'static str,
        /// What was found instead.
        found: String,
        /// The byte of the input at which the chunk begins.
        offset: u64,
    },

    /// A chunk is whole but its content breaks a rule of the format: it was written so, not damaged later.
    #[error(
        "invalid content ({what}): expected {expected}, found {found}, at byte {position} of the chunk at \
         byte {chunk_offset}; the program that wrote this file has a bug or the file was tampered with"
    )]
    Content {
        /// The piece of the profile.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was found instead.
        found: String,
        /// The byte of the chunk's content, after decompression.
        position: usize,
        /// The byte of the input at which the chunk begins.
        chunk_offset: u64,
    },

    /// A profile does not fit into one chunk.
    #[error("a part of {bytes} bytes is too large: at most {limit} fit into a chunk; write smaller parts")]
    TooLarge {
        /// How large it would be.
        bytes: usize,
        /// How large it may be.
        limit: usize,
    },

    /// A profile has a handle that its own tables do not have, so no reader could make sense of it.
    #[error("a handle ({what}) is not of this profile's tables: it was taken from another profile")]
    ForeignHandle {
        /// The piece of the profile.
        what: &'static str,
    },

    /// A profile has a set of more labels than the format allows.
    #[error("a set of {found} labels is too large: at most {limit} are allowed; drop some labels")]
    TooManyLabels {
        /// How many labels the set has.
        found: usize,
        /// How many are allowed.
        limit: usize,
    },

    /// The bytes could not be written.
    #[error("cannot write the profile: {0}")]
    Write(#[from] std::io::Error),
}

/// An error of the JSON parser in our words. It says itself what it expected; the place is taken from it.
#[cfg(any(feature = "speedscope", feature = "chrome", feature = "firefox", feature = "json"))]
pub(crate) fn json(format: Format, error: &serde_json::Error) -> Error {
    let place = match error.line() {
        0 => Place::End,
        line => Place::Line { line: line as u64, column: Some(error.column() as u64) },
    };
    let whole = error.to_string();
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
    let (found, expected) = match message.split_once(", expected ") {
        Some((found, expected)) => (found.to_owned(), expected.to_owned()),
        None if error.is_eof() => ("the end of the input".to_owned(), "the rest of the JSON text".to_owned()),
        None => (message.to_owned(), format!("the JSON of {format}")),
    };
    Error::Input { format, expected, found, place }
}
