//! Experiments compiled out: the same names, with nothing behind them.

use std::time::Duration;

/// Why there are no experiments.
#[derive(Debug)]
#[non_exhaustive]
pub enum CausalError {
    /// Calor is compiled out.
    CompiledOut,
}

impl std::fmt::Display for CausalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("calor is compiled out of this program; build it with calor's feature `record`")
    }
}

impl std::error::Error for CausalError {}

/// Nothing.
#[derive(Clone, PartialEq, Debug, Default)]
#[must_use]
pub struct Plan;

impl Plan {
    /// Nothing.
    pub fn new() -> Self {
        Self
    }

    /// Nothing.
    pub fn speedup(self, _scope: impl Into<String>, _factor: f64) -> Self {
        self
    }

    /// Nothing.
    pub fn visits(self, _n: u64) -> Self {
        self
    }

    /// Nothing.
    pub fn shortest(self, _time: Duration) -> Self {
        self
    }

    /// Nothing.
    pub fn point(self, _name: impl Into<String>) -> Self {
        self
    }

    /// Nothing.
    pub fn seed(self, _seed: u64) -> Self {
        self
    }

    /// Nothing.
    pub fn speedups(&self) -> impl Iterator<Item = (&str, f64)> {
        std::iter::empty()
    }
}

/// An experiment that did not take place.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Experiment {
    /// The scope that was to be faster.
    pub scope: Option<String>,
    /// How many times as fast.
    pub factor: f64,
    /// The number of its round.
    pub round: u64,
    /// How many visits were measured.
    pub visits: u64,
    /// How long it took.
    pub wall: Duration,
    /// How long it would have taken.
    pub effective: Duration,
}

impl Experiment {
    /// What a visit would have taken.
    #[must_use]
    pub fn nanos_each(&self) -> f64 {
        self.effective.as_nanos() as f64 / self.visits.max(1) as f64
    }
}

/// What was measured: nothing.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// None.
    pub experiments: Vec<Experiment>,
    /// None.
    pub behind: Vec<String>,
    /// None.
    pub left_alone: u64,
    /// None.
    pub threads: u64,
    /// None.
    pub waits_told: u64,
}

impl Outcome {
    /// Always `None`.
    #[must_use]
    pub fn overall(&self, _scope: &str, _factor: f64) -> Option<f64> {
        None
    }

    /// Always empty.
    #[must_use]
    pub fn pairs(&self, _scope: &str, _factor: f64) -> Vec<(f64, f64)> {
        Vec::new()
    }
}

/// Always an error.
///
/// # Errors
/// Always: there is nothing to try.
pub fn start(_plan: &Plan) -> Result<(), CausalError> {
    Err(CausalError::CompiledOut)
}

/// Always `None`.
pub fn stop() -> Option<Outcome> {
    None
}

/// Always an error; the work does not run.
///
/// # Errors
/// Always: there is nothing to try.
pub fn experiment<T>(
    _scope: &str,
    _factor: f64,
    _work: impl FnOnce() -> T,
) -> Result<(T, Experiment), CausalError> {
    Err(CausalError::CompiledOut)
}

/// Nothing.
#[inline(always)]
pub fn progress(_point: &'static str) {}
