//! What is explained: two commands or two Python functions, behind one face.

use std::ffi::OsString;

use anyhow::Result;

use super::call::Time;

/// One operation in two implementations, A and B.
pub(super) trait Operation {
    /// What A and B are called.
    fn shown(&self) -> [String; 2];

    /// The sizes to measure at where none are named.
    fn usual_sizes(&self) -> Vec<f64>;

    /// Whether it can be told how often to do its work.
    fn has_calls(&self) -> bool;

    /// Whether a run takes time besides its calls: to start, and to make its input.
    fn has_start(&self) -> bool;

    /// How long turns should be at least, in nanoseconds.
    fn turn_nanos(&self) -> f64;

    /// Does the work of one side so often, and tells what all of it took.
    ///
    /// # Errors
    /// When it fails, or somebody asks for the end.
    fn time(&mut self, side: usize, size: f64, calls: u64) -> Result<Time>;

    /// Nothing is timed from now on: what is recorded is started on its own, and recordings hear of an interrupt themselves.
    fn end_timing(&mut self) {}

    /// Whether both sides come to the same at a size; words where that cannot be told.
    ///
    /// # Errors
    /// When they do not.
    fn check(&mut self, size: f64) -> Result<Option<String>>;

    /// The bytes that a call works on; `None` where the operation cannot tell.
    fn bytes(&mut self, size: f64) -> Result<Option<f64>>;

    /// A command that does the work of one side so often, to be recorded.
    fn command(&self, side: usize, size: f64, calls: u64) -> Vec<OsString>;

    /// The function whose calls are the operation, where the rest of a program is not.
    fn within(&self) -> Option<&'static str>;
}
