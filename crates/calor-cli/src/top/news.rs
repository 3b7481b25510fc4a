//! What reaches the view, from whichever thread: it sleeps until something does.

use std::path::PathBuf;

use ratatui::crossterm::event::Event;

use super::feed::Look;

/// One thing that happened.
#[derive(Debug)]
pub(super) enum News {
    /// A key, or another size of the terminal.
    Input(Event),
    /// The terminal is gone, or cannot be read.
    NoInput(String),
    /// Another round of the recording.
    Look(Box<Look>),
    /// The recording cannot go on.
    Failed(String),
    /// A profile was written, with its size, or was not.
    Saved(Result<(PathBuf, u64), String>),
    /// Somebody asked this process to end, or the time is up.
    Leave,
}
