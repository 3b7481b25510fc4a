//! Which line calls. On the way of every operation only the address of the calling instruction is read, out of the frame that
//! runs; it tells calls apart and is compared, never followed. Which file and line it is, is asked of Python once, when an
//! instruction is new.

#![expect(
    unsafe_code,
    reason = "the address of the running instruction is read out of the interpreter's frame"
)]

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use calor_cpython::{Instruction, Layout, Position, Rank, TABLE_BYTES, ThreadFrame, Version};
use pyo3::ffi;
use pyo3::prelude::*;

use super::memory::read;

/// Offsets that lead to the instruction, 12 bits each from the lowest: in the thread's state, in its record of the running
/// loop, of the position and of the code in the frame; above them how the position is told. 0 while they are not known.
static WAY: AtomicU64 = AtomicU64::new(0);
const FIELD_BITS: u32 = 12;
const FIELD: u64 = (1 << FIELD_BITS) - 1;
/// Set when the way is known.
const IS_KNOWN: u64 = 1 << 60;
/// There is a record of the running loop between thread and frame.
const HAS_RECORD: u64 = 1 << 61;
/// The position is a number, to be taken with the code.
const IS_INDEX: u64 = 1 << 62;

/// The same three offsets by themselves where the position is an address: of the record `NO_RECORD` where there is none, and
/// `UNKNOWN` while they are not known, or the position is a number.
static QUICK: QuickWay =
    QuickWay { thread: AtomicU32::new(0), record: AtomicU32::new(UNKNOWN), position: AtomicU32::new(0) };
const NO_RECORD: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

struct QuickWay {
    thread: AtomicU32,
    record: AtomicU32,
    position: AtomicU32,
}

static LAYOUT: OnceLock<Layout> = OnceLock::new();

/// An instruction of a code object; 0 where no Python code runs. Two are the same only while the code object lives.
pub(super) type Instant = u64;

/// The instruction that runs now.
///
/// # Safety
/// The thread has the interpreter's lock.
#[inline(always)]
pub(super) unsafe fn instruction() -> Instant {
    let way = WAY.load(Relaxed);
    if way == 0 {
        return 0;
    }
    let field = |at: u32| (way >> (at * FIELD_BITS) & FIELD) as usize;
    // SAFETY: the way was checked against what Python says (`learn`), and the lock keeps the frame as it is.
    unsafe {
        let thread = ffi::PyThreadState_Get();
        let mut frame: *const u8 = read(thread, field(0));
        if way & HAS_RECORD != 0 {
            frame = read(frame, field(1));
        }
        if frame.is_null() {
            return 0;
        }
        if way & IS_INDEX != 0 {
            return index_in_code(frame, field(2), field(3));
        }
        read(frame, field(2))
    }
}

/// The instruction that runs now, as [`instruction`] has it, where that takes no more than following pointers.
///
/// # Safety
/// As for [`instruction`].
#[inline(always)]
pub(super) unsafe fn quick_instruction() -> Option<Instant> {
    let record = QUICK.record.load(Relaxed);
    if record == UNKNOWN {
        return None;
    }
    // SAFETY: as in `instruction`.
    unsafe {
        let mut frame: *const u8 = read(ffi::PyThreadState_Get(), QUICK.thread.load(Relaxed) as usize);
        if record != NO_RECORD {
            frame = read(frame, record as usize);
        }
        if frame.is_null() { None } else { Some(read(frame, QUICK.position.load(Relaxed) as usize)) }
    }
}

/// Up to 3.10: the code object and how far it has come.
///
/// # Safety
/// As for [`instruction`]; `frame` is a frame object.
#[inline(never)]
unsafe fn index_in_code(frame: *const u8, position: usize, code: usize) -> Instant {
    // SAFETY: by the caller's promise.
    let (index, code) = unsafe { (read::<i32>(frame, position), read::<u64>(frame, code)) };
    code ^ u64::from(index.cast_unsigned()) << 44
}

/// A line that calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) function: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// What is known of the innermost frame, or of the innermost one that is part of the program when a folder is given; and
/// the code object of it, for as long as whose reference is kept its instructions keep their addresses.
pub(super) fn line(py: Python<'_>, outside: Option<&str>) -> Option<(Line, Py<PyAny>)> {
    // SAFETY: the thread has the lock; the frame is borrowed and may be null.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut frame = frame?;
    loop {
        let code = frame.getattr("f_code").ok()?;
        let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
        let back = frame.getattr("f_back").ok()?;
        if outside.is_some_and(|folder| is_inner(&file, folder)) && !back.is_none() {
            frame = back;
            continue;
        }
        let name = code.getattr("co_qualname").or_else(|_| code.getattr("co_name")).ok()?;
        let line: Option<u32> = frame.getattr("f_lineno").ok()?.extract().ok()?;
        let function = name.extract().ok()?;
        return Some((Line { function, file, line: line.unwrap_or(0) }, code.unbind()));
    }
}

/// The instruction at which the innermost frame runs of whose code `is_left_out` does not hold; it is asked with the address of
/// the code object. 0 if there is none.
///
/// # Safety
/// The thread has the interpreter's lock.
pub(super) unsafe fn instruction_outside(mut is_left_out: impl FnMut(u64) -> bool) -> Instant {
    let Some(layout) = LAYOUT.get() else { return 0 };
    let way = WAY.load(Relaxed);
    let field = |at: u32| (way >> (at * FIELD_BITS) & FIELD) as usize;
    // SAFETY: as in `instruction`; callers of a running frame are alive.
    unsafe {
        let mut frame: *const u8 = read(ffi::PyThreadState_Get(), field(0));
        if way & HAS_RECORD != 0 {
            frame = read(frame, field(1));
        }
        while !frame.is_null() {
            let bytes = std::slice::from_raw_parts(frame, layout.frame_bytes());
            let Some(record) = layout.frame_in(bytes) else { return 0 };
            if record.rank != Rank::Shim && !is_left_out(record.code) {
                return match record.instruction {
                    Instruction::Address(address) => address,
                    Instruction::Offset(_) => index_in_code(frame, field(2), field(3)),
                };
            }
            frame = std::ptr::with_exposed_provenance(record.back as usize);
        }
    }
    0
}

/// Whether a file is no part of the program: it lies below a folder, or is what imports modules, whose own code runs in it where
/// that is compiled. Calor watches imports, and so is among the latter.
pub(super) fn is_inner(file: &str, folder: &str) -> bool {
    file.starts_with(folder) || file.starts_with("<frozen importlib") || file.ends_with(OWN_IMPORT)
}

/// The file of the package that watches imports.
const OWN_IMPORT: &str = "/calor/_imports.py";

/// Whether the file of a code object is no part of the program.
///
/// # Safety
/// The thread has the interpreter's lock, and a live code object has this address.
pub(super) unsafe fn is_code_inner(code: u64, folder: &str) -> bool {
    let code: *mut ffi::PyObject = std::ptr::with_exposed_provenance_mut(code as usize);
    // SAFETY: by the caller's promise.
    unsafe {
        let py = Python::assume_attached();
        let file = Bound::from_borrowed_ptr(py, code).getattr("co_filename");
        file.and_then(|file| file.extract::<String>()).is_ok_and(|file| is_inner(&file, folder))
    }
}

/// Finds out how this interpreter keeps its frames, and tries it: two calls from one line are told apart, and the same call is
/// known again. `false` if that fails.
pub(super) fn learn(py: Python<'_>) -> bool {
    if WAY.load(Relaxed) != 0 {
        return true;
    }
    let Some(layout) = layout(py) else { return false };
    let Some(way) = way(&layout) else { return false };
    let _ = LAYOUT.set(layout);
    WAY.store(way, Relaxed);
    let is_right = super::self_test::tells_instructions_apart(py).unwrap_or(false);
    if !is_right {
        WAY.store(0, Relaxed);
    } else if way & IS_INDEX == 0 {
        let field = |at: u32| (way >> (at * FIELD_BITS) & FIELD) as u32;
        QUICK.thread.store(field(0), Relaxed);
        QUICK.position.store(field(2), Relaxed);
        QUICK.record.store(if way & HAS_RECORD != 0 { field(1) } else { NO_RECORD }, Relaxed);
    }
    is_right
}

fn layout(py: Python<'_>) -> Option<Layout> {
    let info = py.version_info();
    let number: u32 = py.import("sys").ok()?.getattr("hexversion").ok()?.extract().ok()?;
    if info.minor < 13 {
        return Layout::of(Version::from_word(number)?);
    }
    // SAFETY: the name is a C string, and looking it up changes nothing.
    let runtime = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_PyRuntime".as_ptr()) };
    if runtime.is_null() {
        return None;
    }
    // SAFETY: the interpreter's state is larger than its table at the start.
    let table = unsafe { std::slice::from_raw_parts(runtime.cast::<u8>(), TABLE_BYTES) };
    Layout::from_debug_offsets(table).ok().filter(|layout| !layout.is_free_threaded)
}

fn way(layout: &Layout) -> Option<u64> {
    let (thread, record, marks) = match layout.thread.frame {
        ThreadFrame::Object { frame } => (frame, 0, 0),
        ThreadFrame::CFrame { cframe, current_frame, .. } => (cframe, current_frame, HAS_RECORD),
        ThreadFrame::Current { current_frame } => (current_frame, 0, 0),
    };
    let (position, index) = match layout.frame.position {
        Position::Index { offset, .. } => (offset, IS_INDEX),
        Position::Previous { offset } | Position::Current { offset } => (offset, 0),
    };
    let fields = [thread, record, position, layout.frame.code].map(u64::from);
    let packed = fields.iter().rev().fold(0, |all, field| all << FIELD_BITS | field);
    fields.iter().all(|field| *field <= FIELD).then_some(packed | IS_KNOWN | marks | index)
}
