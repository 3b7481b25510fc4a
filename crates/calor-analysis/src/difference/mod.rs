//! Sets of runs compared function by function.
//!
//! The run is the unit: what one function took in one run is one measurement, however many samples or calls are in it. What
//! moved all functions together is taken out first and told by itself, for it is the machine or the build and not a function.
//! What is left is judged with the spread that functions of that size have, and a list of findings is cut off so that at most
//! one in twenty is there by chance.

mod background;
mod callees;
mod common_factor;
mod common_of_runs;
mod comparability;
mod extra_spread;
mod figures;
mod function;
mod inlined;
mod judgement;
mod outcome;
mod pooling;
mod profile_figures;
mod rename;
mod rounds;
mod shift;
mod single_figure;
mod table;
mod waiting;
mod waterfall;

pub use common_factor::{CommonCause, CommonFactor};
pub use comparability::{Circumstance, Mismatch, mismatches};
pub use figures::{FunctionFigures, FunctionName, RunFigures};
pub use function::{FunctionDifference, Presence};
pub use judgement::difference;
pub use outcome::{Difference, DifferenceInWords, DifferenceOptions, Given};
pub use profile_figures::Quantity;
pub use single_figure::{FigureDifference, figure_differences};
pub use waterfall::{Waterfall, WaterfallStep};

#[cfg(test)]
mod tests;
