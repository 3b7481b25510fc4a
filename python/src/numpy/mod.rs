//! Operations of NumPy: operators, functions, methods and indexing on arrays are scopes of the recorder, with their shapes,
//! types, bytes and the calling line.
//!
//! Nobody has to change a program for it, and no array is of another type. What is called is found by the pointers that NumPy's
//! objects and tables hold to its C functions; while profiling is on, those lead to hooks (`vectorcall`, `methods`,
//! `subscript`), which build the key of the call (`key`, `call_site`), find its site (`site_table`, `new_site`) and run it as a
//! scope (`record`). None of these layouts is promised by anybody, so they are held against what Python says (`layout`), and
//! hooks are tried (`self_test`) each time they are put in (`install`). Where anything differs nothing is hooked, and a note
//! says so.

mod blas;
mod call;
mod call_site;
mod discover;
mod fingerprint;
mod flops;
mod install;
mod key;
mod labels;
mod layout;
mod memory;
mod methods;
mod new_site;
mod operation;
mod record;
mod rows;
mod self_test;
mod site_table;
mod subscript;
mod values;
mod vectorcall;
mod work;

use calor::model::{Profile, Warning};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(crate) use rows::operation_rows;

use crate::control::Options;
use crate::notes::Note;

/// Versions of NumPy whose layouts are known: from the first that has the dispatcher in C.
const FIRST: (u32, u32) = (1, 25);
const LAST_MAJOR: u32 = 2;

/// Begins to record; what cannot be had is told in notes.
pub(crate) fn enable(py: Python<'_>, _options: &Options) -> PyResult<Vec<Note>> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(numpy) = modules.get_item("numpy")? else { return Ok(Vec::new()) };
    match hook(&numpy) {
        Ok(Ok(())) => Ok(Vec::new()),
        Ok(Err(reason)) => {
            install::uninstall();
            Ok(vec![Note::new("numpy_fallback", reason)])
        }
        Err(error) => {
            install::uninstall();
            Ok(vec![Note::new("numpy_fallback", error.to_string())])
        }
    }
}

/// Puts what is known of the whole recording into a profile.
pub(crate) fn add_to(profile: &mut Profile) {
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

/// Leaves everything as it was found.
pub(crate) fn disable(_py: Python<'_>) -> PyResult<()> {
    install::uninstall();
    Ok(())
}

fn hook(numpy: &Bound<'_, PyAny>) -> PyResult<Result<(), String>> {
    let py = numpy.py();
    let version: String = numpy.getattr("__version__")?.extract()?;
    let Some((major, minor)) = parts(&version) else {
        return Ok(Err(format!("NumPy {version} is not known")));
    };
    if (major, minor) < FIRST || major > LAST_MAJOR {
        return Ok(Err(format!("NumPy {version} is not known")));
    }
    let array = numpy.getattr("ndarray")?;
    layout::know(&array, major);
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
    let before = self_test::outcomes(numpy)?;
    install::install(&array, discover::targets(numpy)?)?;
    self_test::check(numpy, &before)
}

/// The first two numbers of a version.
fn parts(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
