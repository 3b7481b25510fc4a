//! Labels of a site: what the rules and the reports read of an operation. Those that need a result come after the first call.

#![expect(
    unsafe_code,
    reason = "operands and results are live objects of Python, looked at by their pointers"
)]

use std::fmt::Write as _;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use super::call::Call;
use super::call_site::Line;
use super::key::{listed, rounded};
use super::layout::{Array, C_CONTIGUOUS, F_CONTIGUOUS};
use super::operation::{Operation, Origin};
use super::site_table::{Grain, Known};
use super::work::Arrays;
use super::{blas, operand_kind, values};

/// The module of all sites.
pub(super) const MODULE: &str = "numpy";
/// Longer shapes are cut.
const MAX_SHAPE: usize = 120;
/// What has its products done by a library of linear algebra, where numbers are floating-point ones.
const BLAS: [&str; 8] = ["matmul", "dot", "inner", "vdot", "tensordot", "ndarray.dot", "matvec", "vecmat"];

type Labels = Vec<(&'static str, String)>;

/// The labels of a site that are known before its first call.
///
/// # Safety
/// The thread has the interpreter's lock, and the objects of the call are live.
pub(super) unsafe fn of(operation: &Operation, call: &Call<'_>, grain: Grain, line: &Line) -> Labels {
    let mut labels: Labels = vec![("op", MODULE.to_owned())];
    if !line.function.is_empty() {
        labels.push(("caller", line.function.clone()));
    }
    // SAFETY: by the caller's promise.
    let arrays = unsafe { Arrays::of(operation, call, std::ptr::null_mut()) };
    if matches!(operation.origin, Origin::GetItem | Origin::SetItem) {
        // SAFETY: by the caller's promise.
        let kind = unsafe { index_kind(call) };
        labels.push(("index", kind.to_owned()));
        // One number takes as long whatever the array is like, and so does a view: told by the line alone.
        if kind == "integer" || (kind == "slice" && operation.origin == Origin::GetItem) {
            return labels;
        }
    }
    match grain {
        Grain::Exact | Grain::Rough => {
            // SAFETY: by the caller's promise.
            let (shape, is_known) =
                unsafe { (shape(operation, call, grain), !operand_kind::has_unknown_shape(operation, call)) };
            if !shape.is_empty() && is_known {
                labels.push(("shape", shape));
            }
            if grain == Grain::Rough {
                labels.push(("shapes", "rounded".to_owned()));
            }
        }
        Grain::Line | Grain::Operation => labels.push(("shapes", "various".to_owned())),
    }
    if grain == Grain::Exact && !arrays.inputs.is_empty() {
        let contiguous = arrays.inputs.iter().all(|array| array.is_contiguous());
        labels.push(("contiguous", contiguous.to_string()));
        // Element by element, one of them is walked across its rows; a product of matrices takes either order.
        let has = |flag: i32| {
            arrays.inputs.iter().any(|array| array.flags() & (C_CONTIGUOUS | F_CONTIGUOUS) == flag)
        };
        if matches!(operation.origin, Origin::Ufunc { .. }) && has(C_CONTIGUOUS) && has(F_CONTIGUOUS) {
            labels.push(("order", "mixed".to_owned()));
        }
    }
    if arrays.given.is_some() && !matches!(operation.origin, Origin::SetItem) {
        labels.push(("out", "given".to_owned()));
    }
    if is_blas(operation, &arrays)
        && let Some(threads) = blas::threads()
    {
        labels.push(("threads", threads.to_string()));
    }
    if grain == Grain::Exact {
        if let Some(fits) = values::fits(&arrays.inputs) {
            labels.push(("fits", fits.to_owned()));
        }
        // SAFETY: by the caller's promise.
        if let Some(is_regular) = unsafe { index_array(operation, call) }.and_then(values::is_regular) {
            labels.push(("regular", is_regular.to_string()));
        }
    }
    labels
}

/// The labels that are known after a call, and what served it.
///
/// # Safety
/// As for [`of`]; `result` is a live object.
pub(super) unsafe fn late(known: &Known, call: &Call<'_>, result: *mut PyObject) -> (Labels, &'static str) {
    // SAFETY: by the caller's promise.
    let arrays = unsafe { Arrays::of(known.operation, call, result) };
    let backend = if is_blas(known.operation, &arrays) { "blas" } else { MODULE };
    if matches!(known.grain, Grain::Line | Grain::Operation) {
        return (Vec::new(), backend);
    }
    // SAFETY: by the caller's promise.
    let operands: Vec<String> = unsafe { call.operands().flat_map(|operand| types_of(operand)).collect() };
    let results: Vec<String> = match arrays.results.first() {
        Some(array) => vec![dtype(*array)],
        // SAFETY: by the caller's promise.
        None => unsafe { number_type(result) }.into_iter().collect(),
    };
    let mut text = operands.join(",");
    if let Some(result) = results.first() {
        let _ = write!(text, "->{result}");
    }
    let labels = if text.is_empty() { Vec::new() } else { vec![("dtype", text)] };
    (labels, backend)
}

fn is_blas(operation: &Operation, arrays: &Arrays) -> bool {
    let is_floating =
        |array: &Array| matches!(array.kind(), b'f' | b'c') && matches!(array.item_bytes(), 4 | 8 | 16);
    let is_algebra = operation.name.starts_with("linalg.");
    (is_algebra || BLAS.contains(&operation.name.as_str()))
        && !arrays.inputs.is_empty()
        && arrays.inputs.iter().all(is_floating)
}

/// Shapes of the operands, as in `512x512,512`; of numbers `scalar`. What is no operand is left out.
unsafe fn shape(operation: &Operation, call: &Call<'_>, grain: Grain) -> String {
    let n_inputs = match operation.origin {
        Origin::Ufunc { n_inputs } | Origin::Generalised { n_inputs } => usize::from(n_inputs),
        Origin::GetItem => 1,
        _ => usize::MAX,
    };
    let is_elementwise = n_inputs != usize::MAX && operation.origin != Origin::GetItem;
    let mut shapes: Vec<String> = Vec::new();
    for operand in call.operands().take(n_inputs) {
        // SAFETY: by the caller's promise; what is listed is live.
        unsafe {
            match Array::of(operand) {
                Some(array) => shapes.push(shape_of(array, grain)),
                None if is_elementwise => shapes.push("scalar".to_owned()),
                None => shapes.extend(
                    listed(operand)
                        .into_iter()
                        .filter_map(|item| Array::of(item))
                        .map(|array| shape_of(array, grain)),
                ),
            }
        }
    }
    let mut text = shapes.join(",");
    if text.len() > MAX_SHAPE {
        text.truncate(MAX_SHAPE);
        text.push('…');
    }
    text
}

fn shape_of(array: Array, grain: Grain) -> String {
    let sides = array.dimensions().iter().map(|n| match grain {
        Grain::Rough => rounded(*n).to_string(),
        _ => n.to_string(),
    });
    let sides: Vec<String> = sides.collect();
    if sides.is_empty() { "()".to_owned() } else { sides.join("x") }
}

/// Types of an operand: of an array, of arrays in a list, of a number of NumPy. Python's own numbers take the type of the others.
unsafe fn types_of(operand: *mut PyObject) -> Vec<String> {
    // SAFETY: by the caller's promise; what is listed is live.
    unsafe {
        if let Some(array) = Array::of(operand) {
            return vec![dtype(array)];
        }
        let arrays: Vec<String> =
            listed(operand).into_iter().filter_map(|item| Array::of(item)).map(dtype).collect();
        if arrays.is_empty() { number_type(operand).into_iter().collect() } else { arrays }
    }
}

/// The name of the type of a number of NumPy; `None` for anything else.
unsafe fn number_type(object: *mut PyObject) -> Option<String> {
    // SAFETY: hooks run with the lock, and the object is live.
    unsafe {
        let py = Python::assume_attached();
        let kind = Bound::from_borrowed_ptr(py, ffi::Py_TYPE(object).cast::<PyObject>());
        let module: String = kind.getattr("__module__").ok()?.extract().ok()?;
        let name: String = kind.getattr("__name__").ok()?.extract().ok()?;
        let is_number = module == MODULE && name.ends_with(|last: char| last.is_ascii_digit());
        (is_number || (module == MODULE && name.starts_with("bool")))
            .then(|| name.trim_end_matches('_').to_owned())
    }
}

/// The name of the type of an array's elements.
pub(super) fn dtype(array: Array) -> String {
    let (kind, bytes) = (array.kind(), array.item_bytes());
    match kind {
        b'b' => "bool".to_owned(),
        b'i' => format!("int{}", 8 * bytes),
        b'u' => format!("uint{}", 8 * bytes),
        b'f' => format!("float{}", 8 * bytes),
        b'c' => format!("complex{}", 8 * bytes),
        b'O' => "object".to_owned(),
        b'S' => format!("bytes{}", 8 * bytes),
        b'U' => format!("str{}", 8 * bytes),
        b'M' => "datetime64".to_owned(),
        b'm' => "timedelta64".to_owned(),
        b'V' => format!("void{}", 8 * bytes),
        b'T' => "string".to_owned(),
        other => char::from(other).to_string(),
    }
}

/// How an array is indexed: `integer` for one number, `array` by an array of integers, `mask` by truths, `slice` otherwise.
///
/// # Safety
/// As for [`of`].
unsafe fn index_kind(call: &Call<'_>) -> &'static str {
    // SAFETY: by the caller's promise; what is listed is live.
    unsafe {
        let Some(&index) = call.arguments.first() else { return "slice" };
        let axes = Array::of(call.this).map_or(0, |array| array.dimensions().len());
        let of_one = |object: *mut PyObject| match Array::of(object) {
            Some(array) if array.kind() == b'b' => "mask",
            Some(array) if !array.dimensions().is_empty() => "array",
            Some(_) => "integer",
            None if ffi::Py_TYPE(object) == &raw mut ffi::PyList_Type => "array",
            None if ffi::PyIndex_Check(object) != 0 => "integer",
            None => "slice",
        };
        if ffi::Py_TYPE(index) != &raw mut ffi::PyTuple_Type {
            return match of_one(index) {
                "integer" if axes != 1 => "slice",
                kind => kind,
            };
        }
        let kinds: Vec<&str> =
            listed(index).into_iter().take_while(|item| !item.is_null()).map(of_one).collect();
        match kinds {
            kinds if kinds.contains(&"mask") => "mask",
            kinds if kinds.contains(&"array") => "array",
            kinds if kinds.len() == axes && kinds.iter().all(|kind| *kind == "integer") => "integer",
            _ => "slice",
        }
    }
}

/// The array of integers that says which elements are taken.
///
/// # Safety
/// As for [`of`].
unsafe fn index_array(operation: &Operation, call: &Call<'_>) -> Option<Array> {
    // SAFETY: by the caller's promise.
    unsafe {
        match (operation.origin, operation.name.as_str()) {
            (Origin::GetItem, _) => Array::of(*call.arguments.first()?),
            (_, "take") => Array::of(*call.arguments.get(1)?),
            (_, "ndarray.take") => Array::of(*call.arguments.first()?),
            _ => None,
        }
    }
}
