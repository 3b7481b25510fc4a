//! What runs of a command came to, however it was counted: what text and JSON are made of.

use calor_analysis::Spread;
use calor_model::Warning;
use calor_record::counters::{Counter, Unit};

use super::cost::Cost;

/// Who counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Hardware,
    Software,
    Simulated,
}

/// One counter over all runs.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) unit: Unit,
    /// `None` where it could not be counted; a warning says why.
    pub(super) spread: Option<Spread>,
    /// The share of the time in which it was counted; less than 1 where it had to share the processor's counters.
    pub(super) counted_share: f64,
}

/// What a function did itself in a simulation.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Option<String>,
    pub(super) file: Option<String>,
    /// Of all instructions.
    pub(super) share: f64,
    /// By the names of the counters above.
    pub(super) counters: Vec<(&'static str, u64)>,
}

/// A simulation.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    pub(super) tool: String,
    pub(super) caches: Vec<String>,
    /// `None` where it could not be told.
    pub(super) cost: Option<Cost>,
    /// Those with the most instructions.
    pub(super) functions: Vec<Function>,
}

/// Everything.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) command: String,
    pub(super) runs: usize,
    pub(super) warmup: usize,
    pub(super) rows: Vec<Row>,
    pub(super) simulation: Option<Simulation>,
    /// What could not be counted, one line a reason, for people.
    pub(super) absences: Vec<String>,
    pub(super) warnings: Vec<Warning>,
    pub(super) exit_code: u8,
}

impl Outcome {
    /// Whether at least one of these has a value.
    pub(super) fn has_any_of(&self, counters: &[Counter]) -> bool {
        counters.iter().any(|counter| self.mean(counter.name()).is_some())
    }

    /// The mean of a counter.
    pub(super) fn mean(&self, name: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.name == name)?;
        row.spread.as_ref().map(|spread| spread.mean)
    }
}
