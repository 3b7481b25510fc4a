//! Whose a function is, by its names: the allocator's, a library's, the interpreter's or the program's.

use calor_model::{Frame, FrameKind, Profile, StringId};

/// Names of functions that allocate for others, wherever they are built in, and beginnings of such names.
const ALLOCATORS: [&str; 41] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "valloc",
    "pvalloc",
    "mmap",
    "mmap64",
    "mremap",
    "strdup",
    "strndup",
    "pymalloc_alloc",
    "new_arena",
    "allocate_from_new_pool",
    "arena_map_get",
    "arena_map_mark_used",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    "_PyObject_Malloc",
    "_PyObject_Calloc",
    "_PyObject_Realloc",
    "_PyObject_ArenaMmap",
    "_PyObject_New",
    "_PyObject_NewVar",
    "_PyType_AllocNoTrack",
    "PyType_GenericAlloc",
    "pymalloc_realloc",
    "gc_alloc",
    "PyDataMem_NEW",
    "PyDataMem_UserNEW",
    "PyDataMem_UserNEW_ZEROED",
    "default_malloc",
    "default_calloc",
    "default_realloc",
    "npy_alloc_cache",
    "npy_alloc_cache_zero",
    "c10::alloc_cpu",
];
const ALLOCATOR_BEGINNINGS: [&str; 13] = [
    "operator new",
    "_Znw",
    "_Zna",
    "__rust_",
    "__rustc",
    "__rdl_",
    "__rg_",
    "hashbrown::",
    "<hashbrown::",
    "PyMem_",
    "_PyMem_",
    "_PyObject_GC_",
    "_mi_",
];

/// Beginnings of the names of files that are Python itself.
const INTERPRETERS: [&str; 2] = ["python", "libpython"];
/// Folders that Python's own library and what was installed lie in.
const PYTHON_LIBRARIES: [&str; 3] = ["/lib/python3", "/site-packages/", "/dist-packages/"];
/// Beginnings of what stands for the file of code that has none.
const PYTHON_INSIDES: [&str; 2] = ["<frozen ", "<__array_function__"];

/// How likely a function is the one that people look for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Claim {
    /// The interpreter's own.
    Interpreter,
    /// A Python function of a library.
    Library,
    /// The program's.
    Program,
}

impl Claim {
    pub(crate) fn of(profile: &Profile, frame: Frame) -> Self {
        let text = |id: Option<StringId>| id.map_or("", |id| profile.strings.get(id));
        match frame.kind {
            FrameKind::Python if is_python_library(text(frame.file)) => Self::Library,
            FrameKind::Native
                if INTERPRETERS.iter().any(|name| text(frame.module).starts_with(name))
                    || is_python_module(text(frame.module), text(frame.file)) =>
            {
                Self::Interpreter
            }
            _ => Self::Program,
        }
    }
}

/// Whether a source file of Python was installed and not written here, or is part of Python.
fn is_python_library(file: &str) -> bool {
    PYTHON_LIBRARIES.iter().any(|folder| file.contains(folder))
        || PYTHON_INSIDES.iter().any(|beginning| file.starts_with(beginning))
}

/// Whether code of a compiled module is Python's own, by where its sources lie: `Modules` has the library's, `Include` what
/// every module takes from Python.
fn is_python_module(module: &str, file: &str) -> bool {
    let is_in = |folder: &str| {
        file.split_once(folder).is_some_and(|(before, _)| before.is_empty() || before.ends_with('/'))
    };
    module.contains(".cpython-") && (is_in("Modules/") || is_in("Include/"))
}

/// Whether a function only hands out memory that another one asked for.
pub(crate) fn is_allocator(profile: &Profile, frame: Frame) -> bool {
    let name = profile.strings.get(frame.name);
    let module = frame.module.map_or("", |module| profile.strings.get(module));
    frame.kind == FrameKind::Native
        && (ALLOCATORS.contains(&name)
            || ALLOCATOR_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            || module.contains("libcalor_preload"))
}
