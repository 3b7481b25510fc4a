//! Where hooks cannot be used: functions in the modules of NumPy are replaced by objects that call them as scopes. Who calls
//! `np.mean` or `np.linalg.svd` by its name is seen, with the line. Operators, ufuncs, methods and indexing are not, and neither
//! are shapes; the note says so.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use calor::{CallWork, Scope, Site};
use foldhash::fast::RandomState;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::call_site;
use super::labels::MODULE;
use crate::scope::settle;

/// Modules whose functions are replaced, and what stands before their names.
const MODULES: [(&str, &str); 3] = [("numpy", ""), ("numpy.linalg", "linalg."), ("numpy.fft", "fft.")];
/// Lines that are told apart; further ones share the row of their function.
const MAX_SITES: usize = 2048;

/// What was replaced: module, name, original, ours.
struct Replaced {
    module: Py<PyAny>,
    name: String,
    original: Py<PyAny>,
    ours: Py<PyAny>,
}

static REPLACED: Mutex<Vec<Replaced>> = Mutex::new(Vec::new());
static SITES: Mutex<Option<Sites>> = Mutex::new(None);

type Sites = HashMap<(String, String, u32), &'static Site, RandomState>;

// A function of NumPy that is recorded when it is called. Not a comment of documentation: from Python 3.12 on that would
// be the class's `__doc__` in place of the one below.
#[pyclass(frozen, module = "calor._calor")]
struct NumpyFunction {
    name: String,
    function: Py<PyAny>,
}

#[pymethods]
impl NumpyFunction {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        settle();
        let scope = Scope::enter(self.site(py));
        let result = self.function.call(py, arguments, keywords);
        drop(scope);
        result
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.function.getattr(py, name)
    }

    /// That of the class would be in the way, and parts of NumPy look for words in it.
    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.function.getattr(py, "__doc__")
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.function.bind(py).repr()?.to_string())
    }
}

impl NumpyFunction {
    fn site(&self, py: Python<'_>) -> &'static Site {
        let line = call_site::line(py, None).map(|(line, _)| line).unwrap_or_default();
        let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        let sites = sites.get_or_insert_default();
        let is_full = sites.len() >= MAX_SITES;
        let (file, number) = if is_full { (String::new(), 0) } else { (line.file, line.line) };
        sites.entry((self.name.clone(), file, number)).or_insert_with_key(|(name, file, number)| {
            let site = Site::made(name, MODULE, file, *number, &[("op", MODULE), ("caller", &line.function)]);
            site.set_call_work(CallWork { backend: Some(MODULE), ..CallWork::default() });
            site
        })
    }
}

/// Replaces functions, and says how many.
pub(super) fn install(py: Python<'_>) -> PyResult<usize> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let mut found = Vec::new();
    for (module_name, prefix) in MODULES {
        let Some(module) = modules.get_item(module_name)? else { continue };
        let Ok(names) = module.getattr("__all__").and_then(|names| names.extract::<Vec<String>>()) else {
            continue;
        };
        for name in names {
            let Ok(function) = module.getattr(name.as_str()) else { continue };
            let kind: String = function.get_type().getattr("__name__")?.extract()?;
            let is_function = matches!(
                kind.as_str(),
                "function" | "builtin_function_or_method" | "_ArrayFunctionDispatcher"
            );
            if !is_function {
                continue;
            }
            found.push((module.clone(), prefix, name, function));
        }
    }
    // Only now: looking imports parts of NumPy, which expect its own functions.
    let mut replaced = Vec::new();
    for (module, prefix, name, function) in found {
        let ours = NumpyFunction { name: format!("{prefix}{name}"), function: function.clone().unbind() };
        let ours = Py::new(py, ours)?.into_any();
        module.setattr(name.as_str(), &ours)?;
        replaced.push(Replaced { module: module.unbind(), name, original: function.unbind(), ours });
    }
    let mut all = REPLACED.lock().unwrap_or_else(PoisonError::into_inner);
    all.extend(replaced);
    Ok(all.len())
}

/// Puts back what is still ours.
pub(super) fn uninstall(py: Python<'_>) {
    let replaced = std::mem::take(&mut *REPLACED.lock().unwrap_or_else(PoisonError::into_inner));
    for Replaced { module, name, original, ours } in replaced {
        let module = module.bind(py);
        if module.getattr(name.as_str()).is_ok_and(|now| now.is(&ours)) {
            let _ = module.setattr(name.as_str(), original);
        }
    }
}
