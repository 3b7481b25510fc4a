//! The table of offsets that CPython since 3.13 carries at the start of `_PyRuntime`, `_Py_DebugOffsets`.
//!
//! It is a row of 8-byte numbers whose order differs between versions and, before a release, within one. So a table
//! is read in the orders that are known, and taken in the first one in which all of it makes sense: sizes and
//! offsets have to fit together, which those of another order do not.

mod forms;

use core::fmt;

use self::forms::{V3_13, V3_14, V3_15, V3_15_EARLY};
use crate::fields::Fields;
use crate::{
    Bytecode, Bytes, Code, Entry, Frame, Gil, Interpreter, Layout, LineForm, Object, Position, Runtime, Text,
    Thread, ThreadFrame, Version,
};

/// Why CPython's description of itself cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// Nothing that could be a table: what is there begins like this, with so many bytes.
    NoTable([u8; 8], usize),
    /// The number of the version is none.
    UnknownVersion(u64),
    /// The table is cut off, or of a form that is not known.
    UnknownForm {
        /// Of which version it says to be.
        version: Version,
        /// What does not fit.
        reason: &'static str,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTable(bytes, length) => write!(
                f,
                "expected the table of offsets of CPython 3.13 or newer at the start of `_PyRuntime`, found {:02x?}",
                &bytes[..*length]
            ),
            Self::UnknownVersion(version) => {
                write!(f, "the table of offsets of CPython is of version {version:#x}, which is not known")
            }
            Self::UnknownForm { version, reason } => write!(
                f,
                "the table of offsets of CPython {version} is of a form that is not known: {reason}"
            ),
        }
    }
}

impl core::error::Error for LayoutError {}

/// As much of `_PyRuntime` as has to be read for the part of the table that is used.
pub const TABLE_BYTES: usize = 640;

const COOKIE: &[u8; 8] = b"xdebugpy";
/// The newest version whose table was looked at.
const NEWEST_KNOWN: u8 = 15;

pub(crate) fn layout(bytes: &[u8]) -> Result<Layout, LayoutError> {
    let Some(rest) = bytes.strip_prefix(COOKIE) else {
        let mut found = [0; COOKIE.len()];
        let length = bytes.len().min(found.len());
        found[..length].copy_from_slice(&bytes[..length]);
        return Err(LayoutError::NoTable(found, length));
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
        // The size of a structure stands before its offsets.
        let (mut structure, mut size) = ("", 0);
        for name in self.form.split_whitespace() {
            let value = self.get(name)?;
            let Some((of, field)) = name.split_once('.') else { continue };
            match field {
                "size" if (16..1 << 24).contains(&value) => (structure, size) = (of, value),
                "size" => return Err("the size of a structure is out of bounds"),
                _ if of != structure || value >= size => {
                    return Err("an offset is larger than its structure");
                }
                _ => {}
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
            names.windows(2).all(|pair| match (self.get(pair[0]), self.get(pair[1])) {
                (Ok(one), Ok(next)) => one.checked_add(8) == Some(next),
                _ => true,
            })
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

#[cfg(test)]
mod tests {
    use std::string::ToString;
    use std::vec::Vec;

    use super::*;

    /// What 3.15.2 says, in the order `form`; what it does not have, and what nobody asks for, is 0.
    fn table(form: &str, version: u64) -> Vec<u8> {
        let number = |name: &str| match name {
            "version" => version,
            "runtime.size" => 346_560,
            "runtime.finalizing" => 912,
            "runtime.interpreters" => 936,
            "interpreter.size" => 226_232,
            "interpreter.next" => 7264,
            "interpreter.threads" => 7336,
            "interpreter.gil" => 16,
            "interpreter.own_gil" => 9184,
            "interpreter.gil_locked" => 9200,
            "interpreter.gil_holder" => 9192,
            "thread.size" => 888,
            "thread.next" | "object.type" | "frame.back" => 8,
            "thread.interpreter" | "object.size" => 16,
            "thread.frame" => 72,
            "thread.id" => 176,
            "thread.native_id" => 184,
            "frame.size" => 88,
            "frame.instruction" => 56,
            "frame.locals" => 80,
            "frame.owner" => 74,
            "code.size" => 216,
            "code.file" => 112,
            "code.name" => 120,
            "code.qualified_name" => 128,
            "code.lines" => 136,
            "code.first_line" => 68,
            "code.bytecode" => 208,
            "type.size" => 424,
            "type.name" => 24,
            _ => 0,
        };
        let numbers = form.split_whitespace().flat_map(|name| number(name).to_ne_bytes());
        COOKIE.iter().copied().chain(numbers).collect()
    }

    #[test]
    fn each_order_is_recognised() {
        let expected = layout(&table(V3_15, 0x030f_02f0)).expect("it is what 3.15.2 says");
        assert!(!expected.is_unproven);
        assert_eq!(expected.thread.native_id, Some(184));
        let gil = Gil::OfInterpreter { pointer: 16, locked: 16, holder: 8, enabled: None };
        assert_eq!(expected.gil, gil);
        for (form, version) in [
            (V3_13, 0x030d_00f0),
            (V3_14, 0x030e_00f0),
            (V3_14, 0x030f_00a1),
            (V3_15_EARLY, 0x030f_00b1),
            (V3_15, 0x030f_00c3),
        ] {
            let found = layout(&table(form, version)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found, Layout { version: found.version, ..expected.clone() });
        }
    }

    #[test]
    fn newer_ones_are_taken_at_their_word_and_marked() {
        let found = layout(&table(V3_15, 0x0310_00a1)).expect("its table is like that of 3.15");
        assert!(found.is_unproven);
        assert_eq!(found.version.to_string(), "3.16.0a1");
    }

    #[test]
    fn an_order_is_not_taken_for_another() {
        for (form, version) in [(V3_14, 0x030d_00f0), (V3_13, 0x030e_00f0), (V3_13, 0x030f_00f0)] {
            let found = layout(&table(form, version));
            assert!(matches!(found, Err(LayoutError::UnknownForm { .. })), "{found:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused_with_a_reason() {
        let check = |bytes: &[u8], expected: &str| {
            let error = layout(bytes).expect_err("it is no table").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(b"", "expected the table of offsets");
        check(b"ELF and more", "found [45, 4c, 46");
        check(b"xdebugpy", "version 0x0");
        check(&table(V3_13, 0x030c_00f0), "version 0x30c00f0");
        check(&table(V3_13, u64::MAX), "version 0xffffffffffffffff");
        check(
            &table(V3_13, 0x030d_00f0)[..200],
            "CPython 3.13.0 is of a form that is not known: it is cut off",
        );
    }

    proptest::proptest! {
        #[test]
        fn no_numbers_stop_the_reading(
            minor in 13_u64..20,
            numbers in proptest::collection::vec(proptest::prop_oneof![0_u64..300, proptest::num::u64::ANY], 0..80),
        ) {
            let version = 0x0300_00f0 | minor << 16;
            let numbers = [version].into_iter().chain(numbers).flat_map(u64::to_ne_bytes);
            let bytes: Vec<u8> = COOKIE.iter().copied().chain(numbers).collect();
            if let Ok(layout) = layout(&bytes) {
                proptest::prop_assert!(layout.thread_bytes() + layout.frame_bytes() + layout.code_bytes() < 1 << 26);
            }
        }
    }
}
