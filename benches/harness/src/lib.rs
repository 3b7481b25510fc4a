//! What the areas of the benchmarks share. An area brings its cases and its participants; from here it has
//!
//! - [`Arguments`], the options that every area knows;
//! - [`run_rounds`], which measures every case of everyone in every round, each in a process of its own;
//! - [`Figures`], what one such process found, and the line in which it says so;
//! - [`Results`] and [`Spread`], the figures of all rounds, with ratios and differences within a round;
//! - [`Table`] and [`Goal`], the Markdown of it;
//! - [`clock`] and [`memory`] for the measuring itself, [`Folder`] for files, [`version_in`] for names in tables.
//!
//! An area that has programs of others at work is an [`Area`](area::Area), and its main function is [`area::main`].
//!
//! It knows nothing of Calor, and nothing of what is measured, but for `watched` and `sampled`: what those areas share
//! that start programs, and that sample them.

pub mod area;
mod arguments;
pub mod clock;
mod exit;
mod figures;
mod folder;
mod goals;
pub mod memory;
#[cfg(target_os = "linux")]
mod processor;
mod results;
mod rounds;
#[cfg(feature = "sampled")]
pub mod sampled;
mod tables;
mod versions;
#[cfg(feature = "watched")]
pub mod watched;

pub use arguments::{Arguments, choose, find};
pub use exit::exit;
pub use figures::Figures;
pub use folder::Folder;
pub use goals::{Bound, Goal};
#[cfg(target_os = "linux")]
pub use processor::Processors;
pub use results::{Results, Spread, median_of_sorted};
pub use rounds::{answer_of, run_rounds, shuffled, turned};
pub use tables::{Table, number};
pub use versions::version_in;
