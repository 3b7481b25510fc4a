//! Tracing by `sys.monitoring`, which CPython has since 3.12: the interpreter calls native functions of ours where a
//! Python function begins, pauses, goes on and ends. It is made for this, works on all threads, and nothing of the program
//! is in its way: other tools have numbers of their own, and debuggers do not notice.

#![expect(unsafe_code, reason = "callbacks of the interpreter get objects as pointers")]

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::callback::{self, Function};
use super::{codes, open_calls};

const TOOL: &str = "calor";
/// The numbers that a tool may have which no kind of tool is meant to have come first: so a profiler or a debugger that
/// the program uses finds its own.
const TOOL_IDS: [u8; 3] = [4, 3, 2];
/// Events and what is called then.
const CALLBACKS: [(&str, Function); 6] = [
    ("PY_START", begin),
    ("PY_RESUME", begin),
    ("PY_THROW", throw),
    ("PY_RETURN", end),
    ("PY_YIELD", end),
    ("PY_UNWIND", unwind),
];

static FUNCTIONS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
/// What a callback returns so as not to be called again at this place.
static DISABLE: AtomicPtr<PyObject> = AtomicPtr::new(null_mut());

/// Tracing that is on, with the number that the interpreter knows it by.
#[derive(Debug)]
pub(super) struct Monitoring {
    tool_id: u8,
}

impl Monitoring {
    /// Whether this interpreter has it.
    pub(super) fn is_there(py: Python<'_>) -> bool {
        py.version_info() >= (3, 12) && monitoring(py).is_ok()
    }

    /// Begins; `None` if other tools have all numbers.
    pub(super) fn start(py: Python<'_>) -> PyResult<Option<Self>> {
        let monitoring = monitoring(py)?;
        let functions =
            FUNCTIONS.get_or_try_init(py, || callback::make(py, &CALLBACKS.map(|(_, function)| function)))?;
        // Kept for good: callbacks compare with nothing and hand it out without asking.
        DISABLE.store(monitoring.getattr("DISABLE")?.unbind().into_ptr(), Relaxed);
        let is_ours = |id: &u8| monitoring.call_method1("use_tool_id", (*id, TOOL)).is_ok();
        let Some(tool_id) = TOOL_IDS.into_iter().find(is_ours) else { return Ok(None) };
        let started = Self { tool_id };
        let outcome = started.register(&monitoring, functions);
        if outcome.is_err() {
            let _ = started.stop(py);
        }
        outcome.map(|()| Some(started))
    }

    fn register(&self, monitoring: &Bound<'_, PyAny>, functions: &[Py<PyAny>]) -> PyResult<()> {
        let events = monitoring.getattr("events")?;
        let mut wanted = 0_u32;
        for ((event, _), function) in CALLBACKS.iter().zip(functions) {
            let event: u32 = events.getattr(*event)?.extract()?;
            monitoring.call_method1("register_callback", (self.tool_id, event, function))?;
            wanted |= event;
        }
        // Places that an earlier turn had no interest in.
        monitoring.call_method0("restart_events")?;
        monitoring.call_method1("set_events", (self.tool_id, wanted))?;
        Ok(())
    }

    /// Ends, and gives the number back.
    pub(super) fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let monitoring = monitoring(py)?;
        let name = monitoring.call_method1("get_tool", (self.tool_id,))?;
        if name.extract::<String>().ok().as_deref() != Some(TOOL) {
            // Somebody freed the number and may have taken it.
            return Ok(());
        }
        monitoring.call_method1("set_events", (self.tool_id, 0))?;
        let events = monitoring.getattr("events")?;
        for (event, _) in CALLBACKS {
            let event = events.getattr(event)?;
            monitoring.call_method1("register_callback", (self.tool_id, event, py.None()))?;
        }
        monitoring.call_method1("free_tool_id", (self.tool_id,))?;
        Ok(())
    }
}

fn monitoring(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("sys")?.getattr("monitoring")
}

/// A function begins, or goes on after a pause.
unsafe extern "C" fn begin(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    n: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter calls this with its lock held, the code object first.
    if n > 0 && !unsafe { begin_call(*arguments) } {
        return no_more();
    }
    none()
}

/// A function goes on with an exception that was thrown into it.
unsafe extern "C" fn throw(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    n: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    if n > 0 {
        // SAFETY: as above.
        unsafe { begin_call(*arguments) };
    }
    none()
}

/// A function returns or pauses.
unsafe extern "C" fn end(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    n: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as above.
    if n > 0 && !open_calls::end_innermost(unsafe { *arguments }) && !unsafe { end_other(*arguments) } {
        return no_more();
    }
    none()
}

/// A function is left by an exception.
unsafe extern "C" fn unwind(
    _: *mut PyObject,
    arguments: *const *mut PyObject,
    n: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as above.
    if n > 0 && !open_calls::end_innermost(unsafe { *arguments }) {
        // SAFETY: as above.
        unsafe { end_other(*arguments) };
    }
    none()
}

/// Opens a call; `false` if its function is left out.
///
/// # Safety
/// The caller holds the interpreter's lock, and the frame of the code object is the current one.
#[inline(always)]
unsafe fn begin_call(code: *mut PyObject) -> bool {
    // SAFETY: as the caller promises; sites are kept for good.
    unsafe {
        let (site, last) = codes::found(code, || ffi::PyEval_GetGlobals());
        if let Some(site) = site.as_ref() {
            open_calls::begin(code, site, last);
        }
        !site.is_null()
    }
}

/// Closes a call that is not the innermost; `false` if its function is left out.
///
/// # Safety
/// As of [`begin_call`].
#[cold]
unsafe fn end_other(code: *mut PyObject) -> bool {
    // SAFETY: as the caller promises.
    let is_left_out = unsafe { codes::site_of(code, || ffi::PyEval_GetGlobals()) }.is_null();
    if !is_left_out {
        open_calls::end(code);
    }
    !is_left_out
}

#[inline(always)]
fn none() -> *mut PyObject {
    // SAFETY: where there is monitoring, None is immortal: a reference to it need not be counted.
    unsafe { ffi::Py_None() }
}

/// What tells the interpreter not to call again from this place.
#[cold]
fn no_more() -> *mut PyObject {
    let disable = DISABLE.load(Relaxed);
    // SAFETY: it was set before any callback was registered, and is never freed.
    unsafe { ffi::Py_INCREF(disable) };
    disable
}
