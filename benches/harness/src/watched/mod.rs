//! For the areas that start programs under tools of others: programs that tell about themselves in a line, what they
//! and the tool cost, and how both are made.

pub mod calor;
pub mod child;
pub mod debian;
mod installed;
mod made;
mod program;
mod python;
pub mod source;

pub use installed::{first_line, tried};
pub use made::{beside, build, finished};
pub use program::{Program, TRUTH, truth};
pub use python::{Environment, PYTHON_HINT};
