//! Operations that touch a part of their operands: a diagonal, the elements at some indices, as many as it takes to know.
//! Counting all of the operands would tell rates that no memory has.

#![expect(unsafe_code, reason = "operands are live objects of Python, looked at by their pointers")]

use pyo3::ffi::{self, PyObject};

use super::call::Call;
use super::layout::Array;
use super::operation::{Operation, Origin};

/// What such an operation touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) elements: u64,
    pub(super) bytes: u64,
    /// Operations on floating-point numbers for each element, where elements are such.
    pub(super) flops_each: u64,
}

/// Those that stop when they know, or touch elements by what these hold.
const UNTOLD: [&str; 9] = [
    "all",
    "any",
    "fill_diagonal",
    "place",
    "putmask",
    "searchsorted",
    "logical_and",
    "logical_or",
    "sometrue",
];
/// Those that look at no element.
const TOUCH_NOTHING: [&str; 12] = [
    "can_cast",
    "common_type",
    "iscomplexobj",
    "isrealobj",
    "may_share_memory",
    "min_scalar_type",
    "ndim",
    "result_type",
    "shape",
    "shares_memory",
    "size",
    "broadcast_arrays",
];
/// Bytes of a number of Python's, about.
const NUMBER_BYTES: u64 = 8;
/// Longer lists are not told apart by their length.
const MAX_LISTED: isize = 5;

/// The part that a call touches: `None` if it goes through its operands, `Some(None)` if nobody can say.
///
/// # Safety
/// The objects of the call are live, and the thread has the interpreter's lock.
pub(super) unsafe fn of(operation: &Operation, call: &Call<'_>) -> Option<Option<Part>> {
    let name = operation.name.as_str();
    let bare = name.rsplit('.').next().unwrap_or(name);
    // SAFETY: by the caller's promise.
    unsafe {
        match (operation.origin, bare) {
            (Origin::UfuncMethod, "at") => Some(at_indices(call, 2, 1)),
            (Origin::UfuncMethod, "reduce") if name.starts_with("logical_") => Some(None),
            (Origin::Function | Origin::Method, "put" | "put_along_axis") => Some(at_indices(call, 1, 0)),
            (Origin::Function | Origin::Method, "trace") => Some(diagonal(call)),
            (Origin::Function | Origin::Method, _)
                if UNTOLD.contains(&bare) || TOUCH_NOTHING.contains(&bare) =>
            {
                Some(None)
            }
            (Origin::Function, "copyto") if call.keyword(c"where").is_some() => Some(None),
            _ => None,
        }
    }
}

/// Elements of the first operand at the indices that the second says, each touched so many times, and the values.
///
/// # Safety
/// As for [`of`].
unsafe fn at_indices(call: &Call<'_>, times: u64, flops_each: u64) -> Option<Part> {
    // SAFETY: by the caller's promise.
    unsafe {
        let mut operands = call.operands();
        let array = Array::of(operands.next()?)?;
        let (elements, index_bytes) = indices(operands.next()?)?;
        let value_bytes = match operands.next() {
            Some(values) => Array::of(values).map_or(NUMBER_BYTES, Array::touched_bytes),
            None => 0,
        };
        let bytes = elements.saturating_mul(array.item_bytes()).saturating_mul(times);
        let flops_each = if matches!(array.kind(), b'f' | b'c') { flops_each } else { 0 };
        Some(Part { elements, bytes: bytes + index_bytes + value_bytes, flops_each })
    }
}

/// How many indices there are, and their bytes; `None` of masks, tuples and long lists.
///
/// # Safety
/// As for [`of`].
unsafe fn indices(object: *mut PyObject) -> Option<(u64, u64)> {
    // SAFETY: by the caller's promise.
    unsafe {
        if let Some(array) = Array::of(object) {
            return (array.kind() != b'b').then(|| (array.len(), array.touched_bytes()));
        }
        if ffi::Py_TYPE(object) == &raw mut ffi::PyLong_Type {
            return Some((1, NUMBER_BYTES));
        }
        let n = if ffi::Py_TYPE(object) == &raw mut ffi::PyList_Type { ffi::PyList_Size(object) } else { 0 };
        let are_numbers =
            (0..n.min(MAX_LISTED)).all(|at| ffi::PyLong_CheckExact(ffi::PyList_GetItem(object, at)) != 0);
        let n = u64::try_from(n).ok().filter(|_| are_numbers && (1..=MAX_LISTED).contains(&n))?;
        Some((n, n * NUMBER_BYTES))
    }
}

/// The diagonal of the first two axes, where nothing else was asked for.
///
/// # Safety
/// As for [`of`].
unsafe fn diagonal(call: &Call<'_>) -> Option<Part> {
    let mut operands = call.operands();
    // SAFETY: by the caller's promise.
    let array = unsafe { Array::of(operands.next()?) }?;
    let is_asked_more = operands.next().is_some() || call.arguments.len() > call.n_positional;
    let [rows, columns, rest @ ..] = array.dimensions() else { return None };
    if is_asked_more {
        return None;
    }
    let others: u64 = rest.iter().map(|n| n.cast_unsigned()).product();
    let elements = rows.min(columns).cast_unsigned().saturating_mul(others);
    let flops_each = u64::from(matches!(array.kind(), b'f' | b'c'));
    let bytes = elements.saturating_add(others).saturating_mul(array.item_bytes());
    Some(Part { elements, bytes, flops_each })
}
