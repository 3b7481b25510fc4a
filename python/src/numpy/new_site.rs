//! The first call of a site: where it is, what its labels are, and, once it has a result, what each call does.

#![expect(
    unsafe_code,
    reason = "runs inside calls of Python, on live objects that are looked at by their pointers"
)]

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock, PoisonError};

use calor::{CallWork, Site};
use foldhash::fast::RandomState;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use super::call::{Call, Called};
use super::call_site::{self, Instant, Line};
use super::key::{Key, KeyBuilder};
use super::operation::{self, Operation, Origin};
use super::site_table::{self, Found, Grain, Known, Slot};
use super::work::{self, Work};
use super::{labels, operand_kind, self_test, unseen};

/// The folder of NumPy's own Python code, with the separator at its end.
static FOLDER: OnceLock<String> = OnceLock::new();
/// Whether a code object is NumPy's. They live as long as its modules, and no others are kept here that could go away.
static IS_INNER: Mutex<Option<HashMap<u64, bool, RandomState>>> = Mutex::new(None);

/// Remembers where NumPy's own code is.
pub(super) fn set_folder(folder: String) {
    let _ = FOLDER.set(folder);
}

/// The slot of a call: its site is found, or made. `is_outer` is set when the line to tell is the innermost one that is not
/// NumPy's. `None` if Python cannot say what is called.
///
/// # Safety
/// The thread has the interpreter's lock, and the objects of the call are live.
#[cold]
#[inline(never)]
pub(super) unsafe fn slot(call: &Call<'_>, key: Key, is_outer: bool) -> Option<Slot> {
    let operation = match call.called {
        Called::Known(operation) => operation,
        Called::At(called) => operation::find(called, 0)?,
        // SAFETY: by the caller's promise.
        Called::Of(method, ufunc) => unsafe { of_ufunc(method, ufunc) }?,
    };
    if self_test::takes(&operation.name) || unseen::is_on() {
        return None;
    }
    // SAFETY: by the caller's promise.
    if unsafe { operand_kind::passes_unseen(operation, call) } {
        return None;
    }
    // SAFETY: by the caller's promise.
    let rough = || unsafe { rough(call, &key) };
    let known = match site_table::find(&key, operation, rough) {
        Found::Known(known) => known,
        // SAFETY: by the caller's promise.
        Found::New(grain) => site_table::keep(&key, rough, unsafe { make(operation, call, grain, is_outer) }),
    };
    Some(Slot { key, site: Some(known.site), known: Some(known), ..Slot::EMPTY })
}

/// The operation that a method of a ufunc is, such as `add.reduce`.
///
/// # Safety
/// As for [`slot`]; `ufunc` is live.
unsafe fn of_ufunc(method: &'static Operation, ufunc: *mut PyObject) -> Option<&'static Operation> {
    let address = std::ptr::from_ref(method).addr();
    if let Some(known) = operation::find(address, ufunc.addr()) {
        return Some(known);
    }
    // SAFETY: hooks run with the lock, and the object is live.
    let name = unsafe {
        let py = Python::assume_attached();
        let pending = PyErr::take(py);
        let name =
            Bound::from_borrowed_ptr(py, ufunc).getattr("__name__").and_then(|name| name.extract::<String>());
        let _ = PyErr::take(py);
        if let Some(pending) = pending {
            pending.restore(py);
        }
        name.ok()?
    };
    let name = format!("{name}.{}", method.name);
    Some(operation::keep(address, ufunc.addr(), Operation { name, origin: Origin::UfuncMethod }))
}

/// # Safety
/// As for [`slot`].
unsafe fn make(operation: &'static Operation, call: &Call<'_>, grain: Grain, is_outer: bool) -> Known {
    // SAFETY: hooks run with the lock.
    let py = unsafe { Python::assume_attached() };
    // Whatever is asked of Python here must not leave an error behind, nor take one that is there.
    let pending = PyErr::take(py);
    let folder = FOLDER.get().map(String::as_str);
    let place =
        (grain != Grain::Operation).then(|| call_site::line(py, folder.filter(|_| is_outer))).flatten();
    let (line, is_inner) = match place {
        Some((line, code)) => {
            // Its address tells calls apart from now on, so it has to stay. There are as many as there are sites.
            std::mem::forget(code);
            let is_inner = !is_outer && folder.is_some_and(|folder| call_site::is_inner(&line.file, folder));
            (line, is_inner)
        }
        None => (Line::default(), false),
    };
    // SAFETY: by the caller's promise.
    let labels = unsafe { labels::of(operation, call, grain, &line) };
    let _ = PyErr::take(py);
    if let Some(pending) = pending {
        pending.restore(py);
    }
    let texts: Vec<(&'static str, &str)> = labels.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let site = Site::made(&operation.name, labels::MODULE, &line.file, line.line, &texts);
    let is_constant = grain == Grain::Exact
        && matches!(operation.origin, Origin::Ufunc { .. } | Origin::Generalised { .. });
    Known {
        site,
        operation,
        grain,
        is_inner,
        is_labelled: AtomicBool::new(false),
        is_constant,
        is_large: AtomicBool::new(false),
        n_large: AtomicU32::new(0),
        last_memory: AtomicU64::new(0),
        last_values: AtomicU64::new(0),
        met_in: AtomicU32::new(site_table::generation()),
    }
}

/// After a call that gave a result: labels that need it, and what the call did.
///
/// # Safety
/// As for [`slot`]; `result` is a live object.
pub(super) unsafe fn complete(known: &'static Known, call: &Call<'_>, result: *mut PyObject) -> Work {
    // SAFETY: by the caller's promise.
    let work = unsafe { work::of(known.operation, call, result) };
    if !known.is_labelled.swap(true, Relaxed) {
        // SAFETY: by the caller's promise.
        let (late, backend) = unsafe { labels::late(known, call, result) };
        let texts: Vec<(&'static str, &str)> =
            late.iter().map(|(name, text)| (*name, text.as_str())).collect();
        known.site.add_labels(&texts);
        let each = if known.is_constant { work } else { Work::NONE };
        known.site.set_call_work(CallWork { backend: Some(backend), ..each.told() });
    }
    work
}

/// The key of a call with rounded shapes.
///
/// # Safety
/// As for [`slot`].
unsafe fn rough(call: &Call<'_>, key: &Key) -> Key {
    let mut builder = KeyBuilder::of_line(key);
    for operand in call.operands() {
        // SAFETY: by the caller's promise.
        unsafe { builder.rough(operand) };
    }
    builder.done().0
}

/// The instruction of the innermost code that is not NumPy's.
///
/// # Safety
/// The thread has the interpreter's lock.
pub(super) unsafe fn instruction_of_program() -> Instant {
    let Some(folder) = FOLDER.get() else { return 0 };
    let is_inner = |code: u64| {
        let mut known = IS_INNER.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(is_inner) = known.get(&code) {
            return *is_inner;
        }
        // SAFETY: the code object of a running frame is live.
        let is_inner = unsafe { call_site::is_code_inner(code, folder) };
        // Code of the program may go away, and other code come to its address.
        if is_inner {
            known.insert(code, true);
        }
        is_inner
    };
    // SAFETY: by the caller's promise.
    unsafe { call_site::instruction_outside(is_inner) }
}
