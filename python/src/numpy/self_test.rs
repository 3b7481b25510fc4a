//! Whether hooks do what they should, asked each time they are put in: a few expressions give the same as without hooks, and are
//! seen. What they do is not recorded.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict};

use super::{call_site, site_table};

/// The program of the test.
const PROGRAM: &str = include_str!("self_test.py");

/// The thread that is testing; 0 while none is.
static TESTER: AtomicU64 = AtomicU64::new(0);
/// Operations that it has seen.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What the expressions give: for each the operation that has to be seen, and its value as text.
pub(super) type Outcomes = Vec<(String, String)>;

/// Runs the expressions.
pub(super) fn outcomes(numpy: &Bound<'_, PyAny>) -> PyResult<Outcomes> {
    program(numpy.py())?.call_method1("outcomes", (numpy,))?.extract()
}

/// Runs the expressions again with hooks; the text says what is wrong.
pub(super) fn check(numpy: &Bound<'_, PyAny>, before: &Outcomes) -> PyResult<Result<(), String>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
    TESTER.store(thread(), Relaxed);
    // NumPy's own lines may be known from before: what they do for the test is not recorded either.
    let after = site_table::with_empty_table(|| outcomes(numpy));
    TESTER.store(0, Relaxed);
    let after = after?;
    if let Some((_, (_, value))) = before.iter().zip(&after).find(|(before, after)| before != after) {
        return Ok(Err(format!("an operation gave another value with hooks: {value}")));
    }
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let unseen = after.iter().find(|(name, _)| !name.is_empty() && !seen.contains(name));
    Ok(unseen.map_or(Ok(()), |(name, _)| Err(format!("`{name}` was not seen"))))
}

/// Whether this call is one of the test, which is noted and not recorded.
pub(super) fn takes(name: &str) -> bool {
    let tester = TESTER.load(Relaxed);
    if tester == 0 || tester != thread() {
        return false;
    }
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
    true
}

/// Whether calling instructions are told apart, and known again.
pub(super) fn tells_instructions_apart(py: Python<'_>) -> PyResult<bool> {
    let probe = PyCFunction::new_closure(py, None, None, |_, _| instruction())?;
    program(py)?.call_method1("apart", (probe,))?.extract()
}

#[expect(unsafe_code, reason = "asks for the instruction that runs, as hooks do")]
fn instruction() -> u64 {
    // SAFETY: it is called by Python, with its lock held.
    unsafe { call_site::instruction() }
}

/// The program, run once: its functions and their names hold each other, and would have to be collected each time.
fn program(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static MADE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = MADE.get_or_try_init(py, || {
        let names = PyDict::new(py);
        let builtins = py.import("builtins")?;
        names.set_item("__builtins__", &builtins)?;
        let code = builtins.call_method1("compile", (PROGRAM, "<calor self-test>", "exec"))?;
        builtins.call_method1("exec", (code, &names))?;
        py.import("types")?.call_method("SimpleNamespace", (), Some(&names)).map(Bound::unbind)
    })?;
    Ok(made.bind(py))
}

/// A number of this thread.
fn thread() -> u64 {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr() as u64)
}
