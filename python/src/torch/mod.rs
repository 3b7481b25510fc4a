//! Operations of PyTorch: each operation that its dispatcher runs is a scope, with the shapes and types of what it worked on
//! and the line of the program that called it.
//!
//! PyTorch has an interface for observers, in C++ and without a header that is needed here: functions are found by name
//! (`library`), where it keeps what operations are given is found out on tensors that are known (`trial`), and read from
//! then on where it lies (`operands`). What begins and ends is told by PyTorch on the thread that does it (`ranges`), without
//! the interpreter, whose frames are read all the same (`lines`). A library that does not fit is left alone: then
//! `calor/_torch.py` sees operations in the way that PyTorch offers to Python, which is slower, and says so.

mod dtype;
mod gpu;
mod kind;
mod library;
mod lines;
mod memory;
mod mix;
mod operands;
mod ranges;
mod rows;
mod trial;
mod work;

use std::sync::{Mutex, PoisonError};

use calor::model::{Profile, Warning};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::control::Options;
use crate::notes::{self, Note};

pub(crate) use gpu::{pause as pause_gpu, resume as resume_gpu, torch_gpu_start, torch_gpu_stop};
use library::{BACKWARD, FUNCTION, Library, USER, Watch};
use operands::{Operand, Operands};

/// What PyTorch was asked to tell of.
static WATCHES: Mutex<Vec<Watch>> = Mutex::new(Vec::new());

/// Begins to record; what cannot be had is told in notes.
pub(crate) fn enable(py: Python<'_>, options: &Options) -> PyResult<Vec<Note>> {
    py.import("calor._torch")?.call_method1("enable", (options.torch.word(),))?;
    Ok(Vec::new())
}

/// Leaves everything as it was found.
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    py.import("calor._torch")?.call_method0("disable")?;
    Ok(())
}

/// Begins anew: which shapes a line has met is of what comes.
pub(crate) fn clear() {
    ranges::forget();
}

/// Puts what is known of the whole recording into a profile.
pub(crate) fn warn(profile: &mut Profile) {
    let (several_shapes, several_lines) = rows::coarse_rows();
    for (count, code, message) in [
        (
            several_shapes,
            "torch_shapes_rounded",
            "rows of operations on tensors stand for several shapes, because their line had more than 8",
        ),
        (
            several_lines,
            "torch_lines_over_limit",
            "operations on tensors have a row for all lines beyond the 2,048 rows that are kept",
        ),
        (
            ranges::n_too_deep(),
            "torch_too_deep",
            "operations on tensors are not recorded because they are inside more than 128 others",
        ),
    ] {
        if count > 0 {
            profile.warn(Warning::counted(code, message.to_owned(), count));
        }
    }
    let is_told = profile.warnings.iter().any(|warning| warning.code == gpu::NOTE);
    if rows::has_gpu() && !calor::gpu::is_on() && profile.gpu.is_empty() && !is_told {
        let message = "operations on GPUs have the time that the host took to start them, not the time they ran: that is known of \
                       NVIDIA's, from when PyTorch uses one first";
        profile.warn(Warning::new(gpu::NOTE, message));
    }
}

/// Has PyTorch tell of its operations; returns whether it can, and leaves a note if not. `libraries` are folders whose code is
/// not the program's.
#[pyfunction]
pub(crate) fn torch_start(
    torch: &Bound<'_, PyAny>,
    has_operands: bool,
    version: u32,
    libraries: Vec<String>,
) -> bool {
    let library = match prepared(torch) {
        Ok(library) => library,
        Err(why) => {
            let message = format!(
                "functions of PyTorch are recorded as Python calls them, on the thread that turned profiling on, and not the \
                 operations inside them, which costs more: {why}"
            );
            notes::add(Note::new("torch_fallback", message));
            return false;
        }
    };
    notes::remove("torch_fallback");
    lines::start(version, libraries);
    let begin = if has_operands { ranges::begin_operation } else { ranges::begin_name };
    let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    if watches.is_empty() {
        watches.push(library.add(FUNCTION, begin, ranges::end, has_operands));
        watches.push(library.add(BACKWARD, ranges::begin_backward, ranges::end, false));
        watches.push(library.add(USER, ranges::begin_marked, ranges::end, false));
    }
    true
}

/// The library, tried; what does not fit, otherwise.
fn prepared(torch: &Bound<'_, PyAny>) -> Result<Library, String> {
    if std::env::var_os("CALOR_TORCH_FALLBACK").is_some() {
        return Err("CALOR_TORCH_FALLBACK is set".to_owned());
    }
    if let Some((library, _)) = ranges::prepared() {
        return Ok(library);
    }
    let library = Library::loaded()?;
    ranges::prepare(library, trial::layout(torch, library)?);
    Ok(library)
}

/// Has it tell no more. With `is_final` the interpreter is about to end, and nothing of it is looked at any more.
#[pyfunction]
pub(crate) fn torch_stop(is_final: bool) {
    let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((library, _)) = ranges::prepared() {
        watches.drain(..).for_each(|watch| library.remove(watch));
    }
    if is_final {
        lines::stop();
    }
}

/// A tensor as `torch_told` takes it: sizes, strides, type and device.
type GivenTensor = (Vec<i64>, Vec<i64>, String, String);

/// What would be told of a call: its name, labels, elements, bytes, floating-point operations and backend.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple for the tests, which take it apart at once")]
pub(crate) fn torch_told(
    name: &str,
    tensors: Vec<GivenTensor>,
    numbers: Vec<Vec<i64>>,
    others: Vec<u64>,
) -> PyResult<(String, Vec<(&'static str, String)>, (u64, u64, u64), &'static str)> {
    let told =
        rows::told(name, Some(&Operands { tensors: operands(tensors)?, numbers, others, n_left_out: 0 }));
    Ok((told.name, told.labels, (told.work.elements, told.work.bytes, told.work.flops), told.backend))
}

/// Labels and line of the row that a call at a line belongs to, for the tests: which one depends on those that came before.
#[pyfunction]
pub(crate) fn torch_row(
    name: &str,
    tensors: Vec<GivenTensor>,
    line: u32,
) -> PyResult<(Vec<(&'static str, &'static str)>, u32)> {
    let operands = Operands { tensors: operands(tensors)?, ..Operands::default() };
    let line = lines::Line { function: "told".to_owned(), file: "told.py".to_owned(), line };
    let site = rows::operation(name, (true, false), Some(line), Some(&operands)).site;
    Ok(site.map_or_else(Default::default, |site| (site.labels().to_vec(), site.line())))
}

fn operands(given: Vec<GivenTensor>) -> PyResult<Vec<Operand>> {
    let tensor = |(sizes, strides, dtype, device): GivenTensor| {
        let dtype = dtype::number(&dtype)
            .ok_or_else(|| PyValueError::new_err(format!("there is no type {dtype}")))?;
        let device = match &device[..] {
            "cpu" => (0, -1),
            "cuda" => (1, 0),
            other => return Err(PyValueError::new_err(format!("there is no device {other}"))),
        };
        Ok(Operand { sizes, strides, dtype, device })
    };
    given.into_iter().map(tensor).collect()
}
