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
fn is_object(address: u64) -> bool {
    address >= LOWEST_ADDRESS && address.is_multiple_of(8)
}
