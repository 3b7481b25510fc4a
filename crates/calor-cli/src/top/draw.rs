//! The picture: a header, the view, and a line about keys, drawn into a buffer of any size. Nothing is computed here
//! that another part could have told.

mod bottom;
mod charts;
mod header;
mod help;
mod list;
mod panel;
mod text;

use calor_analysis::live::LiveWindow;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::facts::Facts;
use super::source::Source;
use super::state::{Mode, State};
use super::theme::Theme;
use super::view::View;

/// Smaller than this, lines would break.
const LEAST: (u16, u16) = (60, 15);

/// What is drawn, apart from what is chosen.
pub(super) struct Picture<'a> {
    pub(super) window: &'a LiveWindow,
    pub(super) facts: &'a Facts,
    pub(super) theme: &'a Theme,
    /// The last lines that the program printed.
    pub(super) output: &'a [String],
    pub(super) source: &'a Source,
}

/// Draws it all, and says where the cursor is if something is typed.
pub(super) fn draw(buffer: &mut Buffer, state: &mut State, picture: &Picture<'_>) -> Option<Position> {
    let area = buffer.area;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("too small: {}x{} at least", LEAST.0, LEAST.1);
        put(buffer, area, 0, text);
        return None;
    }
    let rows_of = |first: u16, last: u16| Rect { y: area.y + first, height: last - first, ..area };
    header::draw(buffer, rows_of(0, 3), state, picture);
    let body = rows_of(3, area.height - 1);
    if state.mode == Mode::Help {
        help::draw(buffer, body, picture);
    } else {
        view(buffer, body, state, picture);
    }
    bottom::draw(buffer, rows_of(area.height - 1, area.height), state, picture)
}

fn view(buffer: &mut Buffer, body: Rect, state: &mut State, picture: &Picture<'_>) {
    match state.view {
        View::Functions | View::Threads | View::Python | View::Waits => {
            let (rows, n_all) = state.rows(picture.window);
            let panel_height =
                if state.has_panel && !rows.is_empty() { (body.height / 2).min(10) } else { 0 };
            let list = Rect { height: body.height - panel_height, ..body };
            state.settle(&rows, usize::from(list.height.saturating_sub(1)));
            list::draw(buffer, list, state, picture, &rows, n_all);
            if let Some(row) = rows.get(state.selected).filter(|_| panel_height > 0) {
                let panel = Rect { y: body.y + list.height, height: panel_height, ..body };
                panel::draw(buffer, panel, state, picture, row);
            }
        }
        View::Memory => {
            let n_processes = picture.window.processes.len();
            charts::draw(buffer, body, state, picture, n_processes);
        }
        View::Output => text::output(buffer, body, state, picture),
        View::Notes => text::notes(buffer, body, state, picture),
    }
}

/// Puts a line into a row of an area.
fn put<'a>(buffer: &mut Buffer, area: Rect, row: u16, line: impl Into<Line<'a>>) {
    if row < area.height {
        buffer.set_line(area.x, area.y + row, &line.into(), area.width);
    }
}

#[cfg(test)]
mod tests;
