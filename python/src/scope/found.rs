//! `calor.scope("x")`: the object of a name at a place is made once and found again by the two, which is what makes a
//! fresh `with calor.scope("x")` nearly as quick as one that is kept. The table holds what it compares, so that no other
//! function or name can be taken for it, and its size is fixed.

#![expect(unsafe_code, reason = "the table is the interpreter's: whoever holds its lock may touch it")]

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use calor::{LabelValue, Site};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use super::heap_type::{METH_FASTCALL, attached, fast_with_keywords as fast, held, method, methods};
use super::{object, sites, text};
use crate::frame::{self, Place};

/// Names and places that are remembered.
const SLOTS: usize = 2048;

/// Labels of a call that is remembered; calls with more find their site each time.
const MAX_LABELS: usize = 3;

/// What was asked for: a name at a place, with the names of labels, which are one tuple at one place, and their values.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked {
    name: *mut ffi::PyObject,
    place: Place,
    keywords: *mut ffi::PyObject,
    values: [*mut ffi::PyObject; MAX_LABELS],
}

/// What was found. References to all of it are held.
#[derive(Clone, Copy)]
struct Slot {
    asked: Asked,
    object: *mut ffi::PyObject,
}

const EMPTY: Slot = Slot {
    asked: Asked {
        name: std::ptr::null_mut(),
        place: Place { code: 0, instruction: 0 },
        keywords: std::ptr::null_mut(),
        values: [std::ptr::null_mut(); MAX_LABELS],
    },
    object: std::ptr::null_mut(),
};

struct Table(UnsafeCell<[Slot; SLOTS]>);
// SAFETY: only threads that hold the interpreter's lock touch it; builds without one do not load this module.
unsafe impl Sync for Table {}

static SCOPES: Table = Table(UnsafeCell::new([EMPTY; SLOTS]));
static CONTEXTS: Table = Table(UnsafeCell::new([EMPTY; SLOTS]));

const SCOPE_DOC: &CStr = c"scope(name, /, **labels)\n--\n\n\
Times what runs inside ``with calor.scope(\"name\"):``.\n\n\
The same name at the same place (the same line of the same function) is the same object, which may be kept, used\n\
again, nested and shared by threads. Labels tell calls apart: each set of values has figures of its own. ``async with`` and scopes in\n\
generators and coroutines are open while those run. While profiling is off, nothing is recorded, and ``as`` gives a\n\
scope that does nothing: keep what ``calor.scope`` returns.\n\n\
>>> import calor\n\
>>> with calor.scope(\"load\", codec=\"zstd\") as scope:\n\
...     scope.bytes(4096)\n\
...     scope.add(\"rows\", 64)\n";
const CONTEXT_DOC: &CStr = c"ProfileContext(name, /)\n--\n\n\
A scope whose inside can be reported alone: ``calor.profile_report(context=\"name\")``.\n\n\
Where profiling is off, it is on while the block runs.\n\n\
>>> import calor\n\
>>> with calor.ProfileContext(\"preprocessing\"):\n\
...     rows = sorted([3, 1, 2])\n";

/// Adds the functions to the module.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let flags = METH_FASTCALL | ffi::METH_KEYWORDS;
    let table = methods(vec![
        method(c"scope", fast(scope), flags, SCOPE_DOC),
        method(c"ProfileContext", fast(context), flags, CONTEXT_DOC),
    ]);
    for at in 0..2 {
        // SAFETY: the table is kept for good and has two methods; the name of the module is an object.
        let function = unsafe {
            let name = PyString::new(module.py(), "calor");
            let function = ffi::PyCFunction_NewEx(table.add(at), std::ptr::null_mut(), name.as_ptr());
            Bound::from_owned_ptr_or_err(module.py(), function)?
        };
        module.add(function.getattr("__name__")?.cast::<PyString>()?, &function)?;
    }
    Ok(())
}

unsafe extern "C" fn scope(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as the interpreter calls us.
    unsafe { find(&SCOPES, args, n_args, keywords) }
}

unsafe extern "C" fn context(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as the interpreter calls us.
    unsafe { find(&CONTEXTS, args, n_args, keywords) }
}

/// # Safety
/// As the interpreter calls a function: so many arguments, and as many more as there are keywords.
#[inline(always)]
unsafe fn find(
    table: &'static Table,
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as promised to us.
    let asked = unsafe { asked(args, n_args, keywords) };
    if let Some(asked) = asked {
        let slot = table.slot(&asked);
        // SAFETY: the interpreter's lock is held, so nobody changes the slot, which holds the object.
        unsafe {
            if (*slot).asked == asked {
                return held((*slot).object);
            }
        }
    }
    // SAFETY: as promised to us.
    unsafe { make(table, args, n_args, keywords, asked) }
}

/// What is asked for, if it can be remembered.
///
/// # Safety
/// As for `find`.
#[inline(always)]
unsafe fn asked(
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> Option<Asked> {
    if n_args != 1 {
        return None;
    }
    let mut values = [std::ptr::null_mut(); MAX_LABELS];
    if !keywords.is_null() {
        // SAFETY: keywords are a tuple.
        let n_labels = usize::try_from(unsafe { ffi::PyTuple_Size(keywords) }).ok()?;
        for (at, value) in values.get_mut(..n_labels)?.iter_mut().enumerate() {
            // SAFETY: their values stand behind the argument.
            *value = unsafe { *args.add(1 + at) };
        }
    }
    // SAFETY: there is one argument.
    Some(Asked { name: unsafe { *args }, place: frame::place(), keywords, values })
}

impl Table {
    #[inline(always)]
    fn slot(&self, asked: &Asked) -> *mut Slot {
        const MIX: usize = 0x9e37_79b9_7f4a_7c15;
        let Asked { name, place, values, .. } = asked;
        let values = values.iter().fold(0, |mixed: usize, value| mixed.rotate_left(23) ^ value.addr());
        let place = place.code.rotate_left(17) ^ place.instruction.rotate_left(37);
        let mixed = (name.addr() ^ place ^ values).wrapping_mul(MIX);
        // SAFETY: the number is below that of the slots.
        unsafe { self.0.get().cast::<Slot>().add(mixed >> (usize::BITS - SLOTS.trailing_zeros())) }
    }

    /// Remembers an object; what was there before is let go.
    fn remember(&self, asked: Asked, object: *mut ffi::PyObject) {
        let slot = self.slot(&asked);
        let held = |slot: &Slot| {
            let Slot { asked: Asked { name, place, keywords, values }, object } = *slot;
            let code = std::ptr::with_exposed_provenance_mut(place.code);
            [name, code, keywords, object].into_iter().chain(values)
        };
        let now = Slot { asked, object };
        // SAFETY: the interpreter's lock is held; references are taken before others are given back, which may run code
        // that comes here again, so that is last.
        unsafe {
            held(&now).for_each(|taken| ffi::Py_XINCREF(taken));
            let before = std::mem::replace(&mut *slot, now);
            held(&before).for_each(|given| ffi::Py_XDECREF(given));
        }
    }
}

/// Makes the object of a name at the place that asks.
///
/// # Safety
/// As for `find`.
#[cold]
#[inline(never)]
unsafe fn make(
    table: &'static Table,
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
    asked: Option<Asked>,
) -> *mut ffi::PyObject {
    let is_context = std::ptr::eq(table, &raw const CONTEXTS);
    attached(|py| {
        let made = (|| {
            load_rest(py)?;
            let called = if is_context { "ProfileContext" } else { "scope" };
            if n_args != 1 {
                return Err(PyTypeError::new_err(format!(
                    "expected one name, as in calor.{called}(\"load\"), got {n_args}"
                )));
            }
            // SAFETY: there is one argument, which the interpreter holds.
            let name = unsafe { Bound::from_borrowed_ptr(py, *args) };
            let Ok(text) = name.cast::<PyString>() else {
                return Err(PyTypeError::new_err(format!(
                    "the name of a scope is a str, not {}: calor.{called}(\"load\")",
                    name.repr()?
                )));
            };
            let text = text.to_cow()?;
            if text.is_empty() {
                return Err(PyValueError::new_err(format!(
                    "a scope without a name is not found in a report: calor.{called}(\"load\")"
                )));
            }
            let site = here(py, &text, is_context)?;
            let mut labels = Vec::new();
            if !keywords.is_null() {
                // SAFETY: keywords are a tuple of names, whose values stand behind the arguments.
                let keywords = unsafe { Bound::from_borrowed_ptr(py, keywords) };
                for (at, key) in keywords.try_iter()?.enumerate() {
                    // SAFETY: as above.
                    labels.push((key?, unsafe { Bound::from_borrowed_ptr(py, *args.add(1 + at)) }));
                }
            }
            if is_context && !labels.is_empty() {
                return Err(PyTypeError::new_err(
                    "a ProfileContext has no labels: give them to calor.scope(..)",
                ));
            }
            let object = object::make(py, labelled(site, &labels)?, is_context)?;
            // What can change would be found again as what it was.
            if let Some(asked) = asked
                && asked.place.code != 0
                && labels.iter().all(|(_, value)| is_constant(value))
            {
                table.remember(asked, object.as_ptr());
            }
            Ok(object)
        })();
        match made {
            Ok(object) => object.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        }
    })
}

/// Lets the package load what it has not yet, once: whoever makes scopes looks them up in it again and again, which is quick where
/// nothing is left to load.
pub(crate) fn load_rest(py: Python<'_>) -> PyResult<()> {
    static IS_LOADED: AtomicBool = AtomicBool::new(false);
    if IS_LOADED.swap(true, Relaxed) {
        return Ok(());
    }
    match py.import("calor").and_then(|package| package.call_method0("_load_rest")) {
        // Somebody asked for the end.
        Err(error) if !error.is_instance_of::<PyException>(py) => {
            IS_LOADED.store(false, Relaxed);
            Err(error)
        }
        // Where it cannot, such as at the end of the stack, it is loaded when it is asked for, as before.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The site of a name at the line that runs.
fn here(py: Python<'_>, name: &str, is_context: bool) -> PyResult<&'static Site> {
    let frame = frame::object();
    if frame.is_null() {
        return Ok(if is_context { Site::named_context(name) } else { Site::named(name) });
    }
    // SAFETY: the frame runs, and holds its code.
    let code = unsafe { Bound::from_borrowed_ptr(py, frame::code_of(frame)) };
    // SAFETY: the frame runs.
    let globals = unsafe { Bound::from_borrowed_ptr(py, frame) }.getattr("f_globals")?;
    let module =
        globals.cast::<PyDict>().ok().and_then(|globals| globals.get_item("__name__").ok().flatten());
    let module = module.and_then(|name| name.extract::<String>().ok()).unwrap_or_default();
    let file: String = code.getattr("co_filename")?.extract()?;
    let line = frame::line_of(frame);
    Ok(sites::at(sites::Place { name: name.to_owned(), module, file, line, is_context }))
}

/// The site with labels.
fn labelled(site: &'static Site, labels: &[(Bound<'_, PyAny>, Bound<'_, PyAny>)]) -> PyResult<&'static Site> {
    if labels.is_empty() {
        return Ok(site);
    }
    let texts = labels
        .iter()
        .map(|(key, value)| Ok((text::kept(&key.cast::<PyString>()?.to_cow()?), Given::of(value)?)))
        .collect::<PyResult<Vec<_>>>()?;
    let labels: Vec<(&'static str, LabelValue<'_>)> = texts
        .iter()
        .map(|(key, given)| match given {
            Given::Number(number) => (*key, LabelValue::Number(*number)),
            Given::Text(text) => (*key, LabelValue::Text(text)),
        })
        .collect();
    Ok(site.labelled(&labels))
}

/// Whether an object is what it is for good.
fn is_constant(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
}

/// The value of a label.
enum Given {
    Number(i64),
    Text(String),
}

impl Given {
    fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyInt>()
            && !value.is_instance_of::<PyBool>()
            && let Ok(number) = value.extract()
        {
            return Ok(Self::Number(number));
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(Self::Text(truth.is_true().to_string()));
        }
        Ok(Self::Text(value.str()?.to_string()))
    }
}

/// A scope of a place that is told, for functions that are decorated.
#[pyfunction]
#[pyo3(signature = (name, module, file, line, labels = None))]
pub(crate) fn scope_at<'py>(
    py: Python<'py>,
    name: String,
    module: String,
    file: String,
    line: u32,
    labels: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let site = sites::at(sites::Place { name, module, file, line, is_context: false });
    let labels: Vec<_> = labels.map(|labels| labels.iter().collect()).unwrap_or_default();
    object::make(py, labelled(site, &labels)?, false)
}
