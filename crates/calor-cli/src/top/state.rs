//! What the user has chosen to look at. Keys change it, drawing reads it; it holds none of the data.

use std::path::PathBuf;

use super::view::View;
use calor_analysis::live::{LiveOrder, LiveQuestion, LiveRow, LiveRowKey, LiveSpan, LiveWindow};

/// What keys are meant for just now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Mode {
    #[default]
    Browse,
    /// A filter is typed.
    Filter,
    /// The name of a file is typed.
    FileName(String),
    /// A file is there already.
    Overwrite(PathBuf),
    Help,
}

/// Everything that is chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) view: View,
    pub(super) span: LiveSpan,
    pub(super) is_reversed: bool,
    pub(super) is_paused: bool,
    /// Whether what is beside the chosen row is shown.
    pub(super) has_panel: bool,
    pub(super) filter: String,
    pub(super) mode: Mode,
    /// The chosen row, and the first that is shown.
    pub(super) selected: usize,
    pub(super) first: usize,
    /// The last word about something that was done.
    pub(super) message: Option<String>,
    /// The views that there are.
    pub(super) has_waits: bool,
    pub(super) has_output: bool,
    /// A name for the next file.
    pub(super) file_name: String,
    /// By view, the place in its orders.
    pub(super) sorts: [usize; View::ALL.len()],
    /// The row that was chosen by a key: it stays chosen wherever it goes. The first row is whatever is first.
    pub(super) followed: Option<LiveRowKey>,
    pub(super) is_moved: bool,
    pub(super) n_rows: usize,
    /// How many rows are shown at a time.
    pub(super) page: usize,
}

impl State {
    pub(super) fn sort(&self) -> LiveOrder {
        let sorts = self.view.sorts();
        sorts.get(self.sorts[self.view.number() - 1]).copied().unwrap_or(LiveOrder::Own)
    }

    pub(super) fn next_sort(&mut self) {
        let n_sorts = self.view.sorts().len();
        let place = &mut self.sorts[self.view.number() - 1];
        *place = if n_sorts == 0 { 0 } else { (*place + 1) % n_sorts };
    }

    /// The rows of the view, and how many there would be without the filter; none where it shows no list.
    pub(super) fn rows(&self, window: &LiveWindow) -> (Vec<LiveRow>, usize) {
        let Some(list) = self.view.list() else { return (Vec::new(), 0) };
        window.rows(&LiveQuestion {
            list,
            span: self.span,
            order: self.sort(),
            is_reversed: self.is_reversed,
            filter: &self.filter,
        })
    }

    /// Whether a view has anything to show for this program.
    pub(super) fn is_there(&self, view: View) -> bool {
        match view {
            View::Waits => self.has_waits,
            View::Output => self.has_output,
            _ => true,
        }
    }

    pub(super) fn show(&mut self, view: View) {
        if self.view != view {
            self.view = view;
            self.has_panel = false;
            self.go_to_top();
        }
    }

    /// The views in turn.
    pub(super) fn show_next(&mut self, is_backwards: bool) {
        let there: Vec<View> = View::ALL.into_iter().filter(|view| self.is_there(*view)).collect();
        let at = there.iter().position(|view| *view == self.view).unwrap_or(0);
        let step = if is_backwards { there.len() - 1 } else { 1 };
        self.show(there[(at + step) % there.len()]);
    }

    pub(super) fn go_to_top(&mut self) {
        (self.selected, self.first, self.followed, self.is_moved) = (0, 0, None, false);
    }

    pub(super) fn move_by(&mut self, rows: isize) {
        self.selected = self.selected.saturating_add_signed(rows).min(self.n_rows.saturating_sub(1));
        self.is_moved = true;
        if self.selected == 0 {
            self.go_to_top();
        }
    }

    pub(super) fn go_to_end(&mut self) {
        self.move_by(isize::try_from(self.n_rows).unwrap_or(isize::MAX));
    }

    pub(super) fn page(&self) -> isize {
        isize::try_from(self.page.max(2) - 1).unwrap_or(1)
    }

    /// Finds the chosen row among the rows as they are now, of which `page` fit.
    pub(super) fn settle(&mut self, rows: &[LiveRow], page: usize) {
        if self.is_moved {
            self.followed = rows.get(self.selected).map(|row| row.key.clone());
            self.is_moved = false;
        } else if let Some(followed) = &self.followed
            && let Some(place) = rows.iter().position(|row| row.key == *followed)
        {
            self.selected = place;
        }
        self.settle_count(rows.len(), page);
    }

    /// The same where rows are not told apart.
    pub(super) fn settle_count(&mut self, n_rows: usize, page: usize) {
        (self.n_rows, self.page) = (n_rows, page);
        self.selected = self.selected.min(n_rows.saturating_sub(1));
        let last_first = n_rows.saturating_sub(page);
        self.first =
            self.first.clamp((self.selected + 1).saturating_sub(page), self.selected).min(last_first);
    }
}
