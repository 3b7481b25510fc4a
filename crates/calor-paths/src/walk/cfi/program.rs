//! The instructions of a table, carried out up to an address.

use super::register;
use super::{Bytes, Entry, Frame, Rule, Saved};

/// How deep states may be remembered: compilers use one.
const REMEMBERED: usize = 8;

/// Where a frame begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cfa {
    Register(u64, i64),
    /// The expression "what lies at the frame pointer and so many bytes".
    AtBase(i64),
    Other,
}

/// Where a register's old value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Unchanged,
    InFrame(i64),
    AtBase(i64),
    Undefined,
    Other,
}

#[derive(Clone, Copy)]
struct Row {
    cfa: Cfa,
    base: Place,
    back: Place,
}

pub(super) struct State {
    code_alignment: u64,
    data_alignment: i64,
    pointers: u8,
    location: usize,
    row: Row,
    initial: Row,
    remembered: [Row; REMEMBERED],
    depth: usize,
}

impl State {
    pub(super) fn new(entry: &Entry) -> Self {
        let row = Row { cfa: Cfa::Other, base: Place::Unchanged, back: Place::InFrame(-8) };
        Self {
            code_alignment: entry.code_alignment,
            data_alignment: entry.data_alignment,
            pointers: entry.pointers,
            location: entry.first_pc,
            row,
            initial: row,
            remembered: [row; REMEMBERED],
            depth: 0,
        }
    }

    /// What holds now is what `restore` goes back to.
    pub(super) fn keep_initial(&mut self) {
        self.initial = self.row;
    }

    /// Carries out instructions until they are about addresses after `pc`.
    pub(super) fn run(&mut self, mut bytes: Bytes, pc: Option<usize>) -> Option<()> {
        while !bytes.is_empty() {
            let code = bytes.u8()?;
            let low = u64::from(code & 0x3f);
            let step = match code >> 6 {
                1 => Some(low),
                2 => {
                    let offset = self.scaled(bytes.unsigned()? as i64);
                    self.set(low, Place::InFrame(offset));
                    None
                }
                3 => {
                    self.restore(low);
                    None
                }
                _ => self.other(code, &mut bytes)?,
            };
            if let Some(step) = step {
                self.location = self.location.wrapping_add((step * self.code_alignment) as usize);
            }
            if pc.is_some_and(|pc| self.location > pc) {
                return Some(());
            }
        }
        Some(())
    }

    /// One of the longer instructions; an answer is by how much the address moves on.
    fn other(&mut self, code: u8, bytes: &mut Bytes) -> Option<Option<u64>> {
        match code {
            0x00 => {}
            0x01 => self.location = bytes.pointer(self.pointers, 0)?,
            0x02 => return Some(Some(u64::from(bytes.u8()?))),
            0x03 => return Some(Some(u64::from(bytes.u16()?))),
            0x04 => return Some(Some(u64::from(bytes.u32()?))),
            0x05 => {
                let (register, offset) = (bytes.unsigned()?, bytes.unsigned()? as i64);
                self.set(register, Place::InFrame(self.scaled(offset)));
            }
            0x06 => {
                let register = bytes.unsigned()?;
                self.restore(register);
            }
            0x07 => {
                let register = bytes.unsigned()?;
                self.set(register, Place::Undefined);
            }
            0x08 => {
                let register = bytes.unsigned()?;
                self.set(register, Place::Unchanged);
            }
            0x09 => {
                let (register, _) = (bytes.unsigned()?, bytes.unsigned()?);
                self.set(register, Place::Other);
            }
            0x0a => {
                *self.remembered.get_mut(self.depth)? = self.row;
                self.depth += 1;
            }
            0x0b => {
                self.depth = self.depth.checked_sub(1)?;
                self.row = self.remembered[self.depth];
            }
            0x0c => self.row.cfa = Cfa::Register(bytes.unsigned()?, bytes.unsigned()? as i64),
            0x0d => {
                let register = bytes.unsigned()?;
                let Cfa::Register(_, offset) = self.row.cfa else { return None };
                self.row.cfa = Cfa::Register(register, offset);
            }
            0x0e => {
                let offset = bytes.unsigned()? as i64;
                self.set_frame_offset(offset)?;
            }
            0x0f => self.row.cfa = frame_expression(expression(bytes)?),
            0x10 => {
                let register = bytes.unsigned()?;
                let place = place_expression(expression(bytes)?);
                self.set(register, place);
            }
            0x11 => {
                let (register, offset) = (bytes.unsigned()?, bytes.signed()?);
                self.set(register, Place::InFrame(self.scaled(offset)));
            }
            0x12 => {
                let (register, offset) = (bytes.unsigned()?, bytes.signed()?);
                self.row.cfa = Cfa::Register(register, self.scaled(offset));
            }
            0x13 => {
                let offset = bytes.signed()?;
                self.set_frame_offset(self.scaled(offset))?;
            }
            0x14 | 0x15 => {
                let (register, _) = (bytes.unsigned()?, bytes.unsigned()?);
                self.set(register, Place::Other);
            }
            0x16 => {
                let register = bytes.unsigned()?;
                expression(bytes)?;
                self.set(register, Place::Other);
            }
            0x2e => {
                bytes.unsigned()?;
            }
            0x2f => {
                let (register, offset) = (bytes.unsigned()?, bytes.unsigned()? as i64);
                self.set(register, Place::InFrame(-self.scaled(offset)));
            }
            _ => return None,
        }
        Some(None)
    }

    fn scaled(&self, offset: i64) -> i64 {
        offset.wrapping_mul(self.data_alignment)
    }

    fn set_frame_offset(&mut self, offset: i64) -> Option<()> {
        let Cfa::Register(register, _) = self.row.cfa else { return None };
        self.row.cfa = Cfa::Register(register, offset);
        Some(())
    }

    fn set(&mut self, register: u64, place: Place) {
        match register {
            register::BP => self.row.base = place,
            register::RETURN => self.row.back = place,
            _ => {}
        }
    }

    fn restore(&mut self, register: u64) {
        match register {
            register::BP => self.row.base = self.initial.base,
            register::RETURN => self.row.back = self.initial.back,
            _ => {}
        }
    }

    /// What was found, as a rule.
    pub(super) fn rule(&self) -> Rule {
        if self.row.back == Place::Undefined {
            return Rule::END;
        }
        let frame = match self.row.cfa {
            Cfa::Register(register::SP, offset) => i32::try_from(offset).ok().map(Frame::Stack),
            Cfa::Register(register::BP, offset) => i32::try_from(offset).ok().map(Frame::Base),
            Cfa::AtBase(offset) => i32::try_from(offset).ok().map(Frame::AtBase),
            _ => None,
        };
        let base = match self.row.base {
            Place::Unchanged | Place::Undefined => Some(Saved::Unchanged),
            Place::InFrame(offset) => i16::try_from(offset).ok().map(Saved::InFrame),
            Place::AtBase(offset) => i16::try_from(offset).ok().map(Saved::AtBase),
            Place::Other => None,
        };
        match (frame, base, self.row.back) {
            (Some(frame), Some(base), Place::InFrame(-8)) => Rule { frame, base },
            _ => Rule::UNKNOWN,
        }
    }
}

/// The bytes of an expression.
fn expression(bytes: &mut Bytes) -> Option<Bytes> {
    let length = usize::try_from(bytes.unsigned()?).ok()?;
    let expression = Bytes::new(bytes.at, length);
    bytes.skip(length)?;
    Some(expression)
}

/// The frame pointer and a number, which is how stacks that are aligned describe themselves.
fn base_and_offset(bytes: &mut Bytes) -> Option<i64> {
    const BASE_REGISTER: u8 = 0x70 + register::BP as u8;
    (bytes.u8()? == BASE_REGISTER).then(|| bytes.signed())?
}

fn frame_expression(mut bytes: Bytes) -> Cfa {
    const DEREFERENCE: u8 = 0x06;
    match base_and_offset(&mut bytes) {
        Some(offset) if bytes.u8() == Some(DEREFERENCE) && bytes.is_empty() => Cfa::AtBase(offset),
        _ => Cfa::Other,
    }
}

fn place_expression(mut bytes: Bytes) -> Place {
    match base_and_offset(&mut bytes) {
        Some(offset) if bytes.is_empty() => Place::AtBase(offset),
        _ => Place::Other,
    }
}
