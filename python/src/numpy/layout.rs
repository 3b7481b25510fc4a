//! Where NumPy and CPython keep what is read of arrays and types, for builds with the interpreter's lock. NumPy promises the
//! layout of an array to extension modules; that of a data type changed once, with 2.0. What is promised by nobody is held
//! against what Python says before anything relies on it: [`check`].

#![expect(unsafe_code, reason = "fields of objects of Python and NumPy are read by their offset")]

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use super::memory::read;

pub(super) use crate::type_layout::{TYPE_BASIC_SIZE, TYPE_VECTORCALL_OFFSET};

/// In a type: the table of sequences, and in that table the function that iteration takes elements by.
pub(super) const TYPE_AS_SEQUENCE: usize = 104;
pub(super) const SEQUENCE_ITEM: usize = 24;
/// In a type: the table of indexing.
pub(super) const TYPE_AS_MAPPING: usize = 112;
/// In that table.
pub(super) const MAPPING_SUBSCRIPT: usize = 8;
pub(super) const MAPPING_ASS_SUBSCRIPT: usize = 16;
/// In the descriptor of a method, and in a built-in function: the pointer to its definition.
pub(super) const DESCRIPTOR_DEFINITION: usize = 40;
pub(super) const FUNCTION_DEFINITION: usize = 16;
/// In an array.
const DATA: usize = 16;
const N_DIMENSIONS: usize = 24;
const DIMENSIONS: usize = 32;
const STRIDES: usize = 40;
const TYPE: usize = 56;
const FLAGS: usize = 64;
/// In a data type.
const KIND: usize = 24;
const NUMBER: usize = 28;
const ITEM_BYTES_1: usize = 32;
const ITEM_BYTES_2: usize = 40;

/// Flags of an array.
pub(super) const C_CONTIGUOUS: i32 = 1;
pub(super) const F_CONTIGUOUS: i32 = 2;
pub(super) const OWNS_DATA: i32 = 4;

/// More dimensions than NumPy ever had.
const MAX_DIMENSIONS: usize = 64;

/// The address of `numpy.ndarray`; 0 while nothing is hooked.
static ARRAY: AtomicUsize = AtomicUsize::new(0);
/// The address of `numpy.generic`, which all numbers of NumPy are of.
static NUMBER_OF_NUMPY: AtomicUsize = AtomicUsize::new(0);
static ITEM_BYTES: AtomicUsize = AtomicUsize::new(0);

/// An array of exactly the type `numpy.ndarray`.
#[derive(Clone, Copy)]
pub(super) struct Array(*const PyObject);

impl Array {
    /// The object as an array, if it is a plain one.
    ///
    /// # Safety
    /// `object` is null or a live object.
    #[inline(always)]
    pub(super) unsafe fn of(object: *mut PyObject) -> Option<Self> {
        // SAFETY: by the caller's promise.
        if object.is_null() { None } else { unsafe { Self::of_live(object) } }
    }

    /// The same for what is surely an object.
    ///
    /// # Safety
    /// `object` is a live object.
    #[inline(always)]
    pub(super) unsafe fn of_live(object: *mut PyObject) -> Option<Self> {
        // SAFETY: an object has a type.
        let is_array = unsafe { ffi::Py_TYPE(object) }.addr() == ARRAY.load(Relaxed);
        is_array.then_some(Self(object))
    }

    /// What is known to be one.
    ///
    /// # Safety
    /// `object` is a live object, of exactly the type of arrays.
    #[inline(always)]
    pub(super) unsafe fn of_known(object: *mut PyObject) -> Self {
        Self(object)
    }

    /// How many dimensions it has.
    #[inline(always)]
    pub(super) fn n_axes(self) -> u32 {
        self.field(N_DIMENSIONS)
    }

    /// Elements along an axis.
    ///
    /// # Safety
    /// It has so many.
    #[inline(always)]
    pub(super) unsafe fn axis(self, at: usize) -> i64 {
        // SAFETY: by the caller's promise.
        unsafe { *self.field::<*const i64>(DIMENSIONS).add(at) }
    }

    /// Its dimensions, if it has two at most: how many, and elements along each, 0 where there is none.
    #[inline(always)]
    pub(super) fn few_dimensions(self) -> Option<(u32, i64, i64)> {
        let n: i32 = self.field(N_DIMENSIONS);
        let first: *const i64 = self.field(DIMENSIONS);
        // SAFETY: an array has as many of them as it has dimensions.
        unsafe {
            match n {
                1 => Some((1, *first, 0)),
                2 => Some((2, *first, *first.add(1))),
                0 => Some((0, 0, 0)),
                _ => None,
            }
        }
    }

    #[inline(always)]
    fn field<T: Copy>(self, offset: usize) -> T {
        // SAFETY: a plain array has these fields, which `check` has seen.
        unsafe { read(self.0, offset) }
    }

    #[inline(always)]
    fn of_type<T: Copy>(self, offset: usize) -> T {
        // SAFETY: as above, of its data type.
        unsafe { read(self.field::<*const PyObject>(TYPE), offset) }
    }

    /// Where its first element lies.
    #[inline(always)]
    pub(super) fn data(self) -> *const u8 {
        self.field(DATA)
    }

    /// Elements along each axis.
    #[inline(always)]
    pub(super) fn dimensions(self) -> &'static [i64] {
        self.axes(DIMENSIONS)
    }

    /// Bytes from one element to the next along each axis.
    #[inline(always)]
    pub(super) fn strides(self) -> &'static [i64] {
        self.axes(STRIDES)
    }

    /// Borrowed for as long as the array is not reshaped: nobody keeps it.
    #[inline(always)]
    fn axes(self, offset: usize) -> &'static [i64] {
        let n = (self.field::<i32>(N_DIMENSIONS) as usize).min(MAX_DIMENSIONS);
        let first: *const i64 = self.field(offset);
        // SAFETY: an array has as many of each as it has dimensions.
        if n == 0 || first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, n) } }
    }

    #[inline(always)]
    pub(super) fn flags(self) -> i32 {
        self.field(FLAGS)
    }

    /// NumPy's number of its data type.
    #[inline(always)]
    pub(super) fn type_number(self) -> i32 {
        self.of_type(NUMBER)
    }

    /// The letter for the kind of its data type, such as `f`.
    pub(super) fn kind(self) -> u8 {
        self.of_type(KIND)
    }

    /// Bytes of an element.
    #[inline(always)]
    pub(super) fn item_bytes(self) -> u64 {
        match ITEM_BYTES.load(Relaxed) {
            ITEM_BYTES_1 => u64::try_from(self.of_type::<i32>(ITEM_BYTES_1)).unwrap_or(0),
            _ => u64::try_from(self.of_type::<i64>(ITEM_BYTES_2)).unwrap_or(0),
        }
    }

    /// Elements in all.
    #[inline(always)]
    pub(super) fn len(self) -> u64 {
        self.dimensions().iter().fold(1, |all, n| all.wrapping_mul(n.cast_unsigned()))
    }

    /// Whether it lies in memory without gaps, in one order or the other.
    pub(super) fn is_contiguous(self) -> bool {
        self.flags() & (C_CONTIGUOUS | F_CONTIGUOUS) != 0
    }

    /// Bytes that reading all of it touches: an axis without stride is the same memory again.
    pub(super) fn touched_bytes(self) -> u64 {
        let axes = self.dimensions().iter().zip(self.strides());
        axes.fold(self.item_bytes(), |all, (n, stride)| {
            if *stride == 0 && *n > 0 { all } else { all.saturating_mul(n.cast_unsigned()) }
        })
    }
}

/// Whether it is an array of another type than NumPy's own.
///
/// # Safety
/// `object` is a live object.
pub(super) unsafe fn is_other_array(object: *mut PyObject) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { Array::of_live(object).is_none() && is_instance(object, &ARRAY) }
}

/// Whether it is a single number of NumPy's.
///
/// # Safety
/// `object` is a live object.
pub(super) unsafe fn is_number_of_numpy(object: *mut PyObject) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { is_instance(object, &NUMBER_OF_NUMPY) }
}

/// # Safety
/// `object` is a live object.
unsafe fn is_instance(object: *mut PyObject, of: &AtomicUsize) -> bool {
    let kind = std::ptr::with_exposed_provenance_mut::<ffi::PyTypeObject>(of.load(Relaxed));
    // SAFETY: by the caller's promise; the types of NumPy are never freed.
    !kind.is_null() && unsafe { ffi::PyType_IsSubtype(ffi::Py_TYPE(object), kind) } != 0
}

/// Begins to know arrays, after [`check`].
pub(super) fn know(array: &Bound<'_, PyAny>, number: &Bound<'_, PyAny>, major: u32) {
    NUMBER_OF_NUMPY.store(number.as_ptr().expose_provenance(), Relaxed);
    ITEM_BYTES.store(if major >= 2 { ITEM_BYTES_2 } else { ITEM_BYTES_1 }, Relaxed);
    ARRAY.store(array.as_ptr().expose_provenance(), Relaxed);
}

/// Holds the layouts against what Python says of some types and arrays; the text says what was found to differ.
pub(super) fn check(numpy: &Bound<'_, PyAny>) -> PyResult<Result<(), String>> {
    let py = numpy.py();
    let array_type = numpy.getattr("ndarray")?;
    let types =
        [array_type.clone(), numpy.getattr("ufunc")?, py.get_type::<pyo3::types::PyDict>().into_any()];
    for kind in &types {
        let said: usize = kind.getattr("__basicsize__")?.extract()?;
        // SAFETY: types are larger than this.
        let found: usize = unsafe { read(kind.as_ptr(), TYPE_BASIC_SIZE) };
        if said != found {
            return Ok(Err(format!("the size of {kind} is {said} and was read as {found}")));
        }
        if kind.is(&array_type) && said <= FLAGS {
            return Ok(Err(format!("an array has {said} bytes, which is too few")));
        }
    }
    for (dtype, shape) in
        [("int16", (3_i64, 5_i64)), ("complex128", (2, 1)), ("<U7", (4, 2)), ("float64", (0, 6))]
    {
        let made = numpy.call_method1("empty", (shape, dtype))?;
        let turned = made.getattr("T")?;
        for object in [made, turned] {
            // SAFETY: the object is live.
            let Some(array) = (unsafe { Array::of(object.as_ptr()) }) else {
                return Ok(Err("what numpy.empty made is no numpy.ndarray".to_owned()));
            };
            let dtype = object.getattr("dtype")?;
            let said: (Vec<i64>, Vec<i64>, i32, u64, usize) = (
                object.getattr("shape")?.extract()?,
                object.getattr("strides")?.extract()?,
                dtype.getattr("num")?.extract()?,
                dtype.getattr("itemsize")?.extract()?,
                object.getattr("ctypes")?.getattr("data")?.extract()?,
            );
            let found = (
                array.dimensions().to_vec(),
                array.strides().to_vec(),
                array.type_number(),
                array.item_bytes(),
                array.data().addr(),
            );
            let flags = object.getattr("flags")?;
            let said_flags: [bool; 3] = [
                flags.getattr("c_contiguous")?.extract()?,
                flags.getattr("f_contiguous")?.extract()?,
                flags.getattr("owndata")?.extract()?,
            ];
            let found_flags = [C_CONTIGUOUS, F_CONTIGUOUS, OWNS_DATA].map(|flag| array.flags() & flag != 0);
            let kind: String = dtype.getattr("kind")?.extract()?;
            if said != found || said_flags != found_flags || kind.as_bytes() != [array.kind()] {
                return Ok(Err(format!(
                    "an array is {said:?} {said_flags:?} and was read as {found:?} {found_flags:?}"
                )));
            }
        }
    }
    Ok(Ok(()))
}
