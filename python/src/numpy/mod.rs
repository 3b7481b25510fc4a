//! Operations of NumPy: operators, functions, methods and indexing on arrays are scopes of the recorder, with their shapes,
//! types, bytes and the calling line.
//!
//! Nobody has to change a program for it, and no array is of another type. What is called is found by the pointers that NumPy's
//! objects and tables hold to its C functions; while profiling is on, those lead to hooks (`vectorcall`, `methods`,
//! `subscript`), which build the key of the call (`key`, `call_site`), find its site (`front`, `site_table`, `new_site`) and run it as a
//! scope (`record`). None of these layouts is promised by anybody, so they are held against what Python says (`layout`), and
//! hooks are tried (`self_test`) each time they are put in (`install`). Where anything differs nothing is hooked, and a note
//! says so.

mod blas;
mod call;
mod call_site;
mod discover;
mod dispatch;
mod einsum;
mod fallback;
mod fingerprint;
mod flops;
mod front;
mod install;
mod key;
mod labels;
mod layout;
mod memory;
mod methods;
mod new_site;
mod operand_kind;
mod operation;
mod part;
mod record;
mod rows;
mod selection;
mod self_test;
mod site_table;
mod subscript;
mod unseen;
mod values;
mod vectorcall;
mod work;

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use calor::model::{Profile, Warning};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::control::Options;
use crate::notes::{self, Note};

pub(crate) use install::{is_ours_to_hook as is_of_numpy, may_write};
pub(crate) use rows::operation_rows;

/// Versions of NumPy whose layouts are known: from the first that has the dispatcher in C.
const FIRST: (u32, u32) = (1, 25);
const LAST_MAJOR: u32 = 2;
/// Modules whose operations are recorded, beside the parts of NumPy.
const LIBRARIES: [&str; 2] = ["numpy", "scipy.special"];
/// Parts of NumPy that some programs import and others do not. What one does for itself then, such as to seed its first generator,
/// is no work of the line that happens to use it first.
const PARTS: [&str; 5] = ["numpy.char", "numpy.fft", "numpy.linalg", "numpy.random", "numpy.strings"];
/// Set to `off`, hooks are not tried.
const HOOKS_VARIABLE: &str = "CALOR_NUMPY_HOOKS";
const FALLBACK: &str = "numpy_fallback";

/// How operations are recorded now.
static STATE: AtomicU8 = AtomicU8::new(OFF);
const OFF: u8 = 0;
/// NumPy is not imported yet.
const WAITING: u8 = 1;
const HOOKED: u8 = 2;
const FALLEN_BACK: u8 = 3;

/// Begins to record; what cannot be had is told in notes. NumPy is never imported for it: once the program does so, hooks follow.
pub(crate) fn enable(py: Python<'_>, _options: &Options) -> PyResult<Vec<Note>> {
    notes::remove(FALLBACK);
    STATE.store(WAITING, Relaxed);
    let tell = pyo3::types::PyCFunction::new_closure(py, None, None, |arguments, _| {
        let name: String = arguments.get_item(0)?.getattr("__name__")?.extract()?;
        imported(arguments.py(), &name);
        PyResult::Ok(())
    })?;
    let run_unseen = pyo3::types::PyCFunction::new_closure(py, None, None, |arguments, _| {
        let (run, module): (Bound<'_, PyAny>, Bound<'_, PyAny>) = arguments.extract()?;
        unseen::run(|| run.call1((module,)).map(Bound::unbind))
    })?;
    let imports = py.import("calor._imports")?;
    imports.call_method1("watch", ("operations of NumPy", LIBRARIES, &tell))?;
    imports.call_method1("watch", ("operations of parts of NumPy", PARTS, &tell, run_unseen))?;
    Ok(module(py)?.map(|numpy| begin(&numpy)).into_iter().flatten().collect())
}

/// Begins anew: which shapes a line has met, and which calls repeated others, is of what comes.
pub(crate) fn forget_variants() {
    site_table::forget_variants();
    site_table::compare_anew();
}

/// Leaves everything as it was found.
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    STATE.store(OFF, Relaxed);
    install::uninstall();
    fallback::uninstall(py);
    let imports = py.import("calor._imports")?;
    imports.call_method1("forget", ("operations of NumPy",))?;
    imports.call_method1("forget", ("operations of parts of NumPy",))?;
    Ok(())
}

/// Puts what is known of the whole recording into a profile.
pub(crate) fn add_to(profile: &mut Profile) {
    dispatch::add_to(profile);
}

/// Says what could not be told apart.
pub(crate) fn warn(profile: &mut Profile) {
    let (several_shapes, several_lines) = site_table::coarse_rows();
    for (count, code, message) in [
        (
            several_shapes,
            "numpy_shapes_rounded",
            "rows of operations on arrays stand for several shapes, because their line had more than 8",
        ),
        (
            several_lines,
            "numpy_lines_over_limit",
            "operations on arrays have a row for all lines beyond the 2,048 rows that are kept",
        ),
    ] {
        if count > 0 {
            profile.warn(Warning::counted(code, message.to_owned(), count));
        }
    }
}

/// A part of NumPy or SciPy was imported while profiling is on. An import never fails because of us.
fn imported(py: Python<'_>, name: &str) {
    let state = STATE.load(Relaxed);
    let Ok(Some(numpy)) = module(py) else { return };
    match state {
        // Parts of it come before the whole is there.
        WAITING if name == "numpy" => begin(&numpy).into_iter().for_each(notes::add),
        HOOKED => {
            let more = || {
                let targets = discover::targets(&numpy)?;
                install::install(&numpy.getattr("ndarray")?, targets)
            };
            if let Err(error) = more() {
                notes::add(Note::new(
                    "numpy_part",
                    format!("operations of {name} are not recorded: {error}"),
                ));
            }
        }
        _ => {}
    }
}

fn module(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.get_item("numpy")
}

/// Puts hooks in, or falls back.
fn begin(numpy: &Bound<'_, PyAny>) -> Option<Note> {
    let reason = match hook(numpy) {
        Ok(Ok(())) => {
            STATE.store(HOOKED, Relaxed);
            return None;
        }
        Ok(Err(reason)) => reason,
        Err(error) => error.to_string(),
    };
    install::uninstall();
    STATE.store(FALLEN_BACK, Relaxed);
    let seen = match fallback::install(numpy.py()) {
        Ok(n) => format!("{n} functions are recorded where they are called by name, such as np.mean"),
        Err(error) => format!("its functions are not recorded either ({error})"),
    };
    let message = format!(
        "operators, ufuncs, methods and indexing of NumPy are not recorded: {reason}; {seen}. Use NumPy 1.26 or 2.x on CPython \
         3.9 to 3.13 to have them all"
    );
    Some(Note::new(FALLBACK, message))
}

/// Puts hooks in and tries them; the text says why that cannot be.
fn hook(numpy: &Bound<'_, PyAny>) -> PyResult<Result<(), String>> {
    let py = numpy.py();
    if std::env::var(HOOKS_VARIABLE).is_ok_and(|value| value == "off") {
        return Ok(Err(format!("{HOOKS_VARIABLE} is off")));
    }
    let version: String = numpy.getattr("__version__")?.extract()?;
    if !parts(&version).is_some_and(|version| version >= FIRST && version.0 <= LAST_MAJOR) {
        return Ok(Err(format!("NumPy {version} is not known")));
    }
    let array = numpy.getattr("ndarray")?;
    layout::know(&array, &numpy.getattr("generic")?, parts(&version).map_or(LAST_MAJOR, |parts| parts.0));
    if let Err(difference) = layout::check(numpy)? {
        return Ok(Err(difference));
    }
    if !call_site::learn(py) {
        return Ok(Err("the frames of this interpreter could not be read".to_owned()));
    }
    if let Ok(file) = numpy.getattr("__file__").and_then(|file| file.extract::<String>())
        && let Some((folder, _)) = file.rsplit_once('/')
    {
        new_site::set_folder(format!("{folder}/"));
    }
    dispatch::measure(numpy)?;
    let before = self_test::outcomes(numpy)?;
    install::install(&array, discover::targets(numpy)?)?;
    self_test::check(numpy, &before)
}

/// The first two numbers of a version.
fn parts(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
