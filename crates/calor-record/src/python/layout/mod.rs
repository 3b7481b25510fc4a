//! Where CPython keeps what a profiler asks for, as offsets in bytes into its structures.
//!
//! Up to 3.12 the offsets are of the version and written down here; since 3.13 the interpreter carries a table of
//! its own. Both become one [`Layout`], so that nobody else asks for versions. All of it is for x86-64.

mod debug_offsets;
mod frame;
mod tables;
mod version;

pub(crate) use debug_offsets::{LayoutError, TABLE_BYTES};
pub(crate) use frame::{FrameRecord, Instruction, Rank};
pub(crate) use version::Version;

/// Where things are in one version of CPython.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub(crate) version: Version,
    /// Whether it was built to run without the lock that lets one thread run at a time.
    pub(crate) is_free_threaded: bool,
    /// Whether it is newer than what is known here: its own table makes sense, but nobody has checked more.
    pub(crate) is_unproven: bool,
    pub(crate) runtime: Runtime,
    pub(crate) interpreter: Interpreter,
    pub(crate) gil: Gil,
    pub(crate) thread: Thread,
    pub(crate) frame: Frame,
    pub(crate) code: Code,
    pub(crate) object: Object,
    pub(crate) bytes: Bytes,
    pub(crate) text: Text,
}

/// In `_PyRuntime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Runtime {
    /// Pointer to the first interpreter.
    pub(crate) interpreters: u32,
    /// Pointer to the thread state that is shutting Python down; null until then.
    pub(crate) finalizing: u32,
}

/// In `PyInterpreterState`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interpreter {
    pub(crate) next: u32,
    /// Pointer to the first thread state.
    pub(crate) threads: u32,
}

/// The lock that lets one thread run Python at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gil {
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
pub(crate) struct Thread {
    pub(crate) next: u32,
    pub(crate) interpreter: u32,
    /// What `pthread_self` says.
    pub(crate) id: u32,
    /// The system's number of the thread; since 3.11.
    pub(crate) native_id: Option<u32>,
    pub(crate) frame: ThreadFrame,
}

/// How a thread state leads to the frame that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadFrame {
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
pub(crate) struct Frame {
    pub(crate) code: u32,
    /// Pointer to the caller's frame.
    pub(crate) back: u32,
    pub(crate) position: Position,
    pub(crate) entry: Entry,
}

/// How a frame says which instruction it is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Position {
    /// By an `int` that counts units of `unit` bytes from the first instruction; -1 before that (up to 3.10).
    Index { offset: u32, unit: u8 },
    /// By a pointer to the unit before the next instruction (3.11, 3.12).
    Previous { offset: u32 },
    /// By a pointer to the instruction (since 3.13).
    Current { offset: u32 },
}

/// How frames tell which calls of the evaluation loop they belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// Each has a call of its own (up to 3.10).
    Each,
    /// The outermost frame of each call has a flag, a byte (3.11).
    Flag { is_entry: u32 },
    /// Below the outermost frame of each call lies one that is no function's, told by its owner, a byte (since 3.12).
    Shim { owner: u32 },
}

/// In `PyCodeObject`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) file: u32,
    pub(crate) name: u32,
    /// Since 3.11.
    pub(crate) qualified_name: Option<u32>,
    /// An `int`.
    pub(crate) first_line: u32,
    /// Pointer to the bytes object that tells lines, in the form `line_form`.
    pub(crate) lines: u32,
    pub(crate) line_form: LineForm,
    pub(crate) bytecode: Bytecode,
    /// Pointer to an array of copies of the bytecode, one for each thread that specialised it; free-threaded builds
    /// since 3.14.
    pub(crate) copies: Option<u32>,
}

/// How lines are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineForm {
    /// `co_lnotab`, 3.8 and 3.9.
    Lnotab,
    /// `co_linetable` of 3.10.
    Ranges,
    /// `co_linetable` since 3.11.
    Locations,
}

/// Where a function's instructions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bytecode {
    /// In a bytes object, `pointer` leads to it (up to 3.10).
    Object { pointer: u32 },
    /// At the end of the code object; `units` is where their number is, of two bytes each (since 3.11).
    Inline { start: u32, units: u32 },
}

/// In any object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Object {
    /// Pointer to its type.
    pub(crate) kind: u32,
}

/// In a `bytes` object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bytes {
    pub(crate) length: u32,
    pub(crate) data: u32,
}

/// In a `str` object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    /// Number of characters.
    pub(crate) length: u32,
    /// Bits that tell how they are kept.
    pub(crate) state: u32,
    /// Where the characters are when all are ASCII.
    pub(crate) ascii: u32,
    /// Where they are otherwise.
    pub(crate) compact: u32,
}

impl Layout {
    /// The layout of a version that does not describe itself: 3.8 to 3.12.
    pub(crate) fn of(version: Version) -> Option<Self> {
        tables::layout(version)
    }

    /// The layout that CPython since 3.13 describes at the start of `_PyRuntime`, of which `bytes` is a copy of
    /// [`TABLE_BYTES`].
    ///
    /// # Errors
    /// If there is no such table, or it makes no sense.
    pub(crate) fn from_debug_offsets(bytes: &[u8]) -> Result<Self, LayoutError> {
        debug_offsets::layout(bytes)
    }

    /// How many bytes of a thread state hold all that is known of it.
    pub(crate) fn thread_bytes(&self) -> usize {
        let Thread { next, interpreter, id, native_id, frame } = self.thread;
        let frame = match frame {
            ThreadFrame::Object { frame } => frame,
            ThreadFrame::CFrame { cframe, .. } => cframe,
            ThreadFrame::Current { current_frame } => current_frame,
        };
        end_of(&[next, interpreter, id, native_id.unwrap_or(0), frame])
    }

    /// How many bytes of a frame hold all that is known of it.
    pub(crate) fn frame_bytes(&self) -> usize {
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
    pub(crate) fn code_bytes(&self) -> usize {
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
