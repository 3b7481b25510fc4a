//! What operands are besides plain arrays. A call that has none of NumPy's own arrays passes unseen; one that has something
//! else beside them is recorded without figures, because nobody here can read what that is.

#![expect(unsafe_code, reason = "operands are live objects of Python, looked at by their pointers")]

use pyo3::ffi::{self, PyObject};

use super::call::Call;
use super::key::listed;
use super::layout::{Array, is_number_of_numpy, is_other_array};
use super::operation::{Operation, Origin};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Exactly `numpy.ndarray`.
    Array,
    /// A number of Python's or NumPy's, or `None`.
    Number,
    /// A list or a tuple, of anything.
    List,
    /// An array of another type than NumPy's own.
    OtherArray,
    Other,
}

/// # Safety
/// `object` is live, and the thread has the interpreter's lock.
unsafe fn kind(object: *mut PyObject) -> Kind {
    // SAFETY: by the caller's promise; `None` is compared and not kept.
    unsafe {
        if Array::of_live(object).is_some() {
            return Kind::Array;
        }
        let is_of_python = ffi::PyFloat_Check(object) != 0
            || ffi::PyLong_Check(object) != 0
            || ffi::PyComplex_Check(object) != 0;
        let of = ffi::Py_TYPE(object);
        match () {
            () if is_of_python || object == ffi::Py_None() || is_number_of_numpy(object) => Kind::Number,
            () if of == &raw mut ffi::PyList_Type || of == &raw mut ffi::PyTuple_Type => Kind::List,
            () if is_other_array(object) => Kind::OtherArray,
            () => Kind::Other,
        }
    }
}

/// Whether a call is none of those that are recorded: it works on no array of NumPy's own type.
///
/// # Safety
/// The objects of the call are live, and the thread has the interpreter's lock.
pub(super) unsafe fn passes_unseen(operation: &Operation, call: &Call<'_>) -> bool {
    // SAFETY: by the caller's promise; what is listed is live.
    unsafe {
        let is = |wanted: Kind| call.operands().any(|operand| kind(operand) == wanted);
        match operation.origin {
            Origin::Ufunc { .. } | Origin::Generalised { .. } | Origin::UfuncMethod => {
                let out = call.keyword(c"out").filter(|out| !out.is_null());
                let is_written = |out| {
                    kind(out) == Kind::Array || listed(out).into_iter().any(|item| Array::of(item).is_some())
                };
                !is(Kind::Array) && !out.is_some_and(is_written)
            }
            Origin::Function => is(Kind::OtherArray) && !is(Kind::Array),
            _ => false,
        }
    }
}

/// Whether all that a call works on can be read: no list stands for an array, and no array is of another type.
///
/// # Safety
/// As for [`passes_unseen`]; `result` is null or live.
pub(super) unsafe fn is_readable(operation: &Operation, call: &Call<'_>, result: *mut PyObject) -> bool {
    // SAFETY: by the caller's promise.
    unsafe {
        if !result.is_null() && kind(result) == Kind::OtherArray {
            return false;
        }
        let n_operands = n_operands(operation);
        for (at, operand) in call.operands().enumerate() {
            let kind = kind(operand);
            if kind == Kind::OtherArray || (at < n_operands && !matches!(kind, Kind::Array | Kind::Number)) {
                return false;
            }
        }
        true
    }
}

/// How many arguments have to be arrays or numbers for the formulas to hold; others may be lists, or say how.
fn n_operands(operation: &Operation) -> usize {
    let name = operation.name.as_str();
    match operation.origin {
        Origin::Ufunc { n_inputs } | Origin::Generalised { n_inputs } => usize::from(n_inputs),
        Origin::UfuncMethod => 1 + usize::from(name.ends_with(".outer")),
        Origin::Function | Origin::Method => match name.rsplit('.').next().unwrap_or(name) {
            "matmul" | "dot" | "inner" | "vdot" | "vecdot" | "matvec" | "vecmat" | "outer" | "kron"
            | "tensordot" | "convolve" | "correlate" | "solve" | "lstsq" => 2,
            "sum" | "mean" | "prod" | "var" | "std" | "min" | "max" | "sort" | "trace" | "cumsum"
            | "cumprod" => 1,
            _ if name.starts_with("linalg.") && name != "linalg.multi_dot" => 1,
            _ if name.starts_with("fft.") => 1,
            _ => 0,
        },
        Origin::Random | Origin::GetItem | Origin::SetItem => 0,
    }
}

/// Whether any input of an elementwise operation has a shape that is not known here.
///
/// # Safety
/// As for [`passes_unseen`].
pub(super) unsafe fn has_unknown_shape(operation: &Operation, call: &Call<'_>) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { !is_readable(operation, call, std::ptr::null_mut()) }
}
