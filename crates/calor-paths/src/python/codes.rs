//! A number for each Python function that was met in a call path, and what it is called.
//!
//! A function is known by the address of its code object. When that is freed its number is forgotten, so that what comes
//! to lie there next is another function. Functions that are alike in everything, as those of a text that is run again
//! and again, have one number.
//!
//! # Safety
//! Code objects are those of frames that are running. Texts are read as long as they say they are. Words of the region are
//! handed out once each.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

use calor_cpython::{Bytecode, Layout, TextState};

use super::{Interpreter, word};
use crate::layout::{BLOCK, Kind};
use crate::lock::Lock;
use crate::number_table::NumberTable;
use crate::region::Region;
use crate::walk::path::mixed;

/// Functions that are told apart: programs that make code as they go make any number.
const MAX_CODES: u32 = 1 << 18;
/// The number of functions that cannot be kept.
const LOST: u32 = (1 << super::FUNCTION_BITS) - 1;
/// No name of a function and no path of a file has more characters.
const MOST_CHARACTERS: usize = 4096;
/// Of longer tables of lines nothing is kept: lines are then those of the functions.
const MOST_LINES_BYTES: usize = 32 << 10;
/// Bits of the filter.
const FILTER_BITS: usize = 1 << 16;

/// Zeroed memory knows of none.
#[repr(C)]
pub(crate) struct Codes {
    /// By address.
    numbers: NumberTable,
    /// Rises when a function is gone.
    age: AtomicU32,
    /// A bit for each address's hash: where it is clear, no known function lies there.
    filter: [AtomicU64; FILTER_BITS / 64],
    writer: Lock<Writer>,
}

#[repr(C)]
struct Writer {
    count: u32,
    /// By what they are.
    alike: NumberTable,
    words: *mut AtomicU64,
    words_left: usize,
    n_blocks: u32,
    has_interpreter: bool,
}

unsafe impl Send for Writer {}

fn bit_of(address: usize) -> usize {
    (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER_BITS.trailing_zeros())
}

fn key(address: usize) -> u64 {
    mixed(0x5bd1_e995, address)
}

impl Codes {
    /// How often a function has gone.
    #[inline(always)]
    pub(crate) fn age(&self) -> u32 {
        self.age.load(Relaxed)
    }

    /// The number of the function whose code object is at `address`; 0 when it cannot be kept.
    #[inline(always)]
    pub(super) fn number(&self, region: Region, interpreter: &Interpreter, address: usize) -> u32 {
        match self.numbers.find(key(address)) {
            0 => self.add(region, interpreter, address),
            number => number,
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, region: Region, interpreter: &Interpreter, address: usize) -> u32 {
        let layout = &interpreter.layout;
        let mut writer = self.writer.lock();
        let known = self.numbers.find(key(address));
        if known != 0 {
            return known;
        }
        if address == 0 || unsafe { word(address, layout.object.kind) } != interpreter.code_type {
            return self.lose(region, address);
        }
        let code = CodeObject::at(layout, address);
        let alike = code.likeness(layout);
        let number = match writer.alike.find(alike) {
            0 => match writer.write_new(region, interpreter, &code) {
                Some(number) => {
                    writer.alike.put(alike, number);
                    number
                }
                None => return self.lose(region, address),
            },
            number => number,
        };
        if !self.numbers.put(key(address), number) {
            return 0;
        }
        self.mark(address);
        number
    }

    /// A function that cannot be kept has a number that no other has, so that this is found out once.
    fn lose(&self, region: Region, address: usize) -> u32 {
        region.header().functions_lost.fetch_add(1, Relaxed);
        self.numbers.put(key(address), LOST);
        self.mark(address);
        LOST
    }

    fn mark(&self, address: usize) {
        let bit = bit_of(address);
        self.filter[bit / 64].fetch_or(1 << (bit % 64), Release);
    }

    /// Whether a function may lie in the block at this address.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        let bit = bit_of(address);
        self.filter[bit / 64].load(Relaxed) >> (bit % 64) & 1 != 0
    }

    /// What lies at this address is freed.
    #[cold]
    #[inline(never)]
    pub(crate) fn forget(&self, address: usize) {
        if self.numbers.find(key(address)) == 0 {
            return;
        }
        let _writer = self.writer.lock();
        self.numbers.put(key(address), 0);
        self.age.fetch_add(1, Relaxed);
    }
}

impl Codes {
    /// Nobody told for a while which functions are gone: whatever lies at their addresses is looked at anew.
    pub(crate) fn forget_all(&self) {
        let _writer = self.writer.lock();
        self.numbers.forget_all();
        self.age.fetch_add(1, Relaxed);
    }
}

/// A piece of the interpreter's memory.
#[derive(Clone, Copy)]
struct Piece {
    address: usize,
    length: usize,
}

impl Piece {
    const NONE: Self = Self { address: 0, length: 0 };

    /// So many words it takes in the region: where it was, how long it is, and its bytes.
    fn n_words(&self) -> usize {
        if self.length == 0 { 0 } else { 2 + self.length.div_ceil(8) }
    }

    fn hashed(&self, mut hash: u64, skipped: usize) -> u64 {
        for at in (skipped.min(self.length)..self.length).step_by(8) {
            hash = mixed(hash, self.word(at) as usize);
        }
        mixed(hash, self.length)
    }

    /// Up to eight bytes from an offset on.
    fn word(&self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        let length = (self.length - at).min(8);
        let from = (self.address + at) as *const u8;
        unsafe { core::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), length) };
        u64::from_ne_bytes(bytes)
    }
}

/// A code object and what belongs to it.
struct CodeObject {
    object: Piece,
    name: Piece,
    file: Piece,
    lines: Piece,
    bytecode: Piece,
}

impl CodeObject {
    fn at(layout: &Layout, address: usize) -> Self {
        let code = layout.code;
        let pointer = |offset| unsafe { word(address, offset) };
        let bytecode = match code.bytecode {
            Bytecode::Inline { .. } => Piece::NONE,
            Bytecode::Object { pointer: at } => {
                Piece { address: pointer(at), length: layout.bytes.data as usize }
            }
        };
        Self {
            object: Piece { address, length: layout.code_bytes() },
            name: text(layout, pointer(code.qualified_name.unwrap_or(code.name))),
            file: text(layout, pointer(code.file)),
            lines: bytes(layout, pointer(code.lines)),
            bytecode,
        }
    }

    /// What is the same for functions that are alike.
    fn likeness(&self, layout: &Layout) -> u64 {
        let first_line = unsafe { word(self.object.address, layout.code.first_line) } & 0xffff_ffff;
        let hash = mixed(0x9747_b28c, first_line);
        // Heads of objects hold counts and addresses.
        let hash = self.name.hashed(hash, layout.text.ascii as usize);
        let hash = self.file.hashed(hash, layout.text.ascii as usize);
        // Of a table that is too long only the length is known here.
        let length = match self.lines.address {
            0 => 0,
            address => unsafe { word(address, layout.bytes.length) },
        };
        self.lines.hashed(mixed(hash, length), layout.bytes.data as usize)
    }

    fn pieces(&self) -> [Piece; 5] {
        [self.object, self.name, self.file, self.lines, self.bytecode]
    }
}

/// A `str` object with its characters; nothing where those are elsewhere, or too many.
fn text(layout: &Layout, address: usize) -> Piece {
    if address == 0 {
        return Piece::NONE;
    }
    let length = unsafe { word(address, layout.text.length) };
    let bits = unsafe { word(address, layout.text.state) } as u32;
    match TextState::of(bits) {
        Some(state) if state.is_compact && length <= MOST_CHARACTERS => {
            let start = if state.is_ascii { layout.text.ascii } else { layout.text.compact };
            Piece { address, length: start as usize + length * state.width }
        }
        _ => Piece::NONE,
    }
}

/// A `bytes` object; only its head where it is too large.
fn bytes(layout: &Layout, address: usize) -> Piece {
    if address == 0 {
        return Piece::NONE;
    }
    let length = unsafe { word(address, layout.bytes.length) };
    let length = if length <= MOST_LINES_BYTES { length } else { 0 };
    Piece { address, length: layout.bytes.data as usize + length }
}

impl Writer {
    /// Writes a function down: its number, then the pieces.
    fn write_new(&mut self, region: Region, interpreter: &Interpreter, code: &CodeObject) -> Option<u32> {
        if self.count >= MAX_CODES {
            return None;
        }
        if !self.has_interpreter {
            let version = interpreter.version;
            let version = Piece { address: version.as_ptr() as usize, length: version.to_bytes().len() };
            let table = Piece { address: interpreter.runtime, length: calor_cpython::TABLE_BYTES };
            self.write(region, 0, &[version, table])?;
            self.has_interpreter = true;
        }
        let number = self.count + 1;
        self.write(region, number, &code.pieces())?;
        self.count = number;
        region.header().functions.store(number, Release);
        Some(number)
    }

    fn write(&mut self, region: Region, number: u32, pieces: &[Piece]) -> Option<()> {
        let n_words = 1 + pieces.iter().map(Piece::n_words).sum::<usize>();
        if n_words > BLOCK / 8 {
            return None;
        }
        if n_words > self.words_left {
            self.words = region.block(Kind::FUNCTIONS, 0, self.n_blocks)?.cast().as_ptr();
            self.words_left = BLOCK / 8;
            self.n_blocks += 1;
        }
        let first = NonNull::new(self.words)?;
        let mut at = 1;
        let mut put = |word: u64| {
            unsafe { first.add(at).as_ref() }.store(word, Relaxed);
            at += 1;
        };
        for piece in pieces.iter().filter(|piece| piece.length > 0) {
            put(piece.address as u64);
            put(piece.length as u64);
            for from in (0..piece.length).step_by(8) {
                put(piece.word(from));
            }
        }
        // The first word says how long it is, and so that it is there.
        unsafe { first.as_ref() }.store(u64::from(number) << 32 | n_words as u64, Release);
        self.words = unsafe { self.words.add(n_words) };
        self.words_left -= n_words;
        Some(())
    }
}
