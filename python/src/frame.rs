//! Where the program is: the Python frame that runs, read where the interpreter keeps it. The public way makes an object of
//! the frame, which costs more than a scope; this takes a few loads. It is used only where the layout of this interpreter
//! is known and agrees with the public way when the module is loaded; elsewhere the public way is taken.

#![expect(unsafe_code, reason = "the interpreter's structures are read where they lie")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use calor_cpython::{Entry, Layout, Position, TABLE_BYTES, ThreadFrame, Version};
use pyo3::ffi;

/// Of frames that belong to a generator or a coroutine.
const OWNED_BY_GENERATOR: u8 = 1;
/// In `co_flags`: generators, coroutines and generators of coroutines.
pub(crate) const SUSPENDS: c_int = 0x20 | 0x80 | 0x100 | 0x200;
/// Where `co_flags` is, up to 3.10.
const CODE_FLAGS: usize = 36;

// In every CPython since 3.9, though no part of the limited interface.
unsafe extern "C" {
    fn PyFrame_GetBack(frame: *mut ffi::PyFrameObject) -> *mut ffi::PyObject;
    fn PyFrame_GetLineNumber(frame: *mut ffi::PyFrameObject) -> c_int;
    fn PyFrame_GetCode(frame: *mut ffi::PyFrameObject) -> *mut ffi::PyObject;
}

/// A place in the program: which function, and where in it. Good for comparing, as long as somebody holds the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place {
    /// Address of the code object; 0 where no Python runs.
    pub(crate) code: usize,
    /// The instruction, as the interpreter tells it.
    pub(crate) instruction: usize,
}

/// Offsets in bytes, flat, since they are read on every call.
struct Offsets {
    is_known: AtomicBool,
    /// From the thread state to the frame, or to what leads to it.
    thread: AtomicU32,
    /// From there to the frame, if there is a second step.
    second: AtomicU32,
    code: AtomicU32,
    position: AtomicU32,
    /// Where the owner of a frame is told, a byte; 0 where that is not known.
    owner: AtomicU32,
}

const NO_SECOND: u32 = u32::MAX;
static OFFSETS: Offsets = Offsets {
    is_known: AtomicBool::new(false),
    thread: AtomicU32::new(0),
    second: AtomicU32::new(NO_SECOND),
    code: AtomicU32::new(0),
    position: AtomicU32::new(0),
    owner: AtomicU32::new(0),
};

/// Reads a value at an offset.
///
/// # Safety
/// There is one.
#[inline(always)]
unsafe fn read<T: Copy>(base: *const c_void, offset: usize) -> T {
    // SAFETY: the caller promises it.
    unsafe { base.byte_add(offset).cast::<T>().read_unaligned() }
}

/// The frame that runs on this thread, in the interpreter's own form; null where none does or the layout is not known.
#[inline(always)]
fn running() -> *const c_void {
    if !OFFSETS.is_known.load(Relaxed) {
        return std::ptr::null();
    }
    // SAFETY: the interpreter calls us, so this thread has a state, and the layout was checked.
    unsafe {
        let state: *const c_void = ffi::PyThreadState_Get().cast();
        let first: *const c_void = read(state, OFFSETS.thread.load(Relaxed) as usize);
        match OFFSETS.second.load(Relaxed) {
            NO_SECOND => first,
            second if !first.is_null() => read(first, second as usize),
            _ => first,
        }
    }
}

/// The place that calls us. The interpreter is held.
#[inline(always)]
pub(crate) fn place() -> Place {
    let frame = running();
    if frame.is_null() {
        return public_place();
    }
    // SAFETY: a frame that runs has these fields; of an index of four bytes the next ones only tell more.
    unsafe {
        Place {
            code: read(frame, OFFSETS.code.load(Relaxed) as usize),
            instruction: read(frame, OFFSETS.position.load(Relaxed) as usize),
        }
    }
}

/// Whether the frame that runs may be left and come back to, as that of a generator or a coroutine.
#[inline(always)]
pub(crate) fn may_suspend() -> bool {
    let frame = running();
    if frame.is_null() {
        return false;
    }
    // SAFETY: a frame that runs has these fields, and a code object that it holds.
    unsafe {
        match OFFSETS.owner.load(Relaxed) {
            0 => {
                let code: *const c_void = read(frame, OFFSETS.code.load(Relaxed) as usize);
                read::<c_int>(code, CODE_FLAGS) & SUSPENDS != 0
            }
            owner => read::<u8>(frame, owner as usize) == OWNED_BY_GENERATOR,
        }
    }
}

/// The place by the public way: the line instead of the instruction.
#[cold]
fn public_place() -> Place {
    let frame = object();
    if frame.is_null() {
        return Place::default();
    }
    Place { code: code_of(frame).addr(), instruction: line_of(frame) as usize }
}

/// The object of the frame that runs, borrowed; null where none does.
pub(crate) fn object() -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls us, so it is held.
    unsafe { ffi::PyEval_GetFrame().cast() }
}

/// The caller of a frame, as a new reference; null for the outermost, and for one that is not running.
pub(crate) fn caller_of(frame: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: it is a frame, as all that this module hands out.
    unsafe { PyFrame_GetBack(frame.cast()) }
}

/// Whether a frame is left for now, or for good.
pub(crate) fn is_suspended(frame: *mut ffi::PyObject) -> bool {
    let caller = caller_of(frame);
    // SAFETY: a new reference, or null.
    unsafe { ffi::Py_XDECREF(caller) };
    caller.is_null()
}

/// The line that a frame is at; 0 where that is not known.
pub(crate) fn line_of(frame: *mut ffi::PyObject) -> u32 {
    // SAFETY: it is a frame.
    u32::try_from(unsafe { PyFrame_GetLineNumber(frame.cast()) }).unwrap_or(0)
}

/// The code object of a frame, which holds it.
pub(crate) fn code_of(frame: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: it is a frame; the reference that is given back is one of two.
    unsafe {
        let code = PyFrame_GetCode(frame.cast());
        ffi::Py_DECREF(code);
        code
    }
}

/// Finds out whether frames can be read here. Called once, by Python code that imports the module.
pub(crate) fn look() {
    let Some(layout) = layout() else { return };
    let (thread, second) = match layout.thread.frame {
        ThreadFrame::Object { frame } => (frame, NO_SECOND),
        ThreadFrame::CFrame { cframe, current_frame, .. } => (cframe, current_frame),
        ThreadFrame::Current { current_frame } => (current_frame, NO_SECOND),
    };
    let (Position::Index { offset: position, .. }
    | Position::Previous { offset: position }
    | Position::Current { offset: position }) = layout.frame.position;
    let owner = match layout.frame.entry {
        Entry::Each => 0,
        // The owner stands behind the flag.
        Entry::Flag { is_entry } => is_entry + 1,
        Entry::Shim { owner } => owner,
    };
    OFFSETS.thread.store(thread, Relaxed);
    OFFSETS.second.store(second, Relaxed);
    OFFSETS.code.store(layout.frame.code, Relaxed);
    OFFSETS.position.store(position, Relaxed);
    OFFSETS.owner.store(owner, Relaxed);
    OFFSETS.is_known.store(true, Relaxed);
    // Both ways have to find the same function, or the quick one is not taken.
    let frame = object();
    let agree = !frame.is_null() && code_of(frame).addr() == place().code && !may_suspend();
    OFFSETS.is_known.store(agree, Relaxed);
}

/// The layout of this interpreter, if it is known.
fn layout() -> Option<Layout> {
    // SAFETY: a text that lives as long as the program.
    let text = unsafe { CStr::from_ptr(ffi::Py_GetVersion()) }.to_str().ok()?;
    let version = Version::from_text(text)?;
    let layout = if version.minor >= 13 {
        // SAFETY: a name that ends in 0.
        let runtime = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_PyRuntime".as_ptr()) };
        if runtime.is_null() {
            return None;
        }
        // SAFETY: the interpreter's structure is larger than what describes it.
        let table = unsafe { std::slice::from_raw_parts(runtime.cast::<u8>(), TABLE_BYTES) };
        Layout::from_debug_offsets(table).ok()?
    } else {
        Layout::of(version)?
    };
    (!layout.is_unproven && !layout.is_free_threaded && cfg!(target_arch = "x86_64")).then_some(layout)
}
