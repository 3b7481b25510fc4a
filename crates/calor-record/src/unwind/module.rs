//! One image as the walk sees it: from an address to the row of rules that holds there, and what its bytes tell where
//! there are no rules.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::compile::{Context, Function, Rows};
use super::rule::{Column, Row, Rule};
use super::search::{Kind, Search};
use super::x86_64;
use crate::image::{Image, Segment};

/// When a module has this many rows it forgets them and starts afresh: a bound on memory that no real program
/// reaches, since its functions are read once each.
const MAX_ROWS: usize = 1 << 21;

pub(super) struct Module {
    image: Arc<Image>,
    search: Search,
    functions: HashMap<(Kind, usize), Option<Function>, FixedState>,
    rows: Rows,
}

impl Module {
    pub(super) fn new(image: Arc<Image>) -> Self {
        let search = Search::new(&image);
        let functions = HashMap::with_hasher(FixedState::default());
        Self { image, search, functions, rows: Rows::default() }
    }

    pub(super) fn image(&self) -> Arc<Image> {
        Arc::clone(&self.image)
    }

    /// The rules that hold at `svma`.
    pub(super) fn row(&mut self, svma: u64, context: &mut Context) -> Option<(&Row, &[Column])> {
        if !self.image.is_x86_64() {
            return None;
        }
        if self.rows.rows.len() > MAX_ROWS {
            self.functions.clear();
            self.rows = Rows::default();
        }
        let mut found = None;
        for (section, offset) in self.search.candidates(&self.image, svma).into_iter().flatten() {
            let function = *self
                .functions
                .entry((section.kind, offset))
                .or_insert_with(|| self.rows.append(&section, offset, self.image.bytes(), context));
            found = function.filter(|function| (function.start..function.end).contains(&svma));
            if found.is_some() {
                break;
            }
        }
        let function = found?;
        let rows = self.rows.rows.get(function.first_row..)?.get(..function.n_rows)?;
        let row = rows.get(rows.partition_point(|row| row.start <= svma).checked_sub(1)?)?;
        let columns = self.rows.columns.get(row.columns.start as usize..row.columns.end as usize)?;
        (svma < row.end).then_some((row, columns))
    }

    /// The quick walk's rule at `svma`.
    pub(super) fn rule(&mut self, svma: u64, context: &mut Context) -> Rule {
        self.row(svma, context).map_or(Rule::Absent, |(row, _)| row.rule)
    }

    /// Whether a thread that stands at `svma` is on its way back from a signal handler.
    pub(super) fn is_signal_return(&self, svma: u64) -> bool {
        self.image.loaded_from(svma).is_some_and(x86_64::is_signal_return)
    }

    /// Whether `svma` is executable and directly behind a call.
    pub(super) fn is_behind_call(&self, svma: u64) -> bool {
        // A call can be the last instruction of a segment, so the byte before counts.
        let Some(last) = svma.checked_sub(1) else { return false };
        let is_around = |segment: &&Segment| {
            segment.is_executable && last.checked_sub(segment.address).is_some_and(|at| at < segment.size)
        };
        let Some(segment) = self.image.segments().iter().find(is_around) else { return false };
        let start = svma.saturating_sub(x86_64::MAX_CALL_LENGTH).max(segment.address);
        let before = self.image.loaded_from(start).and_then(|bytes| bytes.get(..(svma - start) as usize));
        before.is_some_and(x86_64::ends_with_call)
    }

    /// Whether `svma` is in the few instructions that a program begins with. The kernel jumps there, so nothing
    /// called it, and C libraries do not all say so.
    pub(super) fn is_entry(&self, svma: u64) -> bool {
        const ENTRY_CODE: u64 = 64;
        let entry = self.image.entry();
        entry != 0 && svma.checked_sub(entry).is_some_and(|distance| distance < ENTRY_CODE)
    }
}
