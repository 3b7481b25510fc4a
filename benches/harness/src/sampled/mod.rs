//! For the areas that sample programs: tools that watch them, and what is found in their files. The tools that more than
//! one area starts are here.

pub mod bare;
pub mod calor;
mod numpy;
pub mod perf;
mod perf_script;
mod stacks;
mod tool;

pub use numpy::{NUMPY_STAGES, NUMPY_TARGET, Stage};
pub use stacks::Recorded;
pub use tool::{Read, Tool, Watched, watch};
