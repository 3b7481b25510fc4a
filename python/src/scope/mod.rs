//! Scopes of Python programs: `with calor.scope("x")`, contexts and decorated functions. They are scopes of the SDK's
//! recorder; what is here is how Python opens and closes them at little cost.
//!
//! - [`object`]: what `with` is given, a type without Python's usual ways around its methods; [`with_protocol`]: how `with`
//!   comes to call it.
//! - [`found`]: the object of a name at a place is made once and found again.
//! - [`open`]: each thread's scopes that are open, so that one object can be open many times and on many threads.
//! - [`parked`]: scopes of generators and coroutines are closed while those do not run.
//! - [`profiled`]: decorated functions; [`steps`]: decorated coroutines and generators.

mod found;
mod heap_type;
mod object;
mod open;
mod parked;
mod profiled;
mod rows;
mod sites;
mod steps;
mod text;
mod with_protocol;

use pyo3::prelude::*;

pub(crate) use found::{load_rest, scope_at};
pub(crate) use open::{is_unsettled, settle, settle_around_frame};
pub(crate) use rows::{place_row, scope_rows};
pub(crate) use steps::{Life, Steps};

/// The recorder was turned on or off: `with` goes by it. To be called whenever it may have been turned on. As long as a scope is
/// open, whoever closes it has to find it.
pub(crate) fn follow_recorder(py: Python<'_>) {
    with_protocol::set_recording(py, calor::is_enabled() || open::is_any_open());
}

/// Adds types and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    heap_type::look(module.py());
    object::add_to(module)?;
    profiled::add_to(module)?;
    found::add_to(module)
}
