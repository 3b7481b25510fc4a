//! For the areas that sample programs: programs that know the truth about themselves, tools that watch them, and what
//! is found of both. The tools that more than one area starts are here.

pub mod bare;
pub mod calor;
pub mod child;
pub mod perf;
mod perf_script;
mod program;
mod stacks;
mod tool;

pub use program::{NUMPY_STAGES, NUMPY_TARGET, Program, Stage, TRUTH, truth};
pub use stacks::Recorded;
pub use tool::{Read, Tool, Watched, first_line, tried, watch};
