//! What the keys do and what the columns mean, over the view.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span as Text};

use super::super::shorten;
use super::{Picture, put};

/// A key and what it does; without a key, a heading.
const LINES: [(&str, &str); 16] = [
    ("1-7, Tab", "functions, threads, Python, memory, waits, output, notes"),
    ("arrows, j k", "choose a row; PageUp, PageDown, Home, End go further"),
    ("Enter", "callers and callees of a function, source of a line"),
    ("s, r", "sort by the next column; reverse the order"),
    ("/", "show only rows with a text in them; Esc shows all again"),
    ("t", "sums of the last 10 s, the last 60 s, or since the start"),
    ("space, p", "stand still; the recording goes on"),
    ("w", "write all that was recorded to a profile"),
    ("q, Esc", "leave; a program that was started here is ended (SIGTERM)"),
    ("", ""),
    ("self", "found in the function itself, of all samples"),
    ("total", "found there or in what it called"),
    ("trend", "self over the last 8 rounds; an arrow from 1 % up or down"),
    ("native", "of a Python line: in compiled code outside the interpreter"),
    ("CPU, GIL", "of one core: running, and with Python's lock held meanwhile"),
    ("lost", "samples that found no room; a lower rate (-F) loses fewer"),
];

pub(super) fn draw(buffer: &mut Buffer, area: Rect, picture: &Picture<'_>) {
    let room = usize::from(area.width).saturating_sub(15);
    // Where not all fit, the keys are what is needed.
    for (row, (key, what)) in (0..area.height).zip(LINES) {
        let line = vec![
            Text::styled(format!(" {key:12} "), picture.theme.title),
            Text::raw(shorten::sentence(what, room)),
        ];
        put(buffer, area, row, Line::from(line));
    }
}
