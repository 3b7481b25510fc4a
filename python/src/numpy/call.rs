//! One call as hooks see it: what is called, and its arguments in the order of the call, those by keyword last.

#![expect(unsafe_code, reason = "arguments are live objects of Python, looked at by their pointers")]

use std::ffi::{CStr, c_char};

use pyo3::ffi::{self, PyObject};

use super::layout::Array;
use super::operation::Operation;

/// What is called.
#[derive(Clone, Copy)]
pub(super) enum Called {
    /// It was found when the hook was made.
    Known(&'static Operation),
    /// The ufunc or function that has this address.
    At(usize),
    /// This method of a ufunc.
    Of(&'static Operation, *mut PyObject),
}

/// A call.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) called: Called,
    /// The array a method is of; null for functions.
    pub(super) this: *mut PyObject,
    /// Arguments by position, then those by keyword.
    pub(super) arguments: &'a [*mut PyObject],
    pub(super) n_positional: usize,
    /// The tuple of keywords; null where there are none, or they are in `dictionary`.
    pub(super) names: *mut PyObject,
    /// The dictionary of keywords; null where there is none.
    pub(super) dictionary: *mut PyObject,
    /// Elements that are set by index; 0 where a result tells how many there are.
    pub(super) n_set: u64,
}

impl Call<'_> {
    /// All that is worked on, the array of a method first, without keywords.
    pub(super) fn operands(&self) -> impl Iterator<Item = *mut PyObject> {
        let this = (!self.this.is_null()).then_some(self.this);
        let positional = self.arguments.iter().take(self.n_positional);
        this.into_iter().chain(positional.copied().filter(|object| !object.is_null()))
    }

    /// Elements of what came out, or of what was set; 0 of anything but an array.
    ///
    /// # Safety
    /// `result` is null or a live object.
    #[inline(always)]
    pub(super) unsafe fn result_len(&self, result: *mut PyObject) -> u64 {
        // SAFETY: by the caller's promise.
        unsafe { Array::of(result) }.map_or(self.n_set, Array::len)
    }

    /// The argument of a keyword.
    pub(super) fn keyword(&self, name: &CStr) -> Option<*mut PyObject> {
        // SAFETY: hooks run with the lock, and the tuple and the dictionary are those of the call.
        unsafe {
            if !self.names.is_null() {
                let n = ffi::PyTuple_Size(self.names).max(0) as usize;
                let at = (0..n).find(|at| {
                    let keyword = ffi::PyTuple_GetItem(self.names, *at as isize);
                    !keyword.is_null() && is_text(keyword, name)
                })?;
                return self.arguments.get(self.n_positional + at).copied();
            }
            if self.dictionary.is_null() {
                return None;
            }
            let found = ffi::PyDict_GetItemString(self.dictionary, name.as_ptr().cast::<c_char>());
            (!found.is_null()).then_some(found)
        }
    }
}

/// # Safety
/// `object` is a live text.
unsafe fn is_text(object: *mut PyObject, text: &CStr) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { ffi::PyUnicode_CompareWithASCIIString(object, text.as_ptr()) == 0 }
}
