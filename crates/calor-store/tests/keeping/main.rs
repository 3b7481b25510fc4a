//! What a store promises, on real folders and with real processes: that what was saved stays, is found again, and that
//! whatever is wrong with a folder is told and left as it is.

mod baselines;
mod block_crashes;
mod bounds;
mod crashes;
mod finding;
mod migrations;
mod refusals;
mod saving;
mod seams;
mod sums;
mod workbench;
