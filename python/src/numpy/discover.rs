//! What there is to hook: ufuncs and functions of the dispatcher in the modules of NumPy that are loaded, methods of arrays, of
//! ufuncs and of generators of random numbers, and functions that make arrays.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::operation::Origin;

/// Functions of the C module that no dispatcher stands before.
const MAKERS: [&str; 13] = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "count_nonzero",
    "empty",
    "frombuffer",
    "fromfile",
    "fromiter",
    "fromstring",
    "zeros",
];
/// Methods of ufuncs.
const UFUNC_METHODS: [&str; 5] = ["reduce", "accumulate", "reduceat", "outer", "at"];
/// Methods of arrays that touch no element, or are no operation.
const LEFT_OUT: [&str; 10] = [
    "dump",
    "dumps",
    "getfield",
    "setfield",
    "setflags",
    "newbyteorder",
    "to_device",
    "tostring",
    "itemset",
    "item",
];
/// Methods of arrays with two underscores that copy.
const COPIES: [&str; 2] = ["__copy__", "__deepcopy__"];
/// Methods of generators that draw nothing.
const NO_DRAWS: [&str; 6] = ["bit_generator", "get_state", "seed", "set_state", "spawn", "tomaxint"];
/// Parts of NumPy that a user names when calling a function of theirs.
const NAMED_PARTS: [&str; 6] = ["linalg", "fft", "strings", "char", "random", "special"];

/// An object to hook, and what it is.
pub(super) struct Target<'py> {
    pub(super) object: Bound<'py, PyAny>,
    pub(super) name: String,
    pub(super) origin: Origin,
}

/// All that there is.
#[derive(Default)]
pub(super) struct Targets<'py> {
    /// Objects that are called by a pointer of their own.
    pub(super) callables: Vec<Target<'py>>,
    /// Descriptors of methods.
    pub(super) methods: Vec<Target<'py>>,
    /// Built-in functions.
    pub(super) functions: Vec<Target<'py>>,
}

/// Looks through the modules that are loaded.
pub(super) fn targets<'py>(numpy: &Bound<'py, PyAny>) -> PyResult<Targets<'py>> {
    let py = numpy.py();
    let mut targets = Targets::default();
    let ufunc = numpy.getattr("ufunc")?;
    let dispatcher = numpy.getattr("dot")?.get_type().into_any();
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let mut seen = std::collections::HashSet::new();
    for (name, module) in modules.iter() {
        let Ok(name) = name.extract::<String>() else { continue };
        let is_wanted = name == "numpy" || name.starts_with("numpy.") || name.starts_with("scipy.special");
        if !is_wanted || name.contains("tests") {
            continue;
        }
        let Ok(names) = module.getattr("__dict__").and_then(|names| Ok(names.cast_into::<PyDict>()?)) else {
            continue;
        };
        for (_, object) in names.copy()?.iter() {
            let kind = object.get_type();
            let is_ufunc = kind.is(&ufunc);
            if (is_ufunc || kind.is(&dispatcher)) && seen.insert(object.as_ptr().addr()) {
                let target = if is_ufunc { of_ufunc(object, &name)? } else { of_function(object)? };
                targets.callables.push(target);
            }
        }
    }
    let array = numpy.getattr("ndarray")?;
    for (name, object) in members(&array, "method_descriptor")? {
        let is_special = name.starts_with('_') && !COPIES.contains(&name.as_str());
        if !is_special && !LEFT_OUT.contains(&name.as_str()) {
            let name = format!("ndarray.{}", name.trim_matches('_'));
            targets.methods.push(Target { object, name, origin: Origin::Method });
        }
    }
    for (name, object) in members(&ufunc, "method_descriptor")? {
        if UFUNC_METHODS.contains(&name.as_str()) {
            targets.methods.push(Target { object, name, origin: Origin::UfuncMethod });
        }
    }
    let native = modules
        .get_item("numpy._core._multiarray_umath")?
        .map_or_else(|| modules.get_item("numpy.core._multiarray_umath"), |module| Ok(Some(module)))?;
    for name in MAKERS {
        let Some(object) = native.as_ref().and_then(|module| module.getattr(name).ok()) else { continue };
        if type_name(&object)? == "builtin_function_or_method" {
            targets.functions.push(Target { object, name: name.to_owned(), origin: Origin::Function });
        }
    }
    random(&modules, &mut targets)?;
    Ok(targets)
}

/// Generators of random numbers, if that module is loaded.
fn random<'py>(modules: &Bound<'py, PyDict>, targets: &mut Targets<'py>) -> PyResult<()> {
    let Some(module) = modules.get_item("numpy.random")? else { return Ok(()) };
    for generator in ["Generator", "RandomState"] {
        let Ok(kind) = module.getattr(generator) else { continue };
        for (name, object) in members(&kind, "")? {
            if name.starts_with('_') || NO_DRAWS.contains(&name.as_str()) {
                continue;
            }
            let target = Target { name: format!("{generator}.{name}"), origin: Origin::Random, object };
            match type_name(&target.object)?.as_str() {
                "method_descriptor" => targets.methods.push(target),
                "cython_function_or_method" => targets.callables.push(target),
                _ => {}
            }
        }
    }
    Ok(())
}

fn of_ufunc<'py>(object: Bound<'py, PyAny>, module: &str) -> PyResult<Target<'py>> {
    let name: String = object.getattr("__name__")?.extract()?;
    let n_inputs: u8 = object.getattr("nin")?.extract()?;
    let is_generalised = object.getattr("signature").is_ok_and(|signature| !signature.is_none());
    let origin = if is_generalised { Origin::Generalised { n_inputs } } else { Origin::Ufunc { n_inputs } };
    let name = if module.starts_with("scipy.special") { format!("special.{name}") } else { name };
    Ok(Target { object, name, origin })
}

fn of_function(object: Bound<'_, PyAny>) -> PyResult<Target<'_>> {
    let name: String = object.getattr("__name__")?.extract()?;
    let module: String = object.getattr("__module__").and_then(|module| module.extract()).unwrap_or_default();
    let part = module.split('.').nth(1).filter(|part| NAMED_PARTS.contains(part));
    let name = part.map_or_else(|| name.clone(), |part| format!("{part}.{name}"));
    Ok(Target { object, name, origin: Origin::Function })
}

/// What a type itself has, by name, of a type of that name; of all where it is empty.
fn members<'py>(of: &Bound<'py, PyAny>, kind: &str) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let mut found = Vec::new();
    for pair in of.getattr("__dict__")?.call_method0("items")?.try_iter()? {
        let (name, object): (String, Bound<'py, PyAny>) = pair?.extract()?;
        if kind.is_empty() || type_name(&object)? == kind {
            found.push((name, object));
        }
    }
    Ok(found)
}

fn type_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    object.get_type().getattr("__name__")?.extract()
}
