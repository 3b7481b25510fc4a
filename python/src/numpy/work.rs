//! What a call works on: elements, bytes and operations on floating-point numbers, out of the shapes of its operands and of its
//! result. Bytes are those that have to be touched: each operand once, memory that an axis without stride repeats once, and the
//! result. A result that is a view touches nothing.

#![expect(
    unsafe_code,
    reason = "operands and results are live objects of Python, looked at by their pointers"
)]

use calor::CallWork;
use pyo3::ffi::{self, PyObject};

use super::call::Call;
use super::key::listed;
use super::layout::{Array, OWNS_DATA, is_other_array};
use super::operation::{Operation, Origin};
use super::part::{self, Part};
use super::selection::UNKNOWN;
use super::site_table::Known;
use super::{einsum, flops, operand_kind};

/// Work of a call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Work {
    pub(super) elements: u64,
    pub(super) bytes: u64,
    pub(super) flops: u64,
}

impl Work {
    pub(super) const NONE: Self = Self { elements: 0, bytes: 0, flops: 0 };

    /// As the recorder takes it from a call; what serves it is said by the site.
    #[inline(always)]
    pub(super) fn told(self) -> CallWork {
        CallWork { elements: self.elements, bytes: self.bytes, flops: self.flops, backend: None }
    }
}

/// The data types that are numbers have the first numbers; then come those of objects, texts and records.
const NUMBER_TYPES: std::ops::Range<i32> = 0..17;

/// Bytes of a single number as a result, about.
const NUMBER_BYTES: u64 = 8;

/// Arrays of a call and of its result.
pub(super) struct Arrays {
    /// What is read.
    pub(super) inputs: Vec<Array>,
    /// What is given to be written to.
    pub(super) given: Option<Array>,
    /// What came out.
    pub(super) results: Vec<Array>,
}

impl Arrays {
    /// # Safety
    /// The objects of the call are live, the result is null or live, and the thread has the interpreter's lock.
    pub(super) unsafe fn of(operation: &Operation, call: &Call<'_>, result: *mut PyObject) -> Self {
        let mut inputs = Vec::new();
        let mut given = None;
        let n_inputs = match operation.origin {
            Origin::Ufunc { n_inputs } | Origin::Generalised { n_inputs } => usize::from(n_inputs),
            _ => usize::MAX,
        };
        // SAFETY: by the caller's promise.
        unsafe {
            for (at, operand) in call.operands().enumerate() {
                match Array::of(operand) {
                    Some(array) if at < n_inputs => inputs.push(array),
                    Some(array) => given = Some(array),
                    None => inputs.extend(arrays_in(operand)),
                }
            }
            if let Some(out) = call.keyword(c"out") {
                given = given.or_else(|| Array::of(out).or_else(|| arrays_in(out).next()));
            }
            let results = match Array::of(result) {
                Some(array) => vec![array],
                None if result.is_null() => Vec::new(),
                None => arrays_in_result(result).collect(),
            };
            Self { inputs, given, results }
        }
    }

    pub(super) fn results_len(&self) -> u64 {
        self.results.iter().map(|array| array.len()).sum()
    }

    /// Bytes of what came out, which may be a single number.
    pub(super) fn written_bytes(&self, result: *mut PyObject) -> u64 {
        if self.results.is_empty() && !result.is_null() && result != none() {
            return NUMBER_BYTES;
        }
        self.results.iter().map(|array| array.len().saturating_mul(array.item_bytes())).sum()
    }
}

/// Arrays in a list or a tuple.
///
/// # Safety
/// `object` is live, and the thread has the interpreter's lock.
unsafe fn arrays_in(object: *mut PyObject) -> impl Iterator<Item = Array> {
    // SAFETY: by the caller's promise; what is listed is live while the list is.
    unsafe { listed(object).into_iter().filter_map(|item| Array::of(item)) }
}

/// Arrays in a result, which may be a tuple with names.
///
/// # Safety
/// As for [`arrays_in`].
unsafe fn arrays_in_result(result: *mut PyObject) -> impl Iterator<Item = Array> {
    // SAFETY: by the caller's promise; items are asked for below the count, and live while the result is.
    unsafe {
        let n = if ffi::PyTuple_Check(result) != 0 { ffi::PyTuple_Size(result) } else { 0 };
        let in_tuple = (0..n).filter_map(move |at| Array::of(ffi::PyTuple_GetItem(result, at)));
        in_tuple.chain(arrays_in(result).take(if n > 0 { 0 } else { usize::MAX }))
    }
}

/// Whether the calls of a site run no code but NumPy's and each does the same: a ufunc on numbers.
///
/// # Safety
/// As for [`Arrays::of`].
pub(super) unsafe fn is_plain(known: &Known, call: &Call<'_>, result: *mut PyObject) -> bool {
    let are_numbers = |array: Array| NUMBER_TYPES.contains(&array.type_number());
    // SAFETY: by the caller's promise.
    let is_number = |object: *mut PyObject| unsafe {
        match Array::of(object) {
            Some(array) => are_numbers(array),
            None => {
                let kind = ffi::Py_TYPE(object);
                kind == &raw mut ffi::PyFloat_Type || kind == &raw mut ffi::PyLong_Type
            }
        }
    };
    known.is_constant
        && matches!(known.operation.origin, Origin::Ufunc { .. })
        && call.names.is_null()
        && call.operands().all(is_number)
        // SAFETY: by the caller's promise.
        && unsafe { Array::of(result) }.is_some_and(are_numbers)
}

/// The work of a call that gave a result.
///
/// # Safety
/// As for [`Arrays::of`].
pub(super) unsafe fn of(operation: &Operation, call: &Call<'_>, result: *mut PyObject) -> Work {
    if operation.origin == Origin::SetItem {
        // SAFETY: by the caller's promise.
        return unsafe { of_setting(call) };
    }
    // SAFETY: by the caller's promise.
    if !unsafe { operand_kind::is_readable(operation, call, result) } {
        return Work::NONE;
    }
    if einsum::is_it(operation) {
        // SAFETY: by the caller's promise.
        return unsafe { einsum::of(operation, call, result) };
    }
    // SAFETY: by the caller's promise.
    if let Some(part) = unsafe { part::of(operation, call) } {
        let work =
            |Part { elements, bytes, flops_each }| Work { elements, bytes, flops: elements * flops_each };
        return part.map_or(Work::NONE, work);
    }
    // SAFETY: by the caller's promise.
    let arrays = unsafe { Arrays::of(operation, call, result) };
    let largest = arrays.inputs.iter().map(|array| array.len()).max().unwrap_or(0);
    let results_len = arrays.results_len();
    let read: u64 = arrays.inputs.iter().map(|array| array.touched_bytes()).sum();
    let elements = largest.max(results_len);
    // Of a list nothing is read that could be counted.
    let is_of_list = arrays.results.is_empty() && arrays.inputs.is_empty();
    let written = if is_of_list { 0 } else { arrays.written_bytes(result) };
    let flops = flops::of(operation, &arrays);
    let bytes = match operation.origin {
        Origin::GetItem => taken_bytes(&arrays),
        _ if is_view(&arrays) => 0,
        _ => match operation.name.as_str() {
            "empty" | "empty_like" => 0,
            // Large ones are pages that the system gives out as zeros when they are touched first.
            "zeros" => 0,
            // Only the shape of what they are like is looked at.
            "zeros_like" | "ones_like" | "full_like" => written,
            // Lists may hold more arrays than are looked at; what comes out is as much as went in.
            "concatenate" | "stack" | "hstack" | "vstack" | "dstack" | "column_stack" | "block" => {
                2 * written
            }
            // In place: read and written.
            "ndarray.sort" | "ndarray.partition" | "ndarray.byteswap" if arrays.results.is_empty() => {
                2 * read
            }
            "take" | "ndarray.take" | "take_along_axis" | "compress" | "ndarray.compress" => {
                let index: u64 = arrays.inputs.iter().skip(1).map(|array| array.touched_bytes()).sum();
                2 * written + index
            }
            _ => read.saturating_add(written),
        },
    };
    let elements = if bytes == 0 && flops == 0 { results_len } else { elements };
    Work { elements, bytes, flops }
}

/// Taking elements touches them twice, as it reads and writes them, and the arrays that say which elements.
fn taken_bytes(arrays: &Arrays) -> u64 {
    if is_view(arrays) {
        return 0;
    }
    let taken: u64 = arrays.results.iter().map(|array| array.len().saturating_mul(array.item_bytes())).sum();
    let index: u64 = arrays.inputs.iter().skip(1).map(|array| array.touched_bytes()).sum();
    2 * taken + index
}

/// Setting elements writes them, and reads the value and the arrays that say which elements. Asked of each call whose index
/// selects another number of them, so it is quick.
///
/// # Safety
/// The objects of the call are live.
unsafe fn of_setting(call: &Call<'_>) -> Work {
    // SAFETY: by the caller's promise.
    unsafe {
        let ([index, value], Some(array)) = (call.arguments, Array::of(call.this)) else { return Work::NONE };
        if call.n_set == UNKNOWN || is_other_array(*value) {
            return Work::NONE;
        }
        let read = Array::of(*value).map_or(NUMBER_BYTES, Array::touched_bytes);
        let by_index = match Array::of(*index) {
            Some(index) => index.touched_bytes(),
            None => arrays_in(*index).map(Array::touched_bytes).sum(),
        };
        let written = call.n_set.saturating_mul(array.item_bytes());
        Work { elements: call.n_set, bytes: written.saturating_add(read + by_index), flops: 0 }
    }
}

/// Whether the result is memory of an operand, seen another way.
pub(super) fn is_view(arrays: &Arrays) -> bool {
    let (Some(result), Some(operand)) = (arrays.results.first(), arrays.inputs.first()) else { return false };
    if arrays.given.is_some_and(|given| given.data() == result.data()) {
        return false;
    }
    // An array that owns its memory is a view only where it is the operand itself.
    if result.flags() & OWNS_DATA != 0 {
        return result.data() == operand.data() && operand.len() > 0;
    }
    let (from, to) = extent(*operand);
    (from..to).contains(&result.data().addr())
}

/// The memory that an array lies in.
fn extent(array: Array) -> (usize, usize) {
    let first = array.data().addr();
    let axes = array.dimensions().iter().zip(array.strides());
    let reach = |(low, high): (i64, i64), (n, stride): (&i64, &i64)| {
        let span = (n - 1).max(0).saturating_mul(*stride);
        (low.saturating_add(span.min(0)), high.saturating_add(span.max(0)))
    };
    let (low, high) = axes.fold((0, 0), reach);
    let end = first.saturating_add_signed(high as isize).saturating_add(array.item_bytes() as usize);
    (first.saturating_add_signed(low as isize), end)
}

fn none() -> *mut PyObject {
    // SAFETY: there is one, and it is not kept.
    unsafe { ffi::Py_None() }
}
