//! The options of an explanation.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::operation::Operation;
use super::size::{self, Sizes};

#[derive(Args)]
#[command(next_help_heading = "Why")]
pub(crate) struct Choice {
    /// Explain the gap: measure at several sizes, record both, and tell causes with their part of it
    #[arg(long)]
    pub(super) why: bool,
    /// Sizes to measure at, such as 1k,16k,256k,4M; {size} in a command, or $CALOR_SIZE, is the size
    #[arg(long, value_name = "LIST", requires = "why", value_parser = size::sizes)]
    pub(super) sizes: Option<Sizes>,
    /// Explain the gap at this size [default: where it is widest, or that of --shape]
    #[arg(long, value_name = "SIZE", requires = "why", value_parser = size::size)]
    pub(super) at: Option<f64>,
    /// Bytes that a call works on for each element [default: what it is seen to hold]
    #[arg(long, value_name = "BYTES", requires = "why", value_parser = size::size)]
    pub(super) bytes: Option<f64>,
    /// Do not compare what both print or return
    #[arg(long, requires = "why")]
    pub(super) no_check: bool,
    /// Let valgrind count instructions, which takes up to 100 times as long
    #[arg(long, requires = "why")]
    pub(super) simulate: bool,
    /// A and B are Python functions, such as numpy:add
    #[arg(long, requires = "why")]
    pub(super) python: bool,
    /// The shape of the arrays that the functions are given, such as 512x512
    #[arg(long, value_name = "SHAPE", requires = "python", value_parser = size::shape)]
    pub(super) shape: Option<size::Shape>,
    /// The type of their elements; two with a comma between them are A's and B's
    #[arg(long, value_name = "TYPE", requires = "python", default_value = "float32")]
    pub(super) dtype: String,
    /// A Python file with `arguments(shape, dtype)`, which makes other arguments, and with functions of its own
    #[arg(long, value_name = "FILE", requires = "python")]
    pub(super) setup: Option<PathBuf>,
    /// The Python that runs them
    #[arg(long, value_name = "PYTHON", requires = "python", default_value = "python3")]
    pub(super) interpreter: OsString,
}

impl Choice {
    /// Whether an explanation is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.why
    }

    pub(super) fn check_is_wanted(&self) -> bool {
        !self.no_check
    }

    /// The sizes to measure at, the smallest first; that which is to be explained is among them.
    pub(super) fn sizes(&self, operation: &dyn Operation) -> Vec<f64> {
        let mut sizes = match &self.sizes {
            Some(Sizes(sizes)) => sizes.clone(),
            None => operation.usual_sizes(),
        };
        sizes.extend(self.focus());
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes
    }

    /// The size that is to be explained, where the user named one.
    pub(super) fn focus(&self) -> Option<f64> {
        self.at.or(self.shape.as_ref().map(size::Shape::elements))
    }
}
