//! Where CPython keeps what a profiler asks for, as offsets in bytes into its structures.
//!
//! Up to 3.12 the offsets are of the version and written down here; since 3.13 the interpreter carries a table of
//! its own. Both become one [`Layout`], so that nobody else asks for versions. All of it is for x86-64.
//!
//! It is read from outside the process and from inside its `malloc`: so nothing here allocates.

#![no_std]
#![expect(missing_docs, reason = "a field is where that lies which it is called by")]

#[cfg(test)]
extern crate std;

mod debug_offsets;
pub mod fields;
mod frame;
mod tables;
mod text_state;
mod version;

pub use debug_offsets::{LayoutError, TABLE_BYTES};
pub use frame::{FrameRecord, Instruction, Rank};
pub use text_state::TextState;
pub use version::{Level, Version};

/// Where things are in one version of CPython.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub version: Version,
    /// Whether it was built to run without the lock that lets one thread run at a time.
    pub is_free_threaded: bool,
    /// Whether it is newer than what is known here: its own table makes sense, but nobody has checked more.
    pub is_unproven: bool,
    pub runtime: Runtime,
    pub interpreter: Interpreter,
    pub gil: Gil,
    pub thread: Thread,
    pub frame: Frame,
    pub code: Code,
    pub object: Object,
    pub bytes: Bytes,
    pub text: Text,
}

/// In `_PyRuntime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Runtime {
    /// Pointer to the first interpreter.
    pub interpreters: u32,
    /// Pointer to the thread state that is shutting Python down; null until then.
    pub finalizing: u32,
}

/// In `PyInterpreterState`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interpreter {
    pub next: u32,
    /// Pointer to the first thread state.
    pub threads: u32,
}

/// The lock that lets one thread run Python at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gil {
    /// One for the process (up to 3.11); the offsets are into `_PyRuntime`.
    OfRuntime {
        /// An `int`: 1 while it is held, -1 before it is made.
        locked: u32,
        /// Pointer to the thread state that holds it or was the last to do so.
        holder: u32,
        /// Pointer to the thread state that runs; null while the lock is changing hands.
        current: u32,
    },
    /// One for each interpreter, or shared by some (since 3.12).
    OfInterpreter {
        /// Where in the interpreter the pointer to its lock is; the other offsets are into the lock.
        pointer: u32,
        locked: u32,
        holder: u32,
        /// An `int`, 0 while the lock is not in use; only in free-threaded builds.
        enabled: Option<u32>,
    },
}

/// In `PyThreadState`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    pub next: u32,
    pub interpreter: u32,
    /// What `pthread_self` says.
    pub id: u32,
    /// The system's number of the thread; since 3.11.
    pub native_id: Option<u32>,
    pub frame: ThreadFrame,
}

/// How a thread state leads to the frame that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadFrame {
    /// By a pointer to a frame object (up to 3.10).
    Object { frame: u32 },
    /// By a pointer to a record on the C stack, one for each call of the evaluation loop, which points to the frame
    /// (3.11, 3.12); `current_frame` and `previous` are offsets into that record.
    CFrame { cframe: u32, current_frame: u32, previous: u32 },
    /// By a pointer to the frame (since 3.13).
    Current { current_frame: u32 },
}

/// In `PyFrameObject` up to 3.10, in `_PyInterpreterFrame` since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    pub code: u32,
    /// Pointer to the caller's frame.
    pub back: u32,
    pub position: Position,
    pub entry: Entry,
}

/// How a frame says which instruction it is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// By an `int` that counts units of `unit` bytes from the first instruction; -1 before that (up to 3.10).
    Index { offset: u32, unit: u8 },
    /// By a pointer to the unit before the next instruction (3.11, 3.12).
    Previous { offset: u32 },
    /// By a pointer to the instruction (since 3.13).
    Current { offset: u32 },
}

/// How frames tell which calls of the evaluation loop they belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Each has a call of its own (up to 3.10).
    Each,
    /// The outermost frame of each call has a flag, a byte (3.11).
    Flag { is_entry: u32 },
    /// Below the outermost frame of each call lies one that is no function's, told by its owner, a byte (since 3.12).
    Shim { owner: u32 },
}

/// In `PyCodeObject`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    pub file: u32,
    pub name: u32,
    /// Since 3.11.
    pub qualified_name: Option<u32>,
    /// An `int`.
    pub first_line: u32,
    /// Pointer to the bytes object that tells lines, in the form `line_form`.
    pub lines: u32,
    pub line_form: LineForm,
    pub bytecode: Bytecode,
    /// Pointer to an array of copies of the bytecode, one for each thread that specialised it; free-threaded builds
    /// since 3.14.
    pub copies: Option<u32>,
}

/// How lines are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineForm {
    /// `co_lnotab`, 3.8 and 3.9.
    Lnotab,
    /// `co_linetable` of 3.10.
    Ranges,
    /// `co_linetable` since 3.11.
    Locations,
}

/// Where a function's instructions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bytecode {
    /// In a bytes object, `pointer` leads to it (up to 3.10).
    Object { pointer: u32 },
    /// At the end of the code object; `units` is where their number is, of two bytes each (since 3.11).
    Inline { start: u32, units: u32 },
}

/// In any object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Pointer to its type.
    pub kind: u32,
}

/// In a `bytes` object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    pub length: u32,
    pub data: u32,
}

/// In a `str` object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text {
    /// Number of characters.
    pub length: u32,
    /// Bits that tell how they are kept.
    pub state: u32,
    /// Where the characters are when all are ASCII.
    pub ascii: u32,
    /// Where they are otherwise.
    pub compact: u32,
}

impl Layout {
    /// The layout of a version that does not describe itself: 3.8 to 3.12.
    pub fn of(version: Version) -> Option<Self> {
        tables::layout(version)
    }

    /// The layout that CPython since 3.13 describes at the start of `_PyRuntime`, of which `bytes` is a copy of
    /// [`TABLE_BYTES`].
    ///
    /// # Errors
    /// If there is no such table, or it makes no sense.
    pub fn from_debug_offsets(bytes: &[u8]) -> Result<Self, LayoutError> {
        debug_offsets::layout(bytes)
    }

    /// How many bytes of a thread state hold all that is known of it.
    pub fn thread_bytes(&self) -> usize {
        let Thread { next, interpreter, id, native_id, frame } = self.thread;
        let frame = match frame {
            ThreadFrame::Object { frame } => frame,
            ThreadFrame::CFrame { cframe, .. } => cframe,
            ThreadFrame::Current { current_frame } => current_frame,
        };
        end_of(&[next, interpreter, id, native_id.unwrap_or(0), frame])
    }

    /// How many bytes of a frame hold all that is known of it.
    pub fn frame_bytes(&self) -> usize {
        let Frame { code, back, position, entry } = self.frame;
        let (Position::Index { offset: position, .. }
        | Position::Previous { offset: position }
        | Position::Current { offset: position }) = position;
        let entry = match entry {
            Entry::Each => 0,
            // A byte of which no word has to be read.
            Entry::Flag { is_entry: at } | Entry::Shim { owner: at } => at.saturating_sub(7),
        };
        end_of(&[code, back, position, entry])
    }

    /// How many bytes of a code object hold all that is known of it, its instructions left out.
    pub fn code_bytes(&self) -> usize {
        let Code { file, name, qualified_name, first_line, lines, bytecode, copies, .. } = self.code;
        let bytecode = match bytecode {
            Bytecode::Object { pointer } => pointer,
            Bytecode::Inline { units, .. } => units,
        };
        let optional = [qualified_name.unwrap_or(0), copies.unwrap_or(0)];
        end_of(&[file, name, optional[0], optional[1], first_line, lines, bytecode, self.object.kind])
    }
}

/// Behind the last of the words at these offsets.
fn end_of(words: &[u32]) -> usize {
    words.iter().max().map_or(0, |last| *last as usize + 8)
}
