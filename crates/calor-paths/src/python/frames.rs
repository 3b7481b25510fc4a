//! The Python frames of a thread, kept from one allocation to the next: most of them are the same, and comparing is
//! cheaper than naming.
//!
//! # Safety
//! See the folder's module: a frame is reached from the state of the thread that runs, and each leads to its caller's.

use calor_cpython::{Bytecode, Entry, Layout, Position, Rank};

use super::codes::Codes;
use super::{Attached, Interpreter, MAX_PYTHON_FRAMES, PythonFrame, word};
use crate::nodes::Nodes;
use crate::region::Region;
use crate::walk::path::mixed;

/// So many of the last innermost frames are looked at for one that is still there.
const TRIES: usize = 8;

/// A frame that was met.
#[derive(Clone, Copy)]
#[repr(C)]
struct Level {
    at: Met,
    /// Of all frames up to this one, from the outermost.
    hash: u64,
    word: u64,
    /// The frames up to this one in the tree of all paths, 0 when it is not there yet.
    node: u32,
}

/// What tells that a frame is what it was.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct Met {
    frame: usize,
    code: usize,
    position: u64,
    is_outermost: bool,
}

/// The frames of one thread, outermost first. Zeroed memory is none.
#[repr(C)]
pub(crate) struct Frames {
    length: usize,
    /// How often functions had gone when these were met.
    age: u32,
    levels: [Level; MAX_PYTHON_FRAMES],
    new: [Met; MAX_PYTHON_FRAMES],
}

impl Frames {
    /// Brings the frames up to date. What stands for all of them, 0 when there are none.
    #[inline(always)]
    pub(crate) fn walk(
        &mut self,
        interpreter: &Interpreter,
        codes: &Codes,
        region: Region,
        attached: &Attached,
        is_on_stack: impl Fn(usize) -> bool,
    ) -> u64 {
        let layout = &interpreter.layout;
        let age = codes.age();
        if self.age != age {
            (self.age, self.length) = (age, 0);
        }
        let innermost = real(layout, interpreter.innermost(attached, is_on_stack)).0;
        let (mut kept, mut n_new) = self.gather(layout, innermost);
        if kept + n_new > MAX_PYTHON_FRAMES {
            // The same frames are always the same path, its innermost ones, whatever was kept.
            self.length = 0;
            (kept, n_new) = self.gather(layout, innermost);
        }
        let mut hash = if kept == 0 { 0 } else { self.levels[kept - 1].hash };
        for (level, met) in self.levels[kept..].iter_mut().zip(self.new[..n_new].iter().rev()) {
            let frame = PythonFrame {
                function: codes.number(region, interpreter, met.code),
                offset: offset(layout, met, attached.is_now.get()),
                is_outermost: met.is_outermost,
            };
            let word = frame.packed();
            hash = mixed(hash, word as usize);
            *level = Level { at: *met, hash, word, node: 0 };
        }
        self.length = kept + n_new;
        if self.length == 0 { 0 } else { hash | 1 }
    }

    /// Meets frames up to those that are still there: how many those are, and how many are new.
    #[inline(always)]
    fn gather(&mut self, layout: &Layout, mut at: usize) -> (usize, usize) {
        let mut n_new = 0;
        while at != 0 && n_new < MAX_PYTHON_FRAMES {
            let (met, back) = meet(layout, at);
            let last = &self.levels[..self.length];
            // Of frames that were cut off, none is known to be the outermost.
            let n_tries = if last.len() == MAX_PYTHON_FRAMES { 0 } else { TRIES };
            let near = last.iter().rev().take(n_tries).position(|level| level.at == met);
            if let Some(same) = near.map(|before_last| last.len() - 1 - before_last)
                && is_unchanged(layout, &last[..same], back)
            {
                return (same + 1, n_new);
            }
            self.new[n_new] = met;
            n_new += 1;
            at = back;
        }
        (0, n_new)
    }

    /// The node of the frames in the tree of all paths.
    #[cold]
    #[inline(never)]
    pub(crate) fn node(&mut self, nodes: &Nodes, region: Region) -> Option<u32> {
        let known = self.levels[..self.length].iter().rposition(|level| level.node != 0);
        let mut node = known.map_or(0, |known| self.levels[known].node);
        for level in &mut self.levels[known.map_or(0, |known| known + 1)..self.length] {
            node = nodes.number(region, level.hash, node, level.word)?;
            level.node = node;
        }
        Some(node)
    }

    /// The thread is another one now.
    pub(crate) fn forget(&mut self) {
        self.length = 0;
    }
}

/// Whether the frames from `at` on are those of `levels`.
#[inline(always)]
fn is_unchanged(layout: &Layout, levels: &[Level], mut at: usize) -> bool {
    for level in levels.iter().rev() {
        if at == 0 || level.at.frame != at {
            return false;
        }
        let (met, back) = meet(layout, at);
        if met != level.at {
            return false;
        }
        at = back;
    }
    at == 0
}

/// A frame, and its caller's.
#[inline(always)]
fn meet(layout: &Layout, at: usize) -> (Met, usize) {
    let (record, position) = read(layout, at);
    let (back, is_apart) = real(layout, record.back as usize);
    let is_outermost = is_apart || record.rank == Rank::Outermost;
    (Met { frame: at, code: record.code as usize, position, is_outermost }, back)
}

/// The next frame of a function from `at` on, and whether there was an end of a call before it.
#[inline(always)]
fn real(layout: &Layout, mut at: usize) -> (usize, bool) {
    let mut is_apart = false;
    if let Entry::Shim { .. } = layout.frame.entry {
        while at != 0 {
            let (record, _) = read(layout, at);
            if record.rank != Rank::Shim {
                break;
            }
            (at, is_apart) = (record.back as usize, true);
        }
    }
    (at, is_apart)
}

#[inline(always)]
fn read(layout: &Layout, at: usize) -> (calor_cpython::FrameRecord, u64) {
    let frame = layout.frame;
    let position = match frame.position {
        Position::Index { offset, .. } => unsafe { word(at, offset) as u64 & 0xffff_ffff },
        Position::Previous { offset } | Position::Current { offset } => unsafe { word(at, offset) as u64 },
    };
    let entry = match frame.entry {
        Entry::Each => 0,
        Entry::Flag { is_entry: offset } | Entry::Shim { owner: offset } => unsafe {
            ((at + offset as usize) as *const u8).read()
        },
    };
    let (code, back) = unsafe { (word(at, frame.code), word(at, frame.back)) };
    (layout.frame_of(code as u64, back as u64, position, entry), position)
}

/// How far behind the first instruction a frame is.
#[inline(always)]
fn offset(layout: &Layout, met: &Met, is_attached: bool) -> Option<u32> {
    let offset = match (layout.frame.position, layout.code.bytecode) {
        (Position::Index { unit, .. }, _) => i64::from(met.position as u32 as i32) * i64::from(unit),
        (_, Bytecode::Inline { start, units }) => {
            let own = met.position.wrapping_sub((met.code + start as usize) as u64) as i64;
            match layout.code.copies {
                None => own,
                Some(copies) => offset_in_copy(met, own, units, copies, is_attached),
            }
        }
        (_, Bytecode::Object { .. }) => -1,
    };
    u32::try_from(offset).ok()
}

/// Threads of free-threaded builds run copies of the instructions.
#[inline(never)]
fn offset_in_copy(met: &Met, own: i64, units: u32, copies: u32, is_attached: bool) -> i64 {
    let size = unsafe { word(met.code, units) } as i64 * 2;
    if (-2..size).contains(&own) {
        return own;
    }
    // While a thread is not attached, the list of copies may be replaced and the old one freed.
    let array = if is_attached { unsafe { word(met.code, copies) } } else { 0 };
    if array == 0 {
        return -1;
    }
    let count = unsafe { word(array, 0) }.min(4096);
    for index in 1..=count {
        let start = unsafe { word(array, index as u32 * 8) };
        let offset = met.position.wrapping_sub(start as u64) as i64;
        if start != 0 && (-2..size).contains(&offset) {
            return offset;
        }
    }
    -1
}
