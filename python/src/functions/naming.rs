//! What a function is called and where it is, told once for each code object. One function has one site, however often
//! its code is made anew, as by `exec`; sites are kept for good, so their number has an end.

#![expect(unsafe_code, reason = "objects come as pointers from the interpreter's hooks")]

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use calor::Site;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::codes::SiteOrNone;
use crate::notes::Note;

/// Functions with a site of their own; further ones share one.
const MAX_SITES: usize = 16_384;
static OTHER: Site = Site::new("(other functions)", "", "", 0);
static N_OTHER: AtomicU64 = AtomicU64::new(0);

type Sites = HashMap<(&'static str, &'static str, &'static str, u32), &'static Site>;
static SITES: OnceLock<Mutex<Sites>> = OnceLock::new();

/// The folder of our own Python files, whose functions are left out.
static OWN_FOLDER: OnceLock<String> = OnceLock::new();

/// The folders of the standard library and of installed packages.
static LIBRARIES: OnceLock<Vec<String>> = OnceLock::new();
/// Whether these are left out, and whether functions were traced with them since the start.
static ONLY_PROGRAM: AtomicBool = AtomicBool::new(false);
static WAS_OF_ALL: AtomicBool = AtomicBool::new(false);

/// Whether functions of libraries were traced, too.
pub(super) fn is_of_all() -> bool {
    WAS_OF_ALL.load(Relaxed)
}

/// Learns what is to be left out.
pub(super) fn prepare(py: Python<'_>, only_program: bool) -> PyResult<()> {
    if LIBRARIES.get().is_none() {
        let _ = LIBRARIES.set(libraries(py)?);
    }
    ONLY_PROGRAM.store(only_program, Relaxed);
    if !only_program {
        WAS_OF_ALL.store(true, Relaxed);
    }
    if OWN_FOLDER.get().is_none() {
        let file: String = py.import("calor")?.getattr("__file__")?.extract()?;
        let folder = file.rfind('/').map_or("", |end| &file[..=end]);
        let _ = OWN_FOLDER.set(folder.to_owned());
    }
    Ok(())
}

/// The site of a code object; null where it is left out. Whatever goes wrong, the error that the program is about to
/// handle stays as it was.
///
/// # Safety
/// The caller holds the interpreter's lock. `code` is a code object, `globals` a dictionary or null.
pub(super) unsafe fn site_of(code: *mut PyObject, globals: *mut PyObject) -> SiteOrNone {
    let (mut kind, mut value, mut traceback) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the lock is held.
    unsafe { ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut traceback) };
    // SAFETY: the lock is held, and the objects are borrowed while the caller has them.
    let site = unsafe {
        let py = Python::assume_attached();
        let code = Bound::from_borrowed_ptr(py, code);
        let globals = Bound::from_borrowed_ptr_or_opt(py, globals);
        find(&code, globals.as_ref()).unwrap_or(&raw const OTHER)
    };
    // SAFETY: what was fetched is given back.
    unsafe { ffi::PyErr_Restore(kind, value, traceback) };
    site
}

fn find(code: &Bound<'_, PyAny>, globals: Option<&Bound<'_, PyAny>>) -> PyResult<SiteOrNone> {
    let file: String = text(&code.getattr("co_filename")?)?;
    if OWN_FOLDER.get().is_some_and(|folder| !folder.is_empty() && file.starts_with(folder)) {
        return Ok(std::ptr::null());
    }
    let is_of_library = is_of_library(&file);
    if file.starts_with("<calor ") || ONLY_PROGRAM.load(Relaxed) && is_of_library {
        return Ok(std::ptr::null());
    }
    let globals = globals.and_then(|globals| globals.cast::<PyDict>().ok());
    let name = match code.getattr("co_qualname") {
        Ok(name) => text(&name)?,
        // It is known since 3.11.
        Err(_) => {
            let name = code.getattr("co_name")?;
            let of_method = globals.and_then(|globals| name_of_method(code, &name, globals));
            of_method.map_or_else(|| text(&name), Ok)?
        }
    };
    // Of an import only that it is one: its dozen functions between any two modules would take up most call paths.
    if file.starts_with("<frozen importlib") && name != "_find_and_load" {
        return Ok(std::ptr::null());
    }
    // What starts a thread: what comes next knows whose it is.
    if name.ends_with("_bootstrap") && file.ends_with("/threading.py") {
        return Ok(std::ptr::null());
    }
    let line: u32 = code.getattr("co_firstlineno")?.extract().unwrap_or(0);
    let module = globals
        .and_then(|globals| globals.get_item("__name__").ok().flatten())
        .and_then(|name| text(&name).ok())
        .unwrap_or_default();
    Ok(site(&name, &module, &file, line, is_of_library))
}

/// Where the interpreter keeps its own modules and installed packages.
fn libraries(py: Python<'_>) -> PyResult<Vec<String>> {
    let paths = py.import("sysconfig")?.call_method0("get_paths")?;
    let mut folders = Vec::new();
    for kind in ["stdlib", "platstdlib", "purelib", "platlib"] {
        let folder: String = paths.get_item(kind)?.extract()?;
        folders.push(format!("{}/", folder.trim_end_matches('/')));
    }
    Ok(folders)
}

fn is_of_library(file: &str) -> bool {
    let is_below = |folder: &String| file.starts_with(folder.as_str());
    file.starts_with("<frozen ")
        || file.contains("/site-packages/")
        || file.contains("/dist-packages/")
        || LIBRARIES.get().is_some_and(|folders| folders.iter().any(is_below))
}

/// The name with that of its class, if it is a method of a class of its module.
fn name_of_method(
    code: &Bound<'_, PyAny>,
    name: &Bound<'_, PyAny>,
    globals: &Bound<'_, PyDict>,
) -> Option<String> {
    globals.values().iter().filter(|value| value.is_instance_of::<PyType>()).find_map(|class| {
        let found = class.getattr("__dict__").ok()?.get_item(name).ok()?;
        // What static methods, class methods and properties are made of.
        let inside = ["__func__", "fget"].into_iter().find_map(|inside| found.getattr(inside).ok());
        let function = inside.unwrap_or(found);
        function.getattr("__code__").ok().filter(|found| found.is(code))?;
        text(&function.getattr("__qualname__").ok()?).ok()
    })
}

/// A text, with replacements where it has characters that are none.
fn text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.cast::<PyString>()?.to_string_lossy().into_owned())
}

fn site(name: &str, module: &str, file: &str, line: u32, is_of_library: bool) -> &'static Site {
    // Nobody calls into Python with this lock.
    let mut sites = SITES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = sites.get(&(name, module, file, line)) {
        return known;
    }
    if sites.len() >= MAX_SITES {
        N_OTHER.fetch_add(1, Relaxed);
        return &OTHER;
    }
    let make = if is_of_library { Site::made_of_library } else { Site::made };
    let site = make(name, module, file, line, &[("function", "python")]);
    sites.insert((site.name(), site.module(), site.file(), site.line()), site);
    site
}

/// Tells of functions that have no site of their own.
pub(super) fn note() -> Option<Note> {
    let count = N_OTHER.load(Relaxed);
    (count > 0).then(|| Note {
        code: "functions_over_limit",
        message: format!(
            "functions beyond the first {MAX_SITES} are recorded as \"(other functions)\": the program makes new ones as it \
             runs; record a shorter stretch of it"
        ),
        count: Some(count),
    })
}
