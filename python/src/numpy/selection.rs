//! How many elements an index selects, out of the index and the shape alone. Setting elements gives no result that would
//! tell it, and how many a mask selects is known only from what is put there.

#![expect(unsafe_code, reason = "indices are live objects of Python, looked at by their pointers")]

use pyo3::ffi::{self, PyObject};

use super::layout::Array;

/// In place of a number that cannot be told.
pub(super) const UNKNOWN: u64 = u64::MAX;

/// How many elements `array[index] = value` sets, or [`UNKNOWN`].
///
/// # Safety
/// The objects are live, and the thread has the interpreter's lock.
pub(super) unsafe fn set(array: Array, index: *mut PyObject, value: *mut PyObject) -> u64 {
    // SAFETY: by the caller's promise.
    unsafe {
        if let Some(mask) = Array::of(index).filter(|index| index.kind() == b'b') {
            let is_whole = mask.dimensions().len() == array.dimensions().len();
            return match Array::of(value).map(|value| value.dimensions()) {
                Some([n]) if is_whole && *n != 1 => n.cast_unsigned(),
                _ => UNKNOWN,
            };
        }
        selected(array, index).unwrap_or(UNKNOWN)
    }
}

/// How many elements are selected; `None` of masks and of anything unusual.
///
/// # Safety
/// As for [`set`].
unsafe fn selected(array: Array, index: *mut PyObject) -> Option<u64> {
    // SAFETY: by the caller's promise.
    unsafe {
        let axes = array.dimensions();
        if ffi::Py_TYPE(index) == &raw mut ffi::PySlice_Type {
            let (first, rest) = axes.split_first()?;
            return Some(within(*first, index)?.saturating_mul(product(rest)));
        }
        if ffi::Py_TYPE(index) != &raw mut ffi::PyTuple_Type {
            return by_items(axes, &[index]);
        }
        let n = ffi::PyTuple_Size(index).max(0);
        let items: Vec<*mut PyObject> = (0..n).map(|at| ffi::PyTuple_GetItem(index, at)).collect();
        by_items(axes, &items)
    }
}

/// # Safety
/// As for [`set`].
unsafe fn by_items(axes: &[i64], items: &[*mut PyObject]) -> Option<u64> {
    // SAFETY: by the caller's promise; the constants are compared and not kept.
    unsafe {
        let (none, rest) = (ffi::Py_None(), ffi::Py_Ellipsis());
        let n_given = items.iter().filter(|item| **item != none && **item != rest).count();
        let (mut axes, mut n, mut by_arrays) = (axes, 1_u64, Vec::new());
        for &item in items {
            if item == none {
                continue;
            }
            if item == rest {
                let (passed, left) = axes.split_at_checked(axes.len().checked_sub(n_given)?)?;
                n = n.saturating_mul(product(passed));
                axes = left;
                continue;
            }
            let (axis, left) = axes.split_first()?;
            axes = left;
            if ffi::Py_TYPE(item) == &raw mut ffi::PySlice_Type {
                n = n.saturating_mul(within(*axis, item)?);
            } else {
                broadcast(&mut by_arrays, &extents(item)?)?;
            }
        }
        // Axes that are not named are taken whole; an ellipsis has taken them.
        Some(n.saturating_mul(product(axes)).saturating_mul(product(&by_arrays)))
    }
}

/// The extents of an item that says which elements: none of a number.
///
/// # Safety
/// As for [`set`].
unsafe fn extents(item: *mut PyObject) -> Option<Vec<i64>> {
    // SAFETY: by the caller's promise.
    unsafe {
        if let Some(array) = Array::of(item) {
            return (array.kind() != b'b').then(|| array.dimensions().to_vec());
        }
        let kind = ffi::Py_TYPE(item);
        if kind == &raw mut ffi::PyList_Type {
            let n = ffi::PyList_Size(item);
            let is_number = n == 0 || ffi::Py_TYPE(ffi::PyList_GetItem(item, 0)) == &raw mut ffi::PyLong_Type;
            return is_number.then(|| vec![n as i64]);
        }
        (kind != &raw mut ffi::PyBool_Type && ffi::PyIndex_Check(item) != 0).then(Vec::new)
    }
}

/// Adds the extents of one array of indices to those of the others.
fn broadcast(all: &mut Vec<i64>, one: &[i64]) -> Option<()> {
    while all.len() < one.len() {
        all.insert(0, 1);
    }
    let from = all.len() - one.len();
    for (known, n) in all.iter_mut().skip(from).zip(one) {
        match (*known, *n) {
            (known, n) if known == n || n == 1 => {}
            (1, n) => *known = n,
            _ => return None,
        }
    }
    Some(())
}

/// Elements of an axis that a slice selects.
///
/// # Safety
/// As for [`set`]; the object is a slice.
#[inline]
unsafe fn within(n: i64, slice: *mut PyObject) -> Option<u64> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: by the caller's promise; an error of odd bounds is the program's to see when it indexes by them.
    unsafe {
        if ffi::PySlice_Unpack(slice, &raw mut start, &raw mut stop, &raw mut step) < 0 {
            ffi::PyErr_Clear();
            return None;
        }
        u64::try_from(ffi::PySlice_AdjustIndices(n as isize, &raw mut start, &raw mut stop, step)).ok()
    }
}

fn product(axes: &[i64]) -> u64 {
    axes.iter().fold(1, |all, n| all.saturating_mul(n.cast_unsigned()))
}
