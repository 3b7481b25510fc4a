//! The gate of `calor check`: what a comparison and budgets come to for a script that has to go on or stop.
//!
//! A gate asks less than a comparison and more: whoever asks whether something is worse need not know whether it is better or the
//! same; and whoever is to be stopped may ask that it is worse a second time as well.

mod budget;
mod gated;
mod outcome;
mod remedy;
mod spending;
mod verdict;

pub use budget::{Budget, BudgetUnit};
pub use gated::{GatedComparison, NextLook};
pub use outcome::{GateOutcome, GateResult, OpenVerdict};
pub use remedy::Remedy;
pub use spending::{BudgetError, Spending, spendings};
