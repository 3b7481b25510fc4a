//! Sampling that is compiled out, or not there on this system: the same names, and a start that says why not.

use std::time::Duration;

/// Why sampling does not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum SamplingError {
    /// Calor, or its sampling, is compiled out.
    CompiledOut,
    /// This system is not one that it works on.
    System,
}

impl std::fmt::Display for SamplingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::CompiledOut => {
                "sampling is compiled out of this program; build it with calor's feature `sampling`"
            }
            Self::System => "sampling works on Linux on x86-64 only; scopes work everywhere",
        })
    }
}

impl std::error::Error for SamplingError {}

/// What would take the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Source {
    /// The kernel's perf events.
    PerfEvents,
    /// Timers and a signal.
    Timers,
}

/// How to sample.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SamplingOptions;

impl SamplingOptions {
    /// Nothing.
    pub fn new() -> Self {
        Self
    }

    /// Nothing.
    pub fn rate(self, _rate: u32) -> Self {
        self
    }

    /// Nothing.
    pub fn off_cpu(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    pub fn kernel(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    pub fn inlines(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    pub fn python(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    pub fn max_depth(self, _frames: usize) -> Self {
        self
    }

    /// Nothing.
    pub fn symbol_cache(self, _folder: impl Into<std::path::PathBuf>) -> Self {
        self
    }

    /// Nothing.
    pub fn source(self, _source: Source) -> Self {
        self
    }
}

/// How far sampling would be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// What takes the samples.
    pub source: Source,
    /// Since it began.
    pub elapsed: Duration,
    /// CPU time of the sampled threads meanwhile.
    pub cpu: Duration,
    /// Samples taken.
    pub samples: u64,
    /// Samples that found no room.
    pub lost: u64,
    /// Threads that were seen running.
    pub threads: usize,
    /// Samples a second of CPU time that were asked for.
    pub rate_asked: u32,
}

impl Progress {
    /// Always `None`.
    #[must_use]
    pub fn rate_reached(&self) -> Option<f64> {
        None
    }
}

/// Sampling, of which there is none.
#[derive(Debug)]
#[must_use = "sampling ends when this is dropped"]
pub struct Sampling {
    never: std::convert::Infallible,
}

impl Sampling {
    /// Nothing.
    #[cfg(feature = "record")]
    #[must_use]
    pub fn stop(self) -> calor_model::Profile {
        match self.never {}
    }

    /// Nothing.
    #[cfg(feature = "record")]
    #[must_use]
    pub fn snapshot(&self) -> calor_model::Profile {
        match self.never {}
    }

    /// Nothing.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        match self.never {}
    }
}

/// Always an error.
///
/// # Errors
/// Always: there is nothing that samples.
pub fn start(_rate: u32) -> Result<Sampling, SamplingError> {
    start_with(&SamplingOptions)
}

/// Always an error.
///
/// # Errors
/// Always: there is nothing that samples.
pub fn start_with(_options: &SamplingOptions) -> Result<Sampling, SamplingError> {
    Err(if cfg!(feature = "sampling") { SamplingError::System } else { SamplingError::CompiledOut })
}

/// Nothing.
#[cfg(feature = "record")]
pub(crate) fn hand_over(_is_end: bool) {}

/// Nothing.
#[cfg(feature = "record")]
pub(crate) fn forget() {}
