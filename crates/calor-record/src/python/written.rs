//! Python functions that a process wrote down itself, as copies of its interpreter's objects. They are read as those of
//! another process are: only the memory is another.

use calor_paths::{FunctionImage, InterpreterImage, Pieces, PythonFrame};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::code::{CodeInfo, CodeReader};
use super::fields::Fields;
use super::functions::{Function, FunctionId, Functions};
use super::layout::{Instruction, Layout, Version};
use super::memory::Memory;
use super::merge::Part;

/// The functions of one process, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Written {
    layout: Option<Layout>,
    known: HashMap<u32, Known, RandomState>,
    /// How many records were looked at.
    n_read: usize,
}

/// What is known of a function. Of most nobody asks, so that they are made sense of when someone does.
#[derive(Debug)]
enum Known {
    Copied(Pieces),
    Function(FunctionId, CodeInfo),
    Senseless,
}

impl Written {
    /// Takes in what has been written since.
    pub(crate) fn read(&mut self, interpreter: Option<&InterpreterImage>, written: &[FunctionImage]) {
        if self.layout.is_none() {
            self.layout = interpreter.and_then(layout);
        }
        if self.layout.is_none() {
            return;
        }
        for record in written.get(self.n_read..).unwrap_or_default() {
            self.known.insert(record.number, Known::Copied(record.pieces.clone()));
        }
        self.n_read = self.n_read.max(written.len());
    }

    /// What a frame becomes.
    pub(crate) fn part(&mut self, frame: PythonFrame, functions: &mut Functions) -> Part {
        let (Some(known), Some(layout)) = (self.known.get_mut(&frame.function), &self.layout) else {
            return Part::Unnamed;
        };
        if let Known::Copied(pieces) = known {
            let read = info(layout, pieces)
                .and_then(|info| Some(Known::Function(functions.intern(Function::of(&info))?, info)));
            *known = read.unwrap_or(Known::Senseless);
        }
        match known {
            Known::Function(function, info) => {
                let instruction = frame.offset.map(|offset| Instruction::Offset(offset.into()));
                let line = instruction.and_then(|instruction| info.line_at(instruction));
                Part::Python(*function, line.unwrap_or(info.first_line))
            }
            _ => Part::Unnamed,
        }
    }
}

fn layout(interpreter: &InterpreterImage) -> Option<Layout> {
    let version = Version::from_text(&interpreter.version)?;
    Layout::from_debug_offsets(&interpreter.runtime).ok().or_else(|| Layout::of(version))
}

fn info(layout: &Layout, pieces: &Pieces) -> Option<CodeInfo> {
    let (address, head) = pieces.first()?;
    let code_type = Fields(head).word(layout.object.kind)?;
    let read =
        |pieces: &Pieces| CodeReader::new(&Copied(pieces), layout, Some(code_type)).read(*address).ok();
    read(pieces).or_else(|| read(&without_lines(layout, pieces)?))
}

/// The same with an empty table of lines: one that was too long to be written down.
fn without_lines(layout: &Layout, pieces: &Pieces) -> Option<Pieces> {
    let lines = Fields(&pieces.first()?.1).word(layout.code.lines)?;
    let mut pieces = pieces.clone();
    let (_, table) = pieces.iter_mut().find(|(address, _)| *address == lines)?;
    let at = layout.bytes.length as usize;
    table.get_mut(at..at + 8)?.fill(0);
    Some(pieces)
}

/// Memory of which pieces were copied.
struct Copied<'a>(&'a Pieces);

impl Memory for Copied<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        let found = self.0.iter().find_map(|(start, bytes)| {
            let from = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(from..).filter(|rest| !rest.is_empty())
        });
        let rest = found.unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        length
    }
}
