//! What a thread knows of spans: those that it has entered and not exited, innermost last, and its table of
//! spans that it created.

use std::cell::{Cell, RefCell};

use crate::Scope;

use super::live_span::Key;
use super::live_spans::Table;

/// Spans that a thread may have entered and not exited. The recorder nests less deep; what is above was left
/// behind by exits that never came.
const MAX_OPEN: usize = 512;

thread_local! {
    static THREAD: Thread =
        const { Thread { table: Cell::new(None), has_asked: Cell::new(false), open: RefCell::new(Vec::new()) } };
}

/// A thread's share of the layer.
pub(crate) struct Thread {
    table: Cell<Option<&'static Table>>,
    /// Whether a table was asked for: there may be none.
    has_asked: Cell<bool>,
    open: RefCell<Vec<OpenSpan>>,
}

/// A span that was entered on this thread.
pub(crate) struct OpenSpan {
    pub(crate) key: Key,
    pub(crate) tells_work: bool,
    pub(crate) scope: Scope,
}

impl Thread {
    /// Runs `run` for the calling thread, unless it is being torn down.
    #[inline(always)]
    pub(crate) fn with<T>(run: impl FnOnce(&Self) -> T) -> Option<T> {
        THREAD.try_with(run).ok()
    }

    /// The thread's table, if it has one yet.
    #[inline(always)]
    pub(crate) fn table(&self) -> Option<&'static Table> {
        self.table.get()
    }

    /// The thread's table, taken now if need be; `None` if there is none to be had.
    #[inline(always)]
    pub(crate) fn table_or_new(&self) -> Option<&'static Table> {
        if !self.has_asked.get() {
            self.ask_for_table();
        }
        self.table.get()
    }

    #[cold]
    fn ask_for_table(&self) {
        self.has_asked.set(true);
        self.table.set(Table::take());
    }

    /// Notes a span that was entered.
    #[inline(always)]
    pub(crate) fn push(&self, span: OpenSpan) {
        if let Ok(mut open) = self.open.try_borrow_mut() {
            if open.len() == open.capacity() {
                make_room(&mut open);
            }
            open.push(span);
        }
    }

    /// Closes the scope that an exit belongs to: the latest of that span, usually the last of all. Before that,
    /// `tell` hears of a scope whose span can be told work.
    #[inline(always)]
    pub(crate) fn close(&self, key: Key, tell: impl FnOnce(&Scope)) {
        let Ok(mut open) = self.open.try_borrow_mut() else { return };
        let Some(mut at) = open.len().checked_sub(1) else { return };
        if open[at].key != key {
            match open.iter().rposition(|span| span.key == key) {
                Some(found) => at = found,
                None => return,
            }
        }
        if open[at].tells_work {
            tell(&open[at].scope);
        }
        // Dropped in place where it can be: to copy what was written a moment ago in larger pieces costs 10 ns.
        if at + 1 == open.len() {
            open.truncate(at);
        } else {
            drop(open.remove(at));
        }
    }
}

/// Makes room for one more; when there are too many, the oldest goes.
#[cold]
#[inline(never)]
fn make_room(open: &mut Vec<OpenSpan>) {
    if open.len() >= MAX_OPEN {
        open.remove(0);
    } else {
        open.reserve_exact(open.len().max(32));
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // Spans that were never exited end with their thread, the innermost first.
        while self.open.get_mut().pop().is_some() {}
        if let Some(table) = self.table.get() {
            table.give_back();
        }
    }
}
