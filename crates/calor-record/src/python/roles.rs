//! What the functions of the interpreter are for. Stacks of Python programs are mostly made of a few dozen functions
//! that only pass a call on; they are told from those that do something by their names.

/// What a function of the interpreter does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role {
    /// Runs Python code: its frames are what Python's own frames take the place of.
    Evaluates,
    /// A part of it: builds whose instructions are functions of their own have one for each.
    Dispatches,
    /// Passes a call on, from Python or to it.
    Passes,
    /// Starts the program or a thread.
    Starts,
    /// Waits for the lock that lets one thread at a time run Python code.
    AwaitsLock,
    /// Something of its own.
    Works,
}

impl Role {
    /// The role of a function, by its name.
    pub(crate) fn of(name: &str) -> Self {
        // What compilers set apart keeps its name and gets an ending.
        let name = name.split('.').next().unwrap_or(name);
        if name == EVALUATES {
            Self::Evaluates
        } else if name.starts_with("_TAIL_CALL_") {
            Self::Dispatches
        } else if name == "take_gil" {
            Self::AwaitsLock
        } else if STARTS.contains(&name) || STARTS_LIKE.iter().any(|start| name.starts_with(start)) {
            Self::Starts
        } else if PASSES.contains(&name) || PASSES_LIKE.iter().any(|start| name.starts_with(start)) {
            Self::Passes
        } else {
            Self::Works
        }
    }
}

/// The function that runs Python code.
pub(crate) const EVALUATES: &str = "_PyEval_EvalFrameDefault";

const PASSES: &[&str] = &[
    "PyEval_EvalCode",
    "PyEval_EvalCodeEx",
    "PyEval_EvalFrame",
    "PyEval_EvalFrameEx",
    "PyIter_Send",
    "PyVectorcall_Call",
    "_PyEval_EvalCode",
    "_PyEval_EvalCodeWithName",
    "_PyEval_EvalFrame",
    "_PyEval_Vector",
    "_PyObject_Call",
    "_PyObject_MakeTpCall",
    "_PyVectorcall_Call",
    "call_function",
    "call_method",
    "call_unbound",
    "call_unbound_noarg",
    "do_call_core",
    "function_code_fastcall",
    "gen_iternext",
    "gen_send_ex",
    "gen_send_ex2",
    "method_call",
    "object_vacall",
    "slot_tp_call",
    "slot_tp_init",
    "type_call",
    "vectorcall_maybe",
    "vectorcall_method",
    "vectorcall_unbound",
];

const PASSES_LIKE: &[&str] = &[
    "PyCFunction_Call",
    "PyObject_Call",
    "PyObject_Vectorcall",
    "_PyCFunction_",
    "_PyFunction_",
    "_PyMethodDef_RawFastCall",
    "_PyMethodDescr_",
    "_PyObject_Call",
    "_PyObject_FastCall",
    "_PyObject_Vectorcall",
    "cfunction_call",
    "cfunction_vectorcall",
    "method_vectorcall",
];

const STARTS: &[&str] = &[
    "Py_BytesMain",
    "Py_Main",
    "Py_RunMain",
    "_start",
    "main",
    "pythread_wrapper",
    "run_eval_code_obj",
    "run_mod",
    "t_bootstrap",
    "thread_run",
];

const STARTS_LIKE: &[&str] = &["PyRun_", "_PyRun_", "pymain_", "pyrun_"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_by_their_names_and_what_compilers_add_to_them() {
        for (name, role) in [
            ("_PyEval_EvalFrameDefault", Role::Evaluates),
            ("_PyEval_EvalFrameDefault.cold", Role::Evaluates),
            ("_PyEval_EvalFrame", Role::Passes),
            ("_PyFunction_Vectorcall", Role::Passes),
            ("cfunction_vectorcall_FASTCALL_KEYWORDS", Role::Passes),
            ("take_gil.constprop.0", Role::AwaitsLock),
            ("pymain_run_python.constprop.0", Role::Starts),
            ("list_sort_impl", Role::Works),
            ("gc_collect_main", Role::Works),
        ] {
            assert_eq!(Role::of(name), role, "{name}");
        }
    }
}
