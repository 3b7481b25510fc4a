//! The last row: what is typed, what was just done, or which keys there are.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span as Text};
use unicode_width::UnicodeWidthStr;

use super::super::shorten;
use super::super::state::{Mode, State};
use super::{Picture, put};

/// Keys and what they do, the most needed first.
const KEYS: [(&str, &str); 10] = [
    ("q", "quit"),
    ("h", "help"),
    ("space", "pause"),
    ("s", "sort"),
    ("/", "filter"),
    ("t", "time"),
    ("Enter", "look into"),
    ("w", "save"),
    ("r", "reverse"),
    ("Tab", "view"),
];

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    state: &State,
    picture: &Picture<'_>,
) -> Option<Position> {
    let width = usize::from(area.width);
    let typed = match &state.mode {
        Mode::Filter => format!("filter: {}", state.filter),
        Mode::FileName(name) => format!("save as: {name}"),
        Mode::Overwrite(path) => {
            let question = " is there: replace it? y/n";
            let path = shorten::path(&path.display().to_string(), width - question.width() - 1);
            put(buffer, area, 0, Line::styled(format!("{path}{question}"), picture.theme.alert));
            return None;
        }
        Mode::Help => {
            put(buffer, area, 0, Line::styled("any key goes back, q leaves", picture.theme.faint));
            return None;
        }
        Mode::Browse => {
            put(buffer, area, 0, browse(state, picture, width));
            return None;
        }
    };
    // The end of a long text is where the next letter goes.
    let shown = shorten::path(&typed, width - 1);
    let at = u16::try_from(shown.width()).unwrap_or(0);
    put(buffer, area, 0, Line::styled(shown, picture.theme.title));
    Some(Position { x: area.x + at, y: area.y })
}

fn browse<'a>(state: &State, picture: &Picture<'_>, width: usize) -> Line<'a> {
    if let Some(message) = &state.message {
        return Line::styled(shorten::sentence(message, width), picture.theme.alert);
    }
    let mut line = Vec::new();
    let mut used = 0;
    if !state.filter.is_empty() {
        let text = shorten::sentence(&format!("filter: {} ", state.filter), width / 3);
        used += text.width() + 1;
        line.push(Text::styled(text, picture.theme.alert));
        line.push(Text::raw(" "));
    }
    for (key, what) in KEYS {
        let room = key.width() + what.width() + 3;
        // The last one needs no space behind it.
        if used + room > width + 2 {
            break;
        }
        used += room;
        line.push(Text::styled(key, picture.theme.title));
        line.push(Text::raw(format!(" {what}  ")));
    }
    Line::from(line)
}
