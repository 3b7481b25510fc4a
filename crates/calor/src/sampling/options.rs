//! How to sample.

use std::path::PathBuf;

use super::Source;

/// How to sample the own process.
#[derive(Clone, Debug)]
#[must_use]
pub struct SamplingOptions {
    recorded: calor_record::Options,
    source: Option<Source>,
}

impl Default for SamplingOptions {
    fn default() -> Self {
        // A library leaves no files behind that nobody asked for, and most programs have no Python inside.
        let recorded =
            calor_record::Options { symbol_cache: None, python: false, ..calor_record::Options::default() };
        Self { recorded, source: None }
    }
}

impl SamplingOptions {
    /// The defaults: 999 samples a second, running threads only, with inlined functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Samples a second of a busy thread.
    pub fn rate(mut self, rate: u32) -> Self {
        self.recorded.rate = rate;
        self
    }

    /// Whether to record where threads wait, too. Needs perf events and the permission to see the kernel at work.
    pub fn off_cpu(mut self, on: bool) -> Self {
        self.recorded.off_cpu = on;
        self
    }

    /// Whether to show the kernel's functions. Needs perf events and the permission to see the kernel at work.
    pub fn kernel(mut self, on: bool) -> Self {
        self.recorded.kernel = on;
        self
    }

    /// Whether to show functions that were inlined into others.
    pub fn inlines(mut self, on: bool) -> Self {
        self.recorded.inlines = on;
        self
    }

    /// Whether to show the functions of Python in the place of its interpreter's own, for programs that have one inside.
    /// Needs perf events.
    pub fn python(mut self, on: bool) -> Self {
        self.recorded.python = on;
        self
    }

    /// How many frames a call path has at most; the outermost are left out.
    pub fn max_depth(mut self, frames: usize) -> Self {
        self.recorded.max_depth = frames;
        self
    }

    /// Where names that were looked up are kept for the next run; nowhere unless told.
    pub fn symbol_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.recorded.symbol_cache = Some(folder.into());
        self
    }

    /// Takes samples from this source only, instead of perf events and, where those are refused, timers.
    pub fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    pub(super) fn recorded(&self) -> &calor_record::Options {
        &self.recorded
    }

    pub(super) fn only(&self) -> Option<calor_record::Source> {
        self.source.map(|source| match source {
            Source::PerfEvents => calor_record::Source::PerfEvents,
            Source::Timers => calor_record::Source::Timers,
        })
    }
}
