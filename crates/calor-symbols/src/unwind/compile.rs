//! Turns an entry of call frame information (FDE), which is a small program, into the rows it stands for. That is
//! done once for each function that stacks come through.

use gimli::{
    BaseAddresses, CfaRule, EndianSlice, LittleEndian, ReaderOffset, Register, RegisterRule, UnwindContext,
    UnwindContextStorage, UnwindExpression, UnwindSection, UnwindTableRow,
};

use super::registers::Registers;
use super::rule::{Bytecode, Column, Frame, Row, Rule, Source};
use super::search::{Kind, Section};
use super::x86_64;
use crate::image::Image;

pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// How many rows one function may have. The largest seen, an interpreter's loop, has a few thousand.
const MAX_ROWS: usize = 1 << 16;

/// Room for the state that reading one entry needs, kept between entries.
pub(super) type Context = UnwindContext<usize, Room>;

/// Bounds on that state, whatever the entry says: registers a row, and rows that are remembered.
pub(super) struct Room;

impl<T: ReaderOffset> UnwindContextStorage<T> for Room {
    type Rules = [(Register, RegisterRule<T>); 64];
    type Stack = Box<[UnwindTableRow<T, Self>; 16]>;
}

/// Where one function's rows ended up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) first_row: usize,
    pub(super) n_rows: usize,
}

/// The rows of all functions read so far, one after the other.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) columns: Vec<Column>,
}

impl Rows {
    /// Reads the entry at `offset` of the section and appends its rows. `None` when it is damaged beyond its first
    /// row, or not of this architecture.
    pub(super) fn append(
        &mut self,
        section: &Section,
        offset: usize,
        image: &Image,
        context: &mut Context,
    ) -> Option<Function> {
        let file = image.bytes();
        let reading = Reading { image, file, section_start: section.range.start, bases: section.bases() };
        match section.kind {
            Kind::Eh => reading.entry(&section.eh_frame(file), offset.into(), context, self),
            Kind::Debug => reading.entry(&section.debug_frame(file), offset.into(), context, self),
        }
    }

    fn push(&mut self, mut row: Row, columns: &[Column], file: &[u8]) -> Option<()> {
        // Rows mostly differ in the frame's offset alone, so neighbours share their columns.
        let last = self.rows.last().map(|last| last.columns.clone());
        row.columns = match last {
            Some(last) if self.columns.get(last.start as usize..last.end as usize)? == columns => last,
            _ => {
                let start = u32::try_from(self.columns.len()).ok()?;
                self.columns.extend_from_slice(columns);
                start..u32::try_from(self.columns.len()).ok()?
            }
        };
        row.rule = x86_64::simplify(row.frame, columns, row.is_signal, file);
        self.rows.push(row);
        Some(())
    }
}

/// Leaves out registers whose place on the stack is given up: compilers do not say of each `pop` that the register is the
/// caller's again. One that never had a place above the stack pointer was not pushed; it lies below.
fn forget_popped(frame: Frame, columns: &mut Vec<Column>, most_pushed: &mut i64) {
    let Frame::Register { number: base @ (Registers::SP | Registers::BP), offset: pushed } = frame else {
        return;
    };
    *most_pushed = pushed.max(*most_pushed);
    let is_popped = |at: i64| pushed.saturating_add(at) < 0 && most_pushed.saturating_add(at) >= 0;
    if base == Registers::SP {
        columns.retain(|column| !matches!(column.source, Source::AtFrame(at) if is_popped(at)));
    }
}

struct Reading<'a> {
    image: &'a Image,
    file: &'a [u8],
    section_start: usize,
    bases: BaseAddresses,
}

impl<'a> Reading<'a> {
    fn entry<S: UnwindSection<Slice<'a>>>(
        &self,
        section: &S,
        offset: S::Offset,
        context: &mut Context,
        rows: &mut Rows,
    ) -> Option<Function> {
        let fde = section.fde_from_offset(&self.bases, offset, S::cie_from_offset).ok()?;
        let is_ours = fde.cie().address_size() == 8
            && fde.cie().return_address_register() == Register(Registers::IP.into())
            && fde.initial_address() < fde.end_address();
        if !is_ours {
            return None;
        }
        let first_row = rows.rows.len();
        let mut table = fde.rows(section, &self.bases, context).ok()?;
        let (mut columns, mut most_pushed) = (Vec::new(), 0);
        // A damaged entry is good up to where the damage is.
        while let Ok(Some(row)) = table.next_row()
            && rows.rows.len() - first_row < MAX_ROWS
        {
            let (start, end) = (row.start_address(), row.end_address().min(fde.end_address()));
            if start >= end {
                continue;
            }
            columns.clear();
            columns.extend(row.registers().filter_map(|(register, rule)| self.column(*register, rule)));
            let Some(frame) = self.frame(row.cfa()) else { continue };
            forget_popped(frame, &mut columns, &mut most_pushed);
            let row = Row {
                start,
                end,
                rule: Rule::Absent,
                frame,
                columns: 0..0,
                is_signal: fde.is_signal_trampoline(),
            };
            self.push(row, &mut columns, rows)?;
        }
        let n_rows = rows.rows.len() - first_row;
        Some(Function { start: fde.initial_address(), end: fde.end_address(), first_row, n_rows })
    }

    fn push(&self, row: Row, columns: &mut Vec<Column>, rows: &mut Rows) -> Option<()> {
        let length = usize::try_from(row.end - row.start).unwrap_or(usize::MAX);
        let code = self.image.loaded_from(row.start).unwrap_or_default();
        let code = code.get(..length).unwrap_or(code);
        let Some(after) = x86_64::bp_restored_after(row.frame, columns, code, self.file) else {
            return rows.push(row, columns, self.file);
        };
        let middle = row.start + after as u64;
        if after > 0 {
            rows.push(Row { end: middle, ..row.clone() }, columns, self.file)?;
        }
        columns.retain(|column| column.register != Registers::BP);
        rows.push(Row { start: middle, ..row }, columns, self.file)
    }

    fn frame(&self, rule: &CfaRule<usize>) -> Option<Frame> {
        Some(match rule {
            CfaRule::RegisterAndOffset { register, offset } => {
                Frame::Register { number: u8::try_from(register.0).ok()?, offset: *offset }
            }
            CfaRule::Expression(expression) => Frame::Expression(self.bytecode(expression)?),
        })
    }

    fn column(&self, register: Register, rule: &RegisterRule<usize>) -> Option<Column> {
        let register = u8::try_from(register.0).ok().filter(|&number| number <= Registers::IP)?;
        let source = match rule {
            RegisterRule::SameValue => Source::Kept,
            RegisterRule::Offset(offset) => Source::AtFrame(*offset),
            RegisterRule::ValOffset(offset) => Source::Frame(*offset),
            RegisterRule::Register(other) => u8::try_from(other.0).map_or(Source::Lost, Source::Register),
            RegisterRule::Expression(code) => self.bytecode(code).map_or(Source::Lost, Source::At),
            RegisterRule::ValExpression(code) => self.bytecode(code).map_or(Source::Lost, Source::Value),
            RegisterRule::Constant(value) => Source::Constant(*value),
            RegisterRule::Undefined | RegisterRule::Architectural => Source::Lost,
        };
        Some(Column { register, source })
    }

    fn bytecode(&self, expression: &UnwindExpression<usize>) -> Option<Bytecode> {
        let offset = self.section_start.checked_add(expression.offset)?;
        Some(Bytecode { offset, length: expression.length })
    }
}
