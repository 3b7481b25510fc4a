//! Code objects, copied out of another process: what a function is called, where its source is, and which line each
//! of its instructions belongs to.

use std::ops::Range;

use super::fields::Fields;
use super::layout::{Bytecode, Instruction, Layout};
use super::lines::LineTable;
use super::memory::Memory;
use super::text::{bytes_at, text_at};

/// What is known of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeInfo {
    /// With its class and the functions around it since 3.11, alone before that.
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) first_line: u32,
    /// Where its instructions are.
    pub(crate) bytecode: Range<u64>,
    /// Where copies of them begin that threads have for themselves; only in free-threaded builds.
    pub(crate) copies: Vec<u64>,
    pub(crate) lines: LineTable,
}

impl CodeInfo {
    /// The line of an instruction; none where the compiler gave it none, and where it is no instruction of this
    /// function: in free-threaded builds a thread may have made its copy since.
    pub(crate) fn line_at(&self, instruction: Instruction) -> Option<u32> {
        let offset = self.offset_of(instruction)?;
        u32::try_from(offset).map_or(Some(self.first_line), |offset| self.lines.line_at(offset))
    }

    /// How many bytes an instruction lies behind the first one, less than 0 where that is still to come; none where
    /// it is no instruction of this function.
    pub(crate) fn offset_of(&self, instruction: Instruction) -> Option<i64> {
        let size = self.bytecode.end - self.bytecode.start;
        let offset = match instruction {
            Instruction::Offset(offset) => offset,
            Instruction::Address(address) => {
                // One unit before the first instruction counts as inside: it has been called and has not begun.
                let starts = [self.bytecode.start].into_iter().chain(self.copies.iter().copied());
                let offsets = starts.map(|start| address.wrapping_sub(start).cast_signed());
                offsets.into_iter().find(|offset| (-UNIT_BYTES..size.cast_signed()).contains(offset))?
            }
        };
        (offset < size.cast_signed()).then_some(offset)
    }
}

/// Why something is not taken for a code object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    #[error("its memory cannot be read")]
    Unreadable,
    #[error("it is an object of another type")]
    OtherType,
    #[error("its name or file is no text")]
    NoText,
    #[error("its first line or its table of lines is out of bounds")]
    NoLines,
    #[error("its instructions are out of bounds")]
    NoBytecode,
}

/// Instructions are made of units of so many bytes.
const UNIT_BYTES: i64 = 2;
/// Limits far above what compilers make, against what is no code object.
const MOST_LINES: u32 = 100_000_000;
const MOST_TABLE_BYTES: usize = 1 << 20;
const MOST_BYTECODE_BYTES: u64 = 1 << 26;
const MOST_COPIES: u64 = 4096;
/// The first page is never mapped: what points there is no pointer.
const LOWEST_ADDRESS: u64 = 4096;
/// The last one that a program has, with any number of levels of tables of pages.
const HIGHEST_ADDRESS: u64 = (1 << 56) - 1;

/// Reads code objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeReader<'a, M> {
    memory: &'a M,
    layout: &'a Layout,
    code_type: Option<u64>,
}

impl<'a, M: Memory> CodeReader<'a, M> {
    /// `code_type` is where `PyCode_Type` is; where it is not known types are told by their names.
    pub(crate) fn new(memory: &'a M, layout: &'a Layout, code_type: Option<u64>) -> Self {
        Self { memory, layout, code_type }
    }

    /// Reads the code object at `address`.
    ///
    /// # Errors
    /// If what is there is none, or is being changed.
    pub(crate) fn read(&self, address: u64) -> Result<CodeInfo, Refusal> {
        let (layout, code) = (self.layout, self.layout.code);
        if !is_object(address) {
            return Err(Refusal::Unreadable);
        }
        let mut copy = vec![0; layout.code_bytes()];
        if self.memory.read(address, &mut copy) < copy.len() {
            return Err(Refusal::Unreadable);
        }
        let fields = Fields(&copy);
        let pointer = |offset| fields.word(offset).filter(|it| is_object(*it));
        if !pointer(layout.object.kind).is_some_and(|kind| self.is_code_type(kind)) {
            return Err(Refusal::OtherType);
        }
        let text =
            |offset| pointer(offset).and_then(|it| text_at(self.memory, layout, it)).ok_or(Refusal::NoText);
        let first_line = fields.int(code.first_line).and_then(|line| u32::try_from(line).ok());
        let first_line = first_line.filter(|line| *line <= MOST_LINES).ok_or(Refusal::NoLines)?;
        let table = pointer(code.lines).and_then(|it| bytes_at(self.memory, layout, it, MOST_TABLE_BYTES));
        let table = table.ok_or(Refusal::NoLines)?;
        Ok(CodeInfo {
            name: text(code.qualified_name.unwrap_or(code.name))?,
            file: text(code.file)?,
            first_line,
            bytecode: self.bytecode(address, fields).ok_or(Refusal::NoBytecode)?,
            copies: code.copies.and_then(pointer).map_or_else(Vec::new, |it| self.copies(it)),
            lines: LineTable::unpack(code.line_form, &table, first_line.cast_signed()),
        })
    }

    fn bytecode(&self, address: u64, fields: Fields<'_>) -> Option<Range<u64>> {
        let (start, n_bytes) = match self.layout.code.bytecode {
            Bytecode::Object { pointer } => {
                let object = fields.word(pointer).filter(|it| is_object(*it))?;
                let length = self.memory.pointer(object.checked_add(self.layout.bytes.length.into())?)?;
                (object.checked_add(self.layout.bytes.data.into())?, length)
            }
            Bytecode::Inline { start, units } => {
                let n_bytes = fields.word(units)?.checked_mul(UNIT_BYTES.cast_unsigned())?;
                (address.checked_add(start.into())?, n_bytes)
            }
        };
        (n_bytes <= MOST_BYTECODE_BYTES).then_some(start..start.checked_add(n_bytes)?)
    }

    /// The array of copies begins with how many there are; the first is the code object's own.
    fn copies(&self, array: u64) -> Vec<u64> {
        let n_copies = self.memory.pointer(array).filter(|count| *count <= MOST_COPIES).unwrap_or(0);
        let mut bytes = vec![0; usize::try_from(n_copies).unwrap_or(0) * 8];
        let n_read = self.memory.read(array.saturating_add(8), &mut bytes);
        let starts = bytes[..n_read].as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word));
        starts.skip(1).filter(|start| *start != 0).collect()
    }

    fn is_code_type(&self, kind: u64) -> bool {
        match self.code_type {
            Some(code_type) => kind == code_type,
            None => {
                // A type's name stands behind its head and its size.
                let name_at = kind.checked_add(u64::from(self.layout.object.kind) + 16);
                let name_at = name_at.and_then(|at| self.memory.pointer(at));
                let mut name = [0; 5];
                name_at.is_some_and(|at| self.memory.read(at, &mut name) == name.len()) && &name == b"code\0"
            }
        }
    }
}

/// Whether an object can be there.
pub(super) fn is_object(address: u64) -> bool {
    (LOWEST_ADDRESS..=HIGHEST_ADDRESS).contains(&address) && address.is_multiple_of(8)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::python::layout::{Code, Version};

    /// Words from `START` on, and nothing elsewhere.
    pub(in crate::python) struct Words(pub(in crate::python) Vec<u64>);

    pub(in crate::python) const START: u64 = 0x1_0000;

    impl Memory for Words {
        fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
            let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let from = usize::try_from(address.wrapping_sub(START)).unwrap_or(usize::MAX);
            let rest = bytes.get(from..).unwrap_or_default();
            let n_bytes = rest.len().min(buffer.len());
            buffer[..n_bytes].copy_from_slice(&rest[..n_bytes]);
            n_bytes
        }
    }

    /// A code object with all it needs, at `START`.
    pub(in crate::python) fn function(layout: &Layout) -> Words {
        let mut words = vec![0; 128];
        let mut put = |address: u64, offset: u32, value: u64| {
            let at = usize::try_from(address - START).expect("it is small") + offset as usize;
            words[at / 8] |= value << (at % 8 * 8);
        };
        let (name, lines, bytecode, kind) = (START + 256, START + 384, START + 512, START + 640);
        let code = layout.code;
        put(START, layout.object.kind, kind);
        put(START, code.file, name);
        put(START, code.qualified_name.unwrap_or(code.name), name);
        put(START, code.first_line, 10);
        put(START, code.lines, lines);
        match code.bytecode {
            Bytecode::Object { pointer } => put(START, pointer, bytecode),
            Bytecode::Inline { units, .. } => put(START, units, 8),
        }
        if let Some(copies) = code.copies {
            put(START, copies, lines);
        }
        put(name, layout.text.length, 5);
        // One byte a character, behind the head, ASCII.
        put(name, layout.text.state, 1 << 2 | 1 << 5 | 1 << 6);
        put(name, layout.text.ascii, u64::from_ne_bytes(*b"hello\0\0\0"));
        put(lines, layout.bytes.length, 4);
        put(bytecode, layout.bytes.length, 16);
        put(kind, layout.object.kind + 16, kind + 64);
        put(kind, 64, u64::from_ne_bytes(*b"code\0\0\0\0"));
        Words(words)
    }

    #[test]
    fn a_whole_function_is_read() {
        for (minor, has_copies) in [(8, false), (9, false), (10, false), (11, false), (12, false), (12, true)]
        {
            let layout = layout(minor, has_copies);
            let code = CodeReader::new(&function(&layout), &layout, None).read(START).expect("it is whole");
            assert_eq!((&*code.name, &*code.file, code.first_line), ("hello", "hello", 10));
            assert_eq!(code.bytecode.end - code.bytecode.start, 16);
        }
    }

    /// Numbers as memory is full of them: pointers to other words, sizes, bits and noise.
    fn word() -> impl Strategy<Value = u64> {
        let pointer = (0_u64..128).prop_map(|index| START + index * 8);
        prop_oneof![pointer, 0_u64..600, any::<u64>(), any::<u8>().prop_map(|bit| 1 << (bit % 64))]
    }

    pub(in crate::python) fn layout(minor: u8, has_copies: bool) -> Layout {
        let name = format!("python3.{minor}");
        let layout = Layout::of(Version::from_name(&name).expect("a version")).expect("it is known");
        Layout { code: Code { copies: has_copies.then_some(144), ..layout.code }, ..layout }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_memory_stops_the_reading(
            damage in proptest::collection::vec((0_usize..128, word()), 0..12),
            minor in 8_u8..=12,
            has_copies: bool,
            address in prop_oneof![4 => Just(START), 1 => word()],
            instruction in prop_oneof![
                word().prop_map(Instruction::Address),
                any::<i64>().prop_map(Instruction::Offset),
            ],
        ) {
            let layout = layout(minor, has_copies);
            let mut memory = function(&layout);
            for (index, word) in damage {
                memory.0[index] = word;
            }
            if let Ok(code) = CodeReader::new(&memory, &layout, None).read(address) {
                prop_assert!(code.bytecode.start <= code.bytecode.end);
                prop_assert!(code.name.chars().count() <= 4096 && code.file.chars().count() <= 4096);
                code.line_at(instruction);
            }
        }

        #[test]
        fn no_bytes_stop_the_reading_of_frames(bytes in proptest::collection::vec(any::<u8>(), 0..120), minor in 8_u8..=12) {
            let layout = layout(minor, false);
            // All of the fields or nothing; the last one may be shorter than what is read at once.
            if bytes.len() >= layout.frame_bytes() {
                prop_assert!(layout.frame_in(&bytes).is_some());
            } else if bytes.len() + 8 <= layout.frame_bytes() {
                prop_assert_eq!(layout.frame_in(&bytes), None);
            }
        }
    }

    #[test]
    fn instructions_are_found_in_the_function_and_its_copies() {
        let code = CodeInfo {
            name: "f".to_owned(),
            file: "f.py".to_owned(),
            first_line: 7,
            bytecode: 1000..1010,
            copies: vec![3000],
            lines: LineTable::unpack(crate::python::layout::LineForm::Ranges, &[4, 1, 6, 1], 7),
        };
        let at = |address| code.line_at(Instruction::Address(address));
        assert_eq!([998, 1000, 1004, 1009].map(at), [Some(7), Some(8), Some(9), Some(9)]);
        assert_eq!([2998, 3000, 3004].map(at), [Some(7), Some(8), Some(9)]);
        assert_eq!([996, 1010, 2990, 3010, 0, u64::MAX].map(at), [None; 6]);
        let after = |offset| code.line_at(Instruction::Offset(offset));
        assert_eq!([-1, 0, 4, 9, 10, i64::MAX].map(after), [Some(7), Some(8), Some(9), Some(9), None, None]);
    }
}
