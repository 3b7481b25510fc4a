//! `ab!` compiled out: nothing is run, and nothing is known.

use std::fmt;
use std::time::Duration;

/// What a comparison came to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// It takes more than before.
    Regressed,
    /// It takes less than before.
    Improved,
    /// Whatever difference there is lies within the margin.
    Same,
    /// It was not measured well enough to tell, as always here.
    Undecided,
}

/// How functions would be compared.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Plan;

/// What would be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// CPU time.
    Cpu,
    /// Time on the wall.
    Wall,
}

/// Calls of a function.
pub type Calls<'f> = &'f mut dyn FnMut(Clock, u64) -> f64;

impl Plan {
    /// Nothing.
    pub fn new() -> Self {
        Self
    }

    /// Nothing.
    pub fn margin(self, _: f64) -> Self {
        self
    }

    /// Nothing.
    pub fn max_time(self, _: Duration) -> Self {
        self
    }

    /// Nothing.
    pub fn max_pairs(self, _: usize) -> Self {
        self
    }

    /// Nothing.
    pub fn seed(self, _: u64) -> Self {
        self
    }

    /// Nothing.
    pub fn wall(self, _: bool) -> Self {
        self
    }

    /// Runs nothing.
    pub fn run(&self, _: &mut [(Option<&str>, Calls<'_>)]) -> Outcome {
        Outcome
    }
}

/// Calls that never happen.
pub fn calls<T>(_: impl FnMut() -> T) -> impl FnMut(Clock, u64) -> f64 {
    |_, _| 0.0
}

/// Calls that never happen.
pub fn calls_with<I, T>(_: &impl Fn() -> I, _: impl FnMut(I) -> T) -> impl FnMut(Clock, u64) -> f64 {
    |_, _| 0.0
}

/// What it came to: nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome;

impl Outcome {
    /// Always undecided.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::Undecided
    }

    /// Always `None`.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        None
    }

    /// Always `None`.
    #[must_use]
    pub fn interval(&self) -> Option<[f64; 2]> {
        None
    }

    /// Always empty.
    #[must_use]
    pub fn call_nanos(&self) -> &[f64] {
        &[]
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "undecided: calor is compiled out of this program; build it with calor's feature `report`",
        )
    }
}
