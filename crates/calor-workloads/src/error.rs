//! What a workload refuses.

use std::fmt;

use calor_analysis::quantity::bytes;

use calor_host::{Bound, Room};

/// Why a workload did not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The sizes of a model do not fit together.
    Shape {
        /// What is wrong with them.
        problem: String,
    },
    /// A model was given nothing to start from.
    EmptyPrompt,
    /// A token that the model does not know.
    UnknownToken {
        /// The token.
        token: u32,
        /// How many tokens the model knows.
        vocabulary: usize,
    },
    /// More tokens than the model can look back on.
    ContextFull {
        /// How many positions were asked for.
        asked: usize,
        /// How many there are.
        context: usize,
    },
    /// A worker thread could not be started.
    Thread(std::io::Error),
    /// Something was asked for that there is not.
    Choice {
        /// What it would be, such as `kernel`.
        what: &'static str,
        /// What was asked for.
        given: String,
        /// What there is, such as `matmul, softmax or gelu`.
        allowed: String,
    },
    /// Something was named more than once.
    Twice {
        /// What it is, such as `size`.
        what: &'static str,
        /// Which.
        given: String,
    },
    /// A file cannot be used.
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why not, and what to do.
        problem: String,
    },
    /// More memory than there is.
    Memory {
        /// What wants it, such as `the custom model`.
        what: String,
        /// How much that is, in bytes.
        needed: u64,
        /// How much there is.
        room: Room,
        /// What to ask for instead.
        instead: &'static str,
    },
    /// Somebody asked for the end before there was anything to tell.
    Stopped,
    /// Something failed that should not; the sentence says what.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { problem } => write!(f, "the model's sizes do not fit together: {problem}"),
            Self::EmptyPrompt => f.write_str("the prompt is empty: give at least one token"),
            Self::UnknownToken { token, vocabulary } => {
                write!(f, "no such token: {token}; the model knows 0 to {}", vocabulary.saturating_sub(1))
            }
            Self::ContextFull { asked, context } => {
                write!(
                    f,
                    "{asked} positions were asked for, and the model has {context}: ask for fewer tokens"
                )
            }
            Self::Thread(cause) => write!(f, "cannot start a worker thread ({cause})"),
            Self::Choice { what, given, allowed } => write!(f, "no such {what}: {given}; expected {allowed}"),
            Self::Twice { what, given } => {
                write!(f, "the {what} {given} is given twice: name each {what} once")
            }
            Self::File { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::Memory { what, needed, room, instead } => {
                let (bound, cure) = bounded_by(room.bound);
                let (needed, there) = (bytes(*needed), bytes(room.bytes));
                write!(
                    f,
                    "{what} needs {needed} of memory, and {there} can be had ({bound}): {instead}, or {cure}"
                )
            }
            Self::Stopped => f.write_str("interrupted before anything was measured"),
            Self::Failed(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for Error {}

/// What bounds memory, and what helps beside taking less.
const fn bounded_by(bound: Bound) -> (&'static str, &'static str) {
    match bound {
        Bound::Free => ("memory that is free now", "end other programs"),
        Bound::Group => ("the limit of this control group or container", "raise that limit"),
        Bound::AddressSpace => {
            ("the limit of the address space, `ulimit -v`", "raise it with `ulimit -v unlimited`")
        }
    }
}

impl From<candle_core::Error> for Error {
    fn from(cause: candle_core::Error) -> Self {
        Self::Failed(format!("the model's tensors cannot be worked on ({cause})"))
    }
}
