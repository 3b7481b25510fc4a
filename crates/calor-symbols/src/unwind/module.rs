//! One image as the walk sees it: from an address to the row of rules that holds there, and what its bytes tell where
//! there are no rules.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::compile::{Context, Function, Rows};
use super::rule::{Column, Row, Rule};
use super::search::{Kind, Search};
use super::x86_64::{self, Posture};
use crate::image::{Image, Segment};

/// When a module has this many rows, columns or functions it forgets them and starts afresh: a bound on memory. The
/// functions that one program runs through have some tens of thousands.
const MAX_READ: usize = 1 << 19;

pub(super) struct Module {
    image: Arc<Image>,
    search: Search,
    functions: HashMap<(Kind, usize), Option<Function>, FixedState>,
    rows: Rows,
    /// Which row holds at an address that was asked for.
    found: HashMap<u64, Option<u32>, FixedState>,
}

impl Module {
    pub(super) fn new(image: Arc<Image>) -> Self {
        let search = Search::new(&image);
        let functions = HashMap::with_hasher(FixedState::default());
        let found = HashMap::with_hasher(FixedState::default());
        Self { image, search, functions, rows: Rows::default(), found }
    }

    pub(super) fn image(&self) -> Arc<Image> {
        Arc::clone(&self.image)
    }

    /// The rules that hold at `svma`.
    pub(super) fn row(&mut self, svma: u64, context: &mut Context) -> Option<(&Row, &[Column])> {
        if !self.image.is_x86_64() {
            return None;
        }
        let n_read = [self.rows.rows.len(), self.rows.columns.len(), self.functions.len(), self.found.len()];
        if n_read.into_iter().any(|n| n > MAX_READ) {
            self.functions.clear();
            self.found.clear();
            self.rows = Rows::default();
        }
        let index = match self.found.get(&svma) {
            Some(found) => *found,
            None => {
                let found = self.find_row(svma, context).and_then(|index| u32::try_from(index).ok());
                self.found.insert(svma, found);
                found
            }
        };
        let row = self.rows.rows.get(index? as usize)?;
        let columns = self.rows.columns.get(row.columns.start as usize..row.columns.end as usize)?;
        Some((row, columns))
    }

    /// Which row holds at `svma`.
    fn find_row(&mut self, svma: u64, context: &mut Context) -> Option<usize> {
        let function = Kind::ALL
            .into_iter()
            .filter_map(|kind| self.function(kind, svma, context))
            .find(|function| (function.start..function.end).contains(&svma))?;
        let rows = self.rows.rows.get(function.first_row..)?.get(..function.n_rows)?;
        let index = rows.partition_point(|row| row.start <= svma).checked_sub(1)?;
        (svma < rows.get(index)?.end).then_some(function.first_row + index)
    }

    /// The function of a section that is nearest below `svma`, read if that has not been done.
    fn function(&mut self, kind: Kind, svma: u64, context: &mut Context) -> Option<Function> {
        let (section, offset) = self.search.candidate(kind, &self.image, svma)?;
        let read = || self.rows.append(section, offset, &self.image, context);
        *self.functions.entry((kind, offset)).or_insert_with(read)
    }

    /// The quick walk's rule at `svma`.
    pub(super) fn rule(&mut self, svma: u64, context: &mut Context) -> Rule {
        self.row(svma, context).map_or(Rule::Absent, |(row, _)| row.rule)
    }

    /// Whether a thread that stands at `svma` is on its way back from a signal handler. Where it stands exactly, it
    /// may have run the first of the two instructions for that.
    pub(super) fn is_signal_return(&self, svma: u64, is_exact: bool) -> bool {
        let is_at = |svma, code| self.image.loaded_from(svma).is_some_and(|bytes| bytes.starts_with(code));
        x86_64::SIGNAL_RETURNS
            .iter()
            .any(|(first, both)| is_at(svma, both) || is_exact && is_at(svma.wrapping_sub(*first), both))
    }

    /// Whether `svma` is executable and directly behind a call.
    pub(super) fn is_behind_call(&self, svma: u64) -> bool {
        self.code_before(svma, x86_64::MAX_CALL_LENGTH).is_some_and(x86_64::ends_with_call)
    }

    /// What the code around `svma` has done to the stack, in a function that says nothing about it.
    pub(super) fn posture(&mut self, svma: u64, is_exact: bool, context: &mut Context) -> Posture {
        const LONGEST_FUNCTION: u64 = 4_096;
        // Code that does say something belongs to other functions.
        let functions = Kind::ALL.into_iter().filter_map(|kind| self.function(kind, svma, context));
        let end = functions.map(|function| function.end).filter(|&end| end <= svma).max().unwrap_or(0);
        let before = self.code_before(svma, LONGEST_FUNCTION.min(svma - end)).unwrap_or_default();
        let after = self.image.loaded_from(svma).filter(|_| is_exact).unwrap_or_default();
        x86_64::posture(before, after)
    }

    /// Whether the code before `svma` marks the outermost frame, as the first code of a thread does.
    pub(super) fn is_thread_start(&self, svma: u64) -> bool {
        const LONGEST_START: u64 = 64;
        self.code_before(svma, LONGEST_START).is_some_and(x86_64::marks_outermost_frame)
    }

    /// Whether `svma` is what the first function of a made context returns to: code that no call leads to and that
    /// leaves the stack at once. What is behind it belongs to no caller.
    pub(super) fn is_context_start(&self, svma: u64) -> bool {
        let code = self.image.loaded_from(svma);
        code.is_some_and(|code| code.starts_with(x86_64::LEAVE_CONTEXT)) && !self.is_behind_call(svma)
    }

    /// Whether `svma` is in the few instructions that a program begins with. The kernel jumps there.
    pub(super) fn is_entry(&self, svma: u64) -> bool {
        const LONGEST_START: u64 = 128;
        let entry = self.image.entry();
        let distance = svma.checked_sub(entry).filter(|&distance| entry != 0 && distance < LONGEST_START);
        let code = self.image.loaded_from(entry).zip(distance).and_then(|(code, n)| code.get(..n as usize));
        code.is_some_and(|code| !x86_64::has_last_instruction(code))
    }

    /// Up to `length` bytes of code before `svma`. A call can be the last instruction of a segment, so the byte before
    /// is what has to be code.
    fn code_before(&self, svma: u64, length: u64) -> Option<&[u8]> {
        let last = svma.checked_sub(1)?;
        let is_around = |segment: &&Segment| {
            segment.is_executable && last.checked_sub(segment.address).is_some_and(|at| at < segment.size)
        };
        let segment = self.image.segments().iter().find(is_around)?;
        let start = svma.saturating_sub(length).max(segment.address);
        self.image.loaded_from(start)?.get(..usize::try_from(svma - start).ok()?)
    }
}
