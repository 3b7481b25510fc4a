//! Python functions in call paths: which ones the thread that allocates is in, and at which of their instructions.
//!
//! The interpreter keeps its frames in memory of its own, and a thread's frames do not change while the thread is
//! inside an allocation. So they are read where they lie, without the interpreter's help or lock. What a function is
//! called is written down once, as a copy of the interpreter's own objects: whoever reads the region makes sense of it.
//!
//! # Safety
//! Frames, functions and texts are reached by pointers of the interpreter's own, from the state of the thread that runs, which
//! keeps all of them alive. Where they lie in its structures is known for its version, or it is not read.

mod codes;
mod frames;

use core::cell::Cell;
use core::ffi::{CStr, c_char};

use calor_cpython::{Gil, Layout, TABLE_BYTES, ThreadFrame, Version};

pub(crate) use codes::Codes;
pub(crate) use frames::Frames;

/// Python frames of a path. Of longer ones the innermost are kept.
pub(crate) const MAX_PYTHON_FRAMES: usize = 512;

/// An interpreter in this process. The door that found it tells the core of it, once.
#[derive(Debug)]
pub struct Interpreter {
    /// Where things are in its structures.
    pub layout: Layout,
    /// Its version in words, as it tells it.
    pub version: &'static CStr,
    /// The address of `_PyRuntime`.
    pub runtime: usize,
    /// The address of `PyCode_Type`.
    pub code_type: usize,
    /// The address of a function that tells the state that runs: of this thread, or of any where `is_current_own` is not
    /// set.
    pub current: usize,
    /// Whether `current` keeps to the thread that asks.
    pub is_current_own: bool,
    /// The address of a function that tells the state that was made for this thread, whether it holds the lock or not.
    pub of_thread: usize,
    /// Called once when one of its functions has made an object: from then on it is as its options say. The thread holds
    /// its lock. It must not allocate.
    pub runs_first: fn(),
}

/// Of functions from this version on it is known that they tell of the thread that runs.
const FIRST_WITH_OWN_STATE: u8 = 12;

impl Interpreter {
    /// The interpreter in this process, if it is one whose frames are known. `loaded` gives the address of a name of its, 0
    /// where there is none.
    ///
    /// # Safety
    /// The addresses are those of the functions and data of CPython of these names, which stay.
    pub unsafe fn find(loaded: impl Fn(&CStr) -> usize, runs_first: fn()) -> Option<Self> {
        let found = |name| Some(loaded(name)).filter(|address| *address != 0);
        let runtime = found(c"_PyRuntime")?;
        let version = unsafe {
            let ask =
                core::mem::transmute::<usize, extern "C" fn() -> *const c_char>(found(c"Py_GetVersion")?);
            CStr::from_ptr(ask())
        };
        let told = Version::from_text(version.to_str().ok()?)?;
        // Since 3.13 it tells where things are.
        let layout = if told.minor > 12 {
            let table = unsafe { core::slice::from_raw_parts(runtime as *const u8, TABLE_BYTES) };
            Layout::from_debug_offsets(table).ok().filter(|layout| !layout.is_unproven)?
        } else {
            Layout::of(told)?
        };
        let current = if told.minor > FIRST_WITH_OWN_STATE {
            loaded(c"PyThreadState_GetUnchecked")
        } else {
            loaded(c"_PyThreadState_UncheckedGet")
        };
        Some(Self {
            layout,
            version,
            runtime,
            code_type: found(c"PyCode_Type")?,
            current,
            is_current_own: told.minor >= FIRST_WITH_OWN_STATE,
            of_thread: found(c"PyGILState_GetThisThreadState")?,
            runs_first,
        })
    }

    /// The innermost frame of the thread that runs; 0 when it runs no Python code.
    #[inline(always)]
    fn innermost(&self, attached: &Attached, is_on_stack: impl Fn(usize) -> bool) -> usize {
        let state = self.thread_state(attached);
        // While Python ends, the states of other threads are taken down under them.
        let finalizing = unsafe { word(self.runtime, self.layout.runtime.finalizing) };
        if state == 0 || (finalizing != 0 && finalizing != state) {
            return 0;
        }
        match self.layout.thread.frame {
            ThreadFrame::Object { frame: at } | ThreadFrame::Current { current_frame: at } => unsafe {
                word(state, at)
            },
            ThreadFrame::CFrame { cframe, current_frame, .. } => match unsafe { word(state, cframe) } {
                // Each call of the interpreter has one on its stack, the first is a part of the state.
                record if is_on_stack(record) || record.wrapping_sub(state) < STATE_BYTES => unsafe {
                    word(record, current_frame)
                },
                _ => 0,
            },
        }
    }

    /// The state that the thread which runs has now, or had when it let go of the lock; 0 when that is not certain. What
    /// `of_thread` tells may be run by another thread, or be gone.
    #[inline(always)]
    fn thread_state(&self, attached: &Attached) -> usize {
        attached.is_now.set(false);
        let current = ask(self.current);
        if self.is_current_own && current != 0 {
            attached.to(current);
            return current;
        }
        let state = ask(self.of_thread);
        if !self.is_current_own && state != 0 && state == current {
            attached.to(state);
            return state;
        }
        if state != 0 && state == attached.state.get() && !self.is_run_elsewhere(state) {
            return state;
        }
        0
    }

    /// Whether another thread runs a state that this one had let go of.
    fn is_run_elsewhere(&self, state: usize) -> bool {
        let Gil::OfInterpreter { pointer, locked, holder, .. } = self.layout.gil else { return false };
        unsafe {
            let interpreter = word(state, self.layout.thread.interpreter);
            let lock = if interpreter == 0 { 0 } else { word(interpreter, pointer) };
            lock != 0 && word(lock, locked) as i32 == 1 && word(lock, holder) == state
        }
    }
}

/// The state of Python that a thread was last seen to run. Zeroed memory is none.
#[repr(C)]
pub(crate) struct Attached {
    pub(crate) state: Cell<usize>,
    /// Whether it ran it when that was last looked at.
    pub(crate) is_now: Cell<bool>,
}

impl Attached {
    #[inline(always)]
    fn to(&self, state: usize) {
        self.state.set(state);
        self.is_now.set(true);
    }
}

/// More than a state of a thread takes.
const STATE_BYTES: usize = 4096;

/// Calls one of the interpreter's functions that tell of a state.
#[inline(always)]
fn ask(address: usize) -> usize {
    match address {
        0 => 0,
        address => unsafe { core::mem::transmute::<usize, extern "C" fn() -> usize>(address)() },
    }
}

/// The word at an offset of a structure.
#[inline(always)]
unsafe fn word(structure: usize, offset: u32) -> usize {
    unsafe { ((structure + offset as usize) as *const usize).read_unaligned() }
}

/// A Python frame of a path, as it stands among the path's words: which function, where in it, and whether it is the
/// outermost of its call of the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PythonFrame {
    /// The number of the function; 0 when it could not be kept.
    pub function: u32,
    /// How many bytes the instruction is behind the first one; `None` before that.
    pub offset: Option<u32>,
    /// Whether its caller, if there is one, belongs to another call of the interpreter.
    pub is_outermost: bool,
}

/// The highest bit tells these words from addresses.
const MARK: u64 = 1 << 63;
const OUTERMOST: u64 = 1 << 62;
const OFFSET_BITS: u32 = 26;
const FUNCTION_BITS: u32 = 28;

impl PythonFrame {
    #[inline(always)]
    pub(crate) fn packed(self) -> u64 {
        // Instructions come in units of two bytes.
        let most = (1 << OFFSET_BITS) - 1;
        let offset = self.offset.map_or(0, |offset| (u64::from(offset) / 2 + 1).min(most));
        let outermost = if self.is_outermost { OUTERMOST } else { 0 };
        MARK | outermost | u64::from(self.function) << OFFSET_BITS | offset
    }

    /// The frame that a word of a path stands for; `None` for an address.
    #[must_use]
    pub fn unpacked(word: u64) -> Option<Self> {
        if word & MARK == 0 {
            return None;
        }
        let offset = (word & ((1 << OFFSET_BITS) - 1)) as u32;
        Some(Self {
            function: (word >> OFFSET_BITS & ((1 << FUNCTION_BITS) - 1)) as u32,
            offset: offset.checked_sub(1).map(|units| units * 2),
            is_outermost: word & OUTERMOST != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_become_words_and_frames_again() {
        for function in [0, 1, (1 << FUNCTION_BITS) - 1] {
            for offset in [None, Some(0), Some(2), Some(65_536)] {
                for is_outermost in [false, true] {
                    let frame = PythonFrame { function, offset, is_outermost };
                    assert_eq!(PythonFrame::unpacked(frame.packed()), Some(frame));
                }
            }
        }
        assert_eq!(PythonFrame::unpacked(0x7fff_ffff_ffff), None);
    }
}
