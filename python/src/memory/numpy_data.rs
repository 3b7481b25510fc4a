//! The memory of NumPy's arrays. It does not come from the interpreter but from the C library, through four functions that
//! NumPy keeps in one place for all arrays that have no allocator of their own (`PyDataMem_DefaultHandler`). They are replaced
//! there, so it holds for all threads and contexts; who frees an array calls the same place, and ours pass everything on.

#![expect(unsafe_code, reason = "functions of C are replaced where NumPy keeps them")]

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use calor::heap::told::Door;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::numpy::{is_of_numpy, may_write};

/// The place of the handler in the table of NumPy's interface for C, since 1.22.
const DEFAULT_HANDLER: usize = 306;
/// What the handler is called, and the version whose layout this is.
const NAME: &CStr = c"default_allocator";
const VERSION: u8 = 1;
const NAME_BYTES: usize = 127;
/// Behind name and version come a context and the functions.
const FUNCTIONS: usize = NAME_BYTES + 1 + 8;
const N_FUNCTIONS: usize = 4;

type Malloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Calloc = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Realloc = unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, *mut c_void, usize);

/// Where the functions are; 0 until they were found.
static PLACE: AtomicUsize = AtomicUsize::new(0);
/// What was there. It never changes while the process runs.
static ORIGINALS: [AtomicUsize; N_FUNCTIONS] = [const { AtomicUsize::new(0) }; N_FUNCTIONS];

/// Replaces the functions; the text says why that cannot be. The interpreter is held.
pub(super) fn install(numpy: &Bound<'_, PyAny>) -> Result<(), String> {
    let place = match PLACE.load(Acquire) {
        0 => find(numpy)?,
        known => known,
    };
    for (at, ours) in ours().into_iter().enumerate() {
        let present = function(place, at).load(Acquire);
        if present == ours {
            continue;
        }
        let original = ORIGINALS[at].load(Relaxed);
        if original != 0 && original != present {
            return Err("somebody else has replaced its functions".to_owned());
        }
        ORIGINALS[at].store(present, Release);
    }
    PLACE.store(place, Release);
    for (at, ours) in ours().into_iter().enumerate() {
        function(place, at).store(ours, Release);
    }
    Ok(())
}

/// Puts back what was there, where it is still ours.
pub(super) fn uninstall() {
    let place = PLACE.load(Acquire);
    if place == 0 {
        return;
    }
    for (at, ours) in ours().into_iter().enumerate() {
        let original = ORIGINALS[at].load(Relaxed);
        let _ = function(place, at).compare_exchange(ours, original, Release, Relaxed);
    }
}

/// One of the functions, where NumPy keeps it.
fn function(place: usize, at: usize) -> &'static AtomicUsize {
    // SAFETY: `find` has looked at the place, which is a part of NumPy's library and stays as long as the process.
    unsafe { &*std::ptr::with_exposed_provenance::<AtomicUsize>(place + at * size_of::<usize>()) }
}

fn ours() -> [usize; N_FUNCTIONS] {
    let (malloc, calloc, realloc, free): (Malloc, Calloc, Realloc, Free) = (malloc, calloc, realloc, free);
    [malloc as usize, calloc as usize, realloc as usize, free as usize]
}

/// Where the functions are.
fn find(numpy: &Bound<'_, PyAny>) -> Result<usize, String> {
    let py = numpy.py();
    let interface = ["numpy._core._multiarray_umath", "numpy.core._multiarray_umath"]
        .iter()
        .find_map(|name| py.import(*name).ok()?.getattr("_ARRAY_API").ok())
        .ok_or("its interface for C is not where it is known to be")?;
    let version: String = numpy
        .getattr("__version__")
        .and_then(|version| version.extract())
        .map_err(|error| error.to_string())?;
    if !is_known(&version) {
        return Err(format!("NumPy {version} is not known"));
    }
    // SAFETY: the table of these versions has more than so many entries; this one leads to a variable with an object.
    let handler = unsafe {
        let table =
            ffi::PyCapsule_GetPointer(interface.as_ptr(), std::ptr::null()).cast::<*mut *mut ffi::PyObject>();
        if table.is_null() {
            ffi::PyErr_Clear();
            return Err("its interface for C is not what it is known to be".to_owned());
        }
        let variable = *table.add(DEFAULT_HANDLER);
        let capsule = if variable.is_null() { std::ptr::null_mut() } else { *variable };
        let handler = match capsule.is_null() {
            true => std::ptr::null_mut(),
            false => ffi::PyCapsule_GetPointer(capsule, c"mem_handler".as_ptr()),
        };
        if handler.is_null() {
            ffi::PyErr_Clear();
            return Err("its allocator was not found".to_owned());
        }
        handler
    };
    // SAFETY: a handler begins with its name and version, as its capsule promises.
    let is_default = unsafe {
        libc::strncmp(handler.cast::<c_char>(), NAME.as_ptr(), NAME_BYTES) == 0
            && *handler.cast::<u8>().add(NAME_BYTES) == VERSION
    };
    let place = handler.expose_provenance() + FUNCTIONS;
    let length = N_FUNCTIONS * size_of::<usize>();
    if !is_default || !place.is_multiple_of(size_of::<usize>()) || !may_write(place..place + length) {
        return Err("its allocator is not what it is known to be".to_owned());
    }
    let are_numpys = (0..N_FUNCTIONS).all(|at| is_of_numpy(function(place, at).load(Relaxed)));
    if are_numpys { Ok(place) } else { Err("somebody else has replaced its functions".to_owned()) }
}

/// From 1.22 on there is one; of later ones than 2 nobody knows.
fn is_known(version: &str) -> bool {
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    match (parts.next(), parts.next()) {
        (Some(1), Some(minor)) => minor >= 22,
        (Some(major), _) => major == 2,
        _ => false,
    }
}

unsafe extern "C" fn malloc(context: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: what was there is called as it would have been.
    let run = || unsafe { transmute::<usize, Malloc>(ORIGINALS[0].load(Relaxed))(context, size) };
    let Some(door) = Door::here() else { return run() };
    let block = door.inside(run);
    if !block.is_null() {
        door.allocated(block.addr(), size);
    }
    block
}

unsafe extern "C" fn calloc(context: *mut c_void, count: usize, size: usize) -> *mut c_void {
    // SAFETY: as above.
    let run = || unsafe { transmute::<usize, Calloc>(ORIGINALS[1].load(Relaxed))(context, count, size) };
    let Some(door) = Door::here() else { return run() };
    let block = door.inside(run);
    if !block.is_null() {
        door.allocated(block.addr(), count.wrapping_mul(size));
    }
    block
}

unsafe extern "C" fn realloc(context: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: as above.
    let run = || unsafe { transmute::<usize, Realloc>(ORIGINALS[2].load(Relaxed))(context, block, size) };
    let Some(door) = Door::here() else { return run() };
    if block.is_null() {
        let new = door.inside(run);
        if !new.is_null() {
            door.allocated(new.addr(), size);
        }
        return new;
    }
    let moving = door.moving(block.addr());
    let new = door.inside(run);
    if new.is_null() {
        door.stayed(moving);
    } else {
        door.moved(moving, new.addr(), size);
    }
    new
}

unsafe extern "C" fn free(context: *mut c_void, block: *mut c_void, size: usize) {
    // SAFETY: as above.
    let run = || unsafe { transmute::<usize, Free>(ORIGINALS[3].load(Relaxed))(context, block, size) };
    let Some(door) = Door::here().filter(|_| !block.is_null()) else { return run() };
    door.freed(block.addr());
    door.inside(run);
}
