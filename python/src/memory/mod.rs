//! What Python allocates, told to the heap's engine of the SDK: so scopes, operations, contexts, call paths and peaks have the
//! figures that they have in Rust programs, and all pages about the heap know them.
//!
//! - [`domains`]: the interpreter's own allocators, which its objects come from;
//! - [`numpy_data`]: the memory of arrays, which does not;
//! - [`heap_snapshot`]: who holds what, as Python asks for it.

mod domains;
mod heap_snapshot;
mod numpy_data;

use std::sync::OnceLock;

use calor::heap::told::{self, Following, Interpreter};
use calor::model::Profile;
use pyo3::prelude::*;

use crate::control::{Memory, Options};
use crate::functions::symbol;
use crate::notes::{self, Note};

pub(crate) use heap_snapshot::HeapSnapshot;

/// Codes of notes.
const NOT_RECORDED: &str = "memory_not_recorded";
const OUTSIDE: &str = "memory_recorded_outside";
const INTERRUPTED: &str = "memory_interrupted";
const NUMPY: &str = "memory_numpy_not_seen";
const TORCH: &str = "memory_torch_not_seen";
const FUNCTIONS: &str = "memory_functions_not_seen";

/// Begins to count; what cannot be had is told in notes.
pub(crate) fn enable(py: Python<'_>, options: &Options) -> PyResult<Vec<Note>> {
    for code in [NOT_RECORDED, OUTSIDE, INTERRUPTED, NUMPY, TORCH, FUNCTIONS] {
        notes::remove(code);
    }
    let following = match options.memory {
        Memory::Off => return Ok(Vec::new()),
        Memory::Sampled => Following::Sampled,
        Memory::Exact => Following::Exact,
    };
    if domains::is_watched_from_outside() {
        let message = "the heap is watched by calor record --heap already, and is in that profile; it is not counted twice, \
                       so scopes and operations are without their memory";
        return Ok(vec![Note::new(OUTSIDE, message)]);
    }
    let mut found = Vec::new();
    let interpreter = interpreter();
    if interpreter.is_none() {
        let message = "objects are counted, but not by the functions that made them: the frames of this interpreter are not \
                       known, and a newer calor may know them";
        found.push(Note::new(FUNCTIONS, message));
    }
    if !told::open(following) {
        let message = "what Python allocates is not recorded: there is no memory for the tables; raise the limit of address \
                       space (ulimit -v)";
        return Ok(vec![Note::new(NOT_RECORDED, message)]);
    }
    told::watch_python(interpreter);
    if let Err(reason) = domains::install() {
        told::close();
        return Ok(vec![Note::new(NOT_RECORDED, format!("what Python allocates is not recorded: {reason}"))]);
    }
    let then = pyo3::types::PyCFunction::new_closure(py, None, None, |arguments, _| {
        // An import never fails because of us.
        let numpy = arguments.get_item(0)?;
        if let Err(reason) = numpy_data::install(&numpy) {
            notes::add(not_seen(&reason));
        }
        PyResult::Ok(())
    })?;
    py.import("calor._imports")?.call_method1("when_imported", ("memory of NumPy", "numpy", then))?;
    Ok(found)
}

fn not_seen(reason: &str) -> Note {
    let message = format!("the memory of NumPy's arrays is not counted: {reason}; use NumPy 1.22 or newer");
    Note::new(NUMPY, message)
}

/// Leaves the allocators as they were found.
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    numpy_data::uninstall();
    domains::uninstall();
    told::close();
    py.import("calor._imports")?.call_method1("forget", ("memory of NumPy",))?;
    Ok(())
}

/// Stands before the allocators again, where somebody has put others there since.
pub(crate) fn refresh() {
    if told::is_open() && !domains::is_in_place() && domains::install().is_ok() {
        notes::remove(INTERRUPTED);
    }
}

/// Adds what was counted to a profile.
pub(crate) fn add_to(profile: &mut Profile) {
    calor::heap::add_to(profile);
}

/// Notes what became of the hooks, and what they do not see. The interpreter is held.
pub(crate) fn look(py: Python<'_>) {
    if !told::is_open() {
        return;
    }
    if !domains::is_in_place() {
        let message = "somebody put other allocators in the place of Calor's, as tracemalloc.stop() does: what was allocated \
                       since is not counted; call calor.enable_profiling(memory=True) again";
        notes::add(Note::new(INTERRUPTED, message));
    }
    let has_torch = || -> PyResult<bool> { py.import("sys")?.getattr("modules")?.contains("torch") };
    if has_torch().unwrap_or(false) {
        let message = "the memory of PyTorch's tensors is not counted: it comes from the C library. calor record --heap -- \
                       python PROGRAM sees it";
        notes::add(Note::new(TORCH, message));
    }
}

/// The interpreter, as far as its frames are known.
fn interpreter() -> Option<&'static Interpreter> {
    static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();
    INTERPRETER.get_or_init(find_interpreter).as_ref()
}

#[expect(unsafe_code, reason = "the interpreter's structures are found by name")]
fn find_interpreter() -> Option<Interpreter> {
    let loaded = |name: &std::ffi::CStr| symbol(name).map_or(0, |found| found.as_ptr().expose_provenance());
    // SAFETY: these are the interpreter's own names, and it stays as long as the process.
    unsafe { Interpreter::find(loaded, || {}) }
}
