//! The outcome of a stop or a free. It is a `Result` that may be left alone: programs write
//! `profiler.stop("matmul");` as a statement, and a lint on each such line would only teach people to write
//! `let _ =`. What went wrong is also counted and told by the report.

use super::error::{Error, Result};

/// How a call went; [`into_result`](Outcome::into_result) for use with `?`.
#[derive(Debug)]
pub struct Outcome<T>(Result<T>);

impl<T> Outcome<T> {
    pub(super) fn new(result: Result<T>) -> Self {
        Self(result)
    }

    /// As a `Result`, whose error says what to do.
    ///
    /// # Errors
    /// When the call went wrong.
    pub fn into_result(self) -> Result<T> {
        self.0
    }

    /// Whether it went well.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.0.is_ok()
    }

    /// Whether it went wrong.
    #[must_use]
    pub fn is_err(&self) -> bool {
        self.0.is_err()
    }

    /// The value, if it went well.
    #[must_use]
    pub fn ok(self) -> Option<T> {
        self.0.ok()
    }

    /// The error, if it went wrong.
    #[must_use]
    pub fn err(self) -> Option<Error> {
        self.0.err()
    }

    /// The value.
    ///
    /// # Panics
    /// When the call went wrong, with its error.
    #[track_caller]
    pub fn unwrap(self) -> T {
        match self.0 {
            Ok(value) => value,
            Err(error) => panic!("{error}"),
        }
    }
}

impl<T> From<Outcome<T>> for Result<T> {
    fn from(outcome: Outcome<T>) -> Self {
        outcome.0
    }
}
