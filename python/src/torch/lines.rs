//! The line of the program that called an operation. PyTorch lets go of the interpreter while it works, so the interpreter
//! cannot be asked; but the frames of a thread are its own, and nobody changes them while the thread is in a call. So they are
//! read where they lie, as `calor-cpython` knows, and nothing is kept of them but texts.

#![expect(unsafe_code, reason = "frames of the interpreter are read where they are")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use calor_cpython::{Bytecode, Instruction, Layout, Rank, TABLE_BYTES, TextState, ThreadFrame, Version};
use calor_cpython::{Entry, Position};

use super::mix::mix;

/// Frames of libraries that are passed on the way to the program.
const MOST_FRAMES: usize = 128;
/// Code objects of which a thread remembers whose they are.
const N_KNOWN: usize = 1024;
/// Longer names of files are cut.
const MOST_OF_NAME: usize = 4_096;

static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();
/// Off while the interpreter shuts down: then the frames of threads that go on may be gone.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// How frames are read here.
struct Interpreter {
    layout: Layout,
    thread_state: unsafe extern "C" fn() -> *const u8,
    line: unsafe extern "C" fn(*const u8, c_int) -> c_int,
    /// Folders whose code is not the program's, each with a slash at its end.
    libraries: Vec<String>,
}

/// A place in the program, as an operation met it.
#[derive(Clone, Copy)]
pub(super) struct Caller {
    pub(super) hash: u64,
    code: *const u8,
    instruction: Instruction,
}

/// Whose code objects are: some that a thread met.
pub(super) struct Known([Cell<(*const u8, u64, bool)>; N_KNOWN]);

impl Known {
    pub(super) const fn none() -> Self {
        Self([const { Cell::new((std::ptr::null(), 0, false)) }; N_KNOWN])
    }
}

/// Learns how frames lie in this interpreter. Where that is not known, lines are not told.
pub(super) fn start(version: u32, libraries: Vec<String>) {
    let found = INTERPRETER.get_or_init(|| {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return None;
        }
        let find = |name: &std::ffi::CStr| {
            // SAFETY: the name ends with a zero.
            let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        let version = Version::from_word(version)?;
        let layout = Layout::of(version).or_else(|| {
            let table = find(c"_PyRuntime")?;
            // SAFETY: since 3.13 the runtime begins with this table, and is longer than it.
            let bytes = unsafe { std::slice::from_raw_parts(table.cast::<u8>(), TABLE_BYTES) };
            Layout::from_debug_offsets(bytes)
                .ok()
                .filter(|layout| !layout.is_unproven && !layout.is_free_threaded)
        })?;
        let (thread_state, line) = (find(c"PyGILState_GetThisThreadState")?, find(c"PyCode_Addr2Line")?);
        // SAFETY: so they are declared in all versions that there are layouts of.
        let (thread_state, line) = unsafe {
            (
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const u8>(thread_state),
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const u8, c_int) -> c_int>(line),
            )
        };
        Some(Interpreter { layout, thread_state, line, libraries })
    });
    IS_ON.store(found.is_some(), Relaxed);
}

/// From now on no frames are read.
pub(super) fn stop() {
    IS_ON.store(false, Relaxed);
}

/// The innermost frame of this thread that is the program's and no library's.
#[inline]
pub(super) fn caller(known: &Known) -> Option<Caller> {
    if !IS_ON.load(Relaxed) {
        return None;
    }
    let interpreter = INTERPRETER.get()?.as_ref()?;
    let layout = &interpreter.layout;
    // SAFETY: it only looks up what belongs to this thread.
    let state = unsafe { (interpreter.thread_state)() };
    if state.is_null() {
        return None;
    }
    // SAFETY: the thread state and the frames belong to this thread, which is in a call and does not change them.
    unsafe {
        let mut frame = match layout.thread.frame {
            ThreadFrame::Object { frame } => word(state, frame),
            ThreadFrame::Current { current_frame } => word(state, current_frame),
            ThreadFrame::CFrame { cframe, current_frame, .. } => {
                let cframe = address(word(state, cframe));
                if cframe.is_null() { 0 } else { word(cframe, current_frame) }
            }
        };
        for _ in 0..MOST_FRAMES {
            let at = address(frame);
            if at.is_null() {
                return None;
            }
            let position = match layout.frame.position {
                Position::Index { offset, .. } => {
                    u64::from(at.wrapping_add(offset as usize).cast::<u32>().read())
                }
                Position::Previous { offset } | Position::Current { offset } => word(at, offset),
            };
            let entry = match layout.frame.entry {
                Entry::Each => 0,
                Entry::Flag { is_entry: offset } | Entry::Shim { owner: offset } => {
                    at.wrapping_add(offset as usize).read()
                }
            };
            let record =
                layout.frame_of(word(at, layout.frame.code), word(at, layout.frame.back), position, entry);
            if record.rank != Rank::Shim && record.code != 0 {
                let code = address(record.code);
                let file = word(code, layout.code.file);
                if is_programs(interpreter, known, code, file) {
                    let place = match record.instruction {
                        Instruction::Offset(offset) => offset.cast_unsigned(),
                        Instruction::Address(address) => address,
                    };
                    let hash = mix(mix(mix(1, record.code), place), file);
                    return Some(Caller { hash, code, instruction: record.instruction });
                }
            }
            frame = record.back;
        }
    }
    None
}

/// A line of the program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Line {
    pub(super) function: String,
    pub(super) file: String,
    pub(super) line: u32,
}

impl Caller {
    /// Which line it is.
    ///
    /// # Safety
    /// The call in which the caller was found goes on.
    #[cold]
    pub(super) unsafe fn line(&self) -> Option<Line> {
        let interpreter = INTERPRETER.get()?.as_ref()?;
        let code = &interpreter.layout.code;
        let offset = match self.instruction {
            Instruction::Offset(offset) => offset,
            Instruction::Address(address) => match code.bytecode {
                Bytecode::Inline { start, .. } => {
                    (address as i64).wrapping_sub(self.code.addr() as i64 + i64::from(start))
                }
                Bytecode::Object { .. } => return None,
            },
        };
        // SAFETY: the frame holds its code object, of which only what never changes is read.
        unsafe {
            let text = |offset: u32| text(&interpreter.layout, address(word(self.code, offset)));
            let line = (interpreter.line)(self.code, c_int::try_from(offset).ok()?);
            Some(Line {
                function: text(code.qualified_name.unwrap_or(code.name)).unwrap_or_default(),
                file: text(code.file)?,
                line: u32::try_from(line).unwrap_or(0),
            })
        }
    }
}

/// Whether code is the program's. Code objects come and go, so the file is compared as well.
///
/// # Safety
/// There is such a code object.
#[inline(always)]
unsafe fn is_programs(interpreter: &Interpreter, known: &Known, code: *const u8, file: u64) -> bool {
    let slot = &known.0[(mix(0, code.addr() as u64) % N_KNOWN as u64) as usize];
    let (of, its_file, is_programs) = slot.get();
    if of == code && its_file == file {
        return is_programs;
    }
    // SAFETY: the code object holds its file's name.
    let name = unsafe { text(&interpreter.layout, address(file)) }.unwrap_or_default();
    let is_programs = !interpreter.libraries.iter().any(|library| name.starts_with(library));
    slot.set((code, file, is_programs));
    is_programs
}

/// The characters of a `str`.
///
/// # Safety
/// There is one.
#[cold]
unsafe fn text(layout: &Layout, at: *const u8) -> Option<String> {
    if at.is_null() {
        return None;
    }
    // SAFETY: as the layout says; texts do not change.
    unsafe {
        let length = (word(at, layout.text.length) as usize).min(MOST_OF_NAME);
        let state = TextState::of(at.wrapping_add(layout.text.state as usize).cast::<u32>().read())?;
        if !state.is_compact {
            return None;
        }
        let start = if state.is_ascii { layout.text.ascii } else { layout.text.compact };
        let first = at.wrapping_add(start as usize);
        let character = |index: usize| match state.width {
            1 => u32::from(first.wrapping_add(index).read()),
            2 => u32::from(first.cast::<u16>().wrapping_add(index).read()),
            _ => first.cast::<u32>().wrapping_add(index).read(),
        };
        Some(
            (0..length)
                .map(|index| char::from_u32(character(index)).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        )
    }
}

#[inline(always)]
fn address(word: u64) -> *const u8 {
    std::ptr::with_exposed_provenance(word as usize)
}

/// # Safety
/// There is a word at the offset.
#[inline(always)]
unsafe fn word(at: *const u8, offset: u32) -> u64 {
    // SAFETY: as above.
    unsafe { at.wrapping_add(offset as usize).cast::<u64>().read() }
}
