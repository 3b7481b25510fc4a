//! What is to be tried.

use std::time::Duration;

use thiserror::Error;

/// Why experiments did not begin, or have no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CausalError {
    /// The plan is empty.
    #[error("the plan has no speed-up to try: add one, such as Plan::new().speedup(\"attention\", 2.0)")]
    NothingToTry,
    /// There can be one at a time.
    #[error("experiments are under way already: end them first, with calor::causal::stop()")]
    UnderWay,
    /// Somebody else ended them.
    #[error("the experiment was ended by calor::causal::stop() while its work was running")]
    Stopped,
}

/// Which scopes are to be faster, and when an experiment has seen enough.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Plan {
    pub(super) speedups: Vec<(String, f64)>,
    pub(super) n_visits: u64,
    pub(super) shortest: Duration,
    pub(super) point: Option<String>,
    pub(super) seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self { speedups: Vec::new(), n_visits: 5, shortest: Duration::from_millis(250), point: None, seed: 1 }
    }
}

impl Plan {
    /// Nothing to try yet; an experiment takes 5 visits and a quarter of a second at least.
    pub fn new() -> Self {
        Self::default()
    }

    /// A scope that is to be so many times as fast, with all that it calls on its thread; infinity is no time at all.
    pub fn speedup(mut self, scope: impl Into<String>, factor: f64) -> Self {
        self.speedups.push((scope.into(), factor));
        self
    }

    /// How many visits of a progress point an experiment takes, at least.
    pub fn visits(self, n: u64) -> Self {
        Self { n_visits: n.max(1), ..self }
    }

    /// How long an experiment takes, at least.
    pub fn shortest(self, time: Duration) -> Self {
        Self { shortest: time, ..self }
    }

    /// Which progress point counts; otherwise the one that is visited first.
    pub fn point(self, name: impl Into<String>) -> Self {
        Self { point: Some(name.into()), ..self }
    }

    /// What the order of the experiments follows from.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The speed-ups in the order they were added.
    pub fn speedups(&self) -> impl Iterator<Item = (&str, f64)> {
        self.speedups.iter().map(|(scope, factor)| (scope.as_str(), *factor))
    }
}
