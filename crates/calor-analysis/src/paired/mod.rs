//! Experiments: variants of a program run in turns, in random order, until it is known whether they differ.
//!
//! Runs of one program one after the other are not independent: the machine is slow for a while, then quick again. So
//! whoever runs all of A and then all of B finds differences that are none, and the more runs, the more often. Here each
//! *round* runs every variant once, in an order that a seed chose, and only differences within a round count.

mod advice;
mod change;
mod comparison;
mod experiment;
mod looks;
mod middle;
mod null_control;
mod outcome;
mod short;
mod stopped_interval;
mod trimmed;

pub use advice::TooLong;
pub use change::{paired_change, smallest_paired_change};
pub use comparison::{Comparison, Doubt};
pub use experiment::{Experiment, ExperimentOptions, FEWEST_PAIRS, Step};
pub use middle::Middle;
pub use null_control::NullControl;
pub use outcome::{ExperimentOutcome, ExperimentPlan, MeasuredRow, MeasuredSeries};
pub use short::{too_short, unmeasurable};
pub(crate) use trimmed::Trimmed;
