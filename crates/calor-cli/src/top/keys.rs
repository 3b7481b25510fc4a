//! What each key does. Pure, so that every way through it can be tested without a terminal.

use std::path::PathBuf;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{Mode, State};
use super::view::{View, next_span};

/// What only others can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Request {
    Leave,
    /// Shows things as they are, or goes on.
    Pause,
    /// Writes a profile, if there is no such file yet.
    Save(PathBuf),
    /// Writes it in place of what is there.
    Replace(PathBuf),
}

/// Takes in a key.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Option<Request> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_control && matches!(key.code, KeyCode::Char('c' | 'd')) {
        return Some(Request::Leave);
    }
    state.message = None;
    match std::mem::take(&mut state.mode) {
        Mode::Browse => browse(state, key.code),
        // It leaves as it does everywhere; any other key goes back.
        Mode::Help if key.code == KeyCode::Char('q') => Some(Request::Leave),
        Mode::Help => None,
        Mode::Filter => {
            type_filter(state, key.code, is_control);
            None
        }
        Mode::FileName(name) => type_name(state, name, key.code, is_control),
        Mode::Overwrite(path) => match key.code {
            KeyCode::Char('y' | 'Y') => Some(Request::Replace(path)),
            _ => {
                state.message = Some("not saved".to_owned());
                None
            }
        },
    }
}

fn browse(state: &mut State, code: KeyCode) -> Option<Request> {
    match code {
        KeyCode::Char('q') => return Some(Request::Leave),
        KeyCode::Char(' ' | 'p') => return Some(Request::Pause),
        KeyCode::Esc if state.has_panel => state.has_panel = false,
        KeyCode::Esc if !state.filter.is_empty() => {
            state.filter.clear();
            state.go_to_top();
        }
        KeyCode::Esc => return Some(Request::Leave),
        KeyCode::Char(digit @ '1'..='7') => show(state, digit),
        KeyCode::Tab | KeyCode::Right => state.show_next(false),
        KeyCode::BackTab | KeyCode::Left => state.show_next(true),
        KeyCode::Up | KeyCode::Char('k') => state.move_by(-1),
        KeyCode::Down | KeyCode::Char('j') => state.move_by(1),
        KeyCode::PageUp => state.move_by(-state.page()),
        KeyCode::PageDown => state.move_by(state.page()),
        KeyCode::Home | KeyCode::Char('g') => state.go_to_top(),
        KeyCode::End | KeyCode::Char('G') => state.go_to_end(),
        KeyCode::Enter => state.has_panel = state.view.is_list() && !state.has_panel,
        KeyCode::Char('/') => state.mode = Mode::Filter,
        KeyCode::Char('s') => {
            state.next_sort();
            state.go_to_top();
        }
        KeyCode::Char('r') => {
            state.is_reversed = !state.is_reversed;
            state.go_to_top();
        }
        KeyCode::Char('t') => state.span = next_span(state.span),
        KeyCode::Char('w') => state.mode = Mode::FileName(state.file_name.clone()),
        KeyCode::Char('h' | '?') | KeyCode::F(1) => state.mode = Mode::Help,
        _ => {}
    }
    None
}

fn show(state: &mut State, digit: char) {
    let place = digit.to_digit(10).unwrap_or(1) as usize - 1;
    let Some(view) = View::ALL.get(place).copied() else { return };
    if state.is_there(view) {
        state.show(view);
    } else if view == View::Waits {
        state.message = Some("waits are not recorded: start it with --off-cpu to see them".to_owned());
    } else {
        state.message = Some("what an attached program prints goes where it always went".to_owned());
    }
}

fn type_filter(state: &mut State, code: KeyCode, is_control: bool) {
    match code {
        KeyCode::Enter => return,
        KeyCode::Esc => {
            state.filter.clear();
            state.go_to_top();
            return;
        }
        // The rows can be looked at while their filter is typed.
        KeyCode::Up => state.move_by(-1),
        KeyCode::Down => state.move_by(1),
        _ if typed(&mut state.filter, code, is_control) => state.go_to_top(),
        _ => {}
    }
    state.mode = Mode::Filter;
}

fn type_name(state: &mut State, mut name: String, code: KeyCode, is_control: bool) -> Option<Request> {
    match code {
        KeyCode::Enter if name.trim().is_empty() => state.message = Some("not saved: no name".to_owned()),
        KeyCode::Enter => return Some(Request::Save(PathBuf::from(name.trim()))),
        KeyCode::Esc => state.message = Some("not saved".to_owned()),
        code => {
            typed(&mut name, code, is_control);
            state.mode = Mode::FileName(name);
        }
    }
    None
}

/// Whether a key changed a text that is typed.
fn typed(text: &mut String, code: KeyCode, is_control: bool) -> bool {
    match code {
        KeyCode::Char('u') if is_control => text.clear(),
        KeyCode::Backspace => drop(text.pop()),
        KeyCode::Char(letter) if !is_control => text.push(letter),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests;
