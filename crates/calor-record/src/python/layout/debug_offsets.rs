//! The table of offsets that CPython since 3.13 carries at the start of `_PyRuntime`, `_Py_DebugOffsets`.
//!
//! It is a row of 8-byte numbers whose order differs between versions and, before a release, within one. So a table
//! is read in the orders that are known, and taken in the first one in which all of it makes sense: sizes and
//! offsets have to fit together, which those of another order do not.

use super::{
    Bytecode, Bytes, Code, Entry, Frame, Gil, Interpreter, Layout, LineForm, Object, Position, Runtime, Text,
    Thread, ThreadFrame, Version,
};
use crate::python::fields::Fields;

/// Why CPython's description of itself cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum LayoutError {
    /// Nothing that could be a table.
    #[error(
        "expected the table of offsets of CPython 3.13 or newer at the start of `_PyRuntime`, found {0:02x?}"
    )]
    NoTable(Vec<u8>),
    /// The number of the version is none.
    #[error("the table of offsets of CPython is of version {0:#x}, which is not known")]
    UnknownVersion(u64),
    /// The table is cut off, or of a form that is not known.
    #[error("the table of offsets of CPython {version} is of a form that is not known: {reason}")]
    UnknownForm { version: Version, reason: &'static str },
}

/// As much of `_PyRuntime` as has to be read for the part of the table that is used.
pub(crate) const TABLE_BYTES: usize = 640;

const COOKIE: &[u8; 8] = b"xdebugpy";
/// The newest version whose table was looked at.
const NEWEST_KNOWN: u8 = 15;

pub(super) fn layout(bytes: &[u8]) -> Result<Layout, LayoutError> {
    let Some(rest) = bytes.strip_prefix(COOKIE) else {
        return Err(LayoutError::NoTable(bytes.iter().copied().take(COOKIE.len()).collect()));
    };
    let word = Fields(rest).word(0).unwrap_or(0);
    let version = u32::try_from(word).ok().and_then(Version::from_word);
    let version = version.filter(|version| version.minor >= 13).ok_or(LayoutError::UnknownVersion(word))?;
    let forms: &[&str] = match version.minor {
        13 => &[V3_13],
        14 => &[V3_14],
        _ => &[V3_15, V3_15_EARLY, V3_14],
    };
    let mut reason = "it is cut off";
    for form in forms {
        match (Table { form, words: rest }).layout(version) {
            Ok(layout) => return Ok(layout),
            Err(problem) => reason = problem,
        }
    }
    Err(LayoutError::UnknownForm { version, reason })
}

/// A table together with the order its numbers are taken to be in.
struct Table<'a> {
    form: &'a str,
    words: &'a [u8],
}

impl Table<'_> {
    fn layout(&self, version: Version) -> Result<Layout, &'static str> {
        self.check()?;
        let is_free_threaded = self.get("free_threaded")? != 0;
        // The counted part of an object begins behind its type, and everything in `bytes` and `str` follows from that.
        let head = self.offset("object.type")? + 8;
        let gil = self.offset("interpreter.own_gil")?;
        let in_gil = |at: u32| at.checked_sub(gil).ok_or("the lock begins behind its parts");
        Ok(Layout {
            version,
            is_free_threaded,
            is_unproven: version.minor > NEWEST_KNOWN,
            runtime: Runtime {
                interpreters: self.offset("runtime.interpreters")?,
                finalizing: self.offset("runtime.finalizing")?,
            },
            interpreter: Interpreter {
                next: self.offset("interpreter.next")?,
                threads: self.offset("interpreter.threads")?,
            },
            gil: Gil::OfInterpreter {
                pointer: self.offset("interpreter.gil")?,
                locked: in_gil(self.offset("interpreter.gil_locked")?)?,
                holder: in_gil(self.offset("interpreter.gil_holder")?)?,
                // It is the first of the lock's parts.
                enabled: is_free_threaded.then_some(0),
            },
            thread: Thread {
                next: self.offset("thread.next")?,
                interpreter: self.offset("thread.interpreter")?,
                id: self.offset("thread.id")?,
                native_id: Some(self.offset("thread.native_id")?),
                frame: ThreadFrame::Current { current_frame: self.offset("thread.frame")? },
            },
            frame: Frame {
                code: self.offset("frame.code")?,
                back: self.offset("frame.back")?,
                position: Position::Current { offset: self.offset("frame.instruction")? },
                entry: Entry::Shim { owner: self.offset("frame.owner")? },
            },
            code: Code {
                file: self.offset("code.file")?,
                name: self.offset("code.name")?,
                qualified_name: Some(self.offset("code.qualified_name")?),
                first_line: self.offset("code.first_line")?,
                lines: self.offset("code.lines")?,
                line_form: LineForm::Locations,
                bytecode: Bytecode::Inline { start: self.offset("code.bytecode")?, units: head },
                copies: self.offset("code.copies").ok().filter(|at| is_free_threaded && *at > 0),
            },
            object: Object { kind: head - 8 },
            bytes: Bytes { length: head, data: head + 16 },
            text: Text { length: head, state: head + 16, ascii: head + 24, compact: head + 40 },
        })
    }

    /// Whether the numbers can be what the form says they are.
    fn check(&self) -> Result<(), &'static str> {
        if self.get("free_threaded")? > 1 {
            return Err("whether it is free-threaded is neither yes nor no");
        }
        let mut structures: Vec<(&str, u64)> = Vec::new();
        for name in self.form.split_whitespace() {
            let value = self.get(name)?;
            let Some((structure, field)) = name.split_once('.') else { continue };
            match field {
                "size" if (16..1 << 24).contains(&value) => structures.push((structure, value)),
                "size" => return Err("the size of a structure is out of bounds"),
                _ => {
                    let size =
                        structures.iter().find(|(name, _)| *name == structure).map_or(0, |(_, size)| *size);
                    if value >= size {
                        return Err("an offset is larger than its structure");
                    }
                }
            }
        }
        let kind = self.get("object.type")?;
        if self.get("object.size")? != kind + 8 || self.get("type.name")? != kind + 16 || kind % 8 != 0 {
            return Err("the heads of objects do not fit together");
        }
        if POINTERS.iter().any(|name| self.get(name).is_ok_and(|at| at % 8 != 0)) {
            return Err("a pointer is not aligned");
        }
        let are_together = |names: &[&str]| {
            let at: Vec<u64> = names.iter().filter_map(|name| self.get(name).ok()).collect();
            at.windows(2).all(|pair| pair[0].checked_add(8) == Some(pair[1]))
        };
        let is_ordered = are_together(&["code.file", "code.name", "code.qualified_name", "code.lines"])
            && are_together(&["thread.previous", "thread.next", "thread.interpreter"])
            && are_together(&["thread.id", "thread.native_id"]);
        is_ordered.then_some(()).ok_or("neighbours in a structure lie apart")
    }

    fn offset(&self, name: &str) -> Result<u32, &'static str> {
        u32::try_from(self.get(name)?).map_err(|_| "an offset is out of bounds")
    }

    fn get(&self, name: &str) -> Result<u64, &'static str> {
        let at = self.form.split_whitespace().position(|other| other == name).ok_or("a number is missing")?;
        u32::try_from(at * 8).ok().and_then(|at| Fields(self.words).word(at)).ok_or("it is cut off")
    }
}

const POINTERS: &[&str] = &[
    "runtime.finalizing",
    "runtime.interpreters",
    "interpreter.next",
    "interpreter.threads",
    "interpreter.gil",
    "interpreter.gil_holder",
    "thread.frame",
    "frame.code",
    "frame.back",
    "frame.instruction",
    "code.lines",
    "code.copies",
];

/// The order of 3.13, in `pycore_runtime.h`; what follows is of objects whose shape follows from `object.type`.
const V3_13: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.gc interpreter.modules
    interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil interpreter.gil_enabled
    interpreter.gil_locked interpreter.gil_holder
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.id thread.native_id
    thread.data_stack thread.status
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode
    object.size object.type type.size type.name";

/// The order of 3.14, in `pycore_debug_offsets.h`, and of the first alphas of 3.15.
const V3_14: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.id thread.native_id
    thread.data_stack thread.status
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";

/// The order of the alphas and first betas of 3.15, in which thread states have an end of the chain of frames.
const V3_15_EARLY: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.base_frame thread.profiled_frame
    thread.id thread.native_id thread.data_stack thread.status thread.holds_gil thread.wants_gil thread.exception
    thread.exceptions
    exception_value
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";

/// The order of 3.15 from its fourth beta on.
const V3_15: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.base_frame thread.profiled_frame
    thread.profiled_frame_number thread.id thread.native_id thread.data_stack thread.status thread.holds_gil
    thread.wants_gil thread.exception thread.exceptions
    exception_value
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";
