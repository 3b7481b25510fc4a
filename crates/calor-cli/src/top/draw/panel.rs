//! What is beside the chosen row: who calls a function and whom it calls, what a thread does, the text around a line.

use calor_analysis::live::{LiveRow, LiveRowKey, LiveShares};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span as Text};

use super::super::shorten::{self, padded};
use super::super::state::State;
use super::{Picture, put};

pub(super) fn draw(buffer: &mut Buffer, area: Rect, state: &State, picture: &Picture<'_>, row: &LiveRow) {
    match &row.key {
        LiveRowKey::Function(function) => {
            let (callers, callees) = picture.window.calls_of(state.span, function);
            two_lists(buffer, area, picture, &row.name, [("called by", &callers), ("calls", &callees)]);
        }
        LiveRowKey::Wait(place) => {
            let (callers, callees) = picture.window.calls_of(state.span, &place.function);
            let lists = [("called by, while it ran", &callers), ("calls", &callees)];
            two_lists(buffer, area, picture, &row.name, lists);
        }
        LiveRowKey::Thread(thread) => {
            title(buffer, area, picture, &format!("what {} does", row.name));
            list(buffer, below(area), &picture.window.work_of(state.span, *thread));
        }
        LiveRowKey::NoLine => {
            title(buffer, area, picture, &row.name);
            let words = " threads and times without Python code, and samples whose frames are not certain";
            put(buffer, below(area), 0, words);
        }
        LiveRowKey::Line(line) => {
            title(buffer, area, picture, &row.name);
            let room = below(area);
            match &picture.source.lines {
                Ok(lines) if lines.is_empty() => put(buffer, room, 0, " the file has no such line"),
                Ok(lines) => source(buffer, room, picture, lines, line.number),
                Err(error) => put(buffer, room, 0, format!(" the file cannot be read from here: {error}")),
            }
        }
    }
}

fn below(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// A rule with words in it.
fn title(buffer: &mut Buffer, area: Rect, picture: &Picture<'_>, text: &str) {
    let (width, sign) = (usize::from(area.width), picture.theme.signs.line);
    let text = shorten::name(text, width.saturating_sub(6));
    let rule = sign.repeat(width);
    put(buffer, area, 0, Line::styled(rule, picture.theme.faint));
    let at = Rect { x: area.x + 2, width: area.width - 4, ..area };
    put(buffer, at, 0, Line::styled(format!(" {text} "), picture.theme.title));
}

fn two_lists(
    buffer: &mut Buffer,
    area: Rect,
    picture: &Picture<'_>,
    name: &str,
    lists: [(&str, &LiveShares); 2],
) {
    title(buffer, area, picture, name);
    let room = below(area);
    let half = room.width / 2;
    let sides =
        [Rect { width: half, ..room }, Rect { x: room.x + half + 1, width: room.width - half - 1, ..room }];
    for row in 0..room.height {
        let rule = Rect { x: room.x + half, width: 1, ..room };
        put(buffer, rule, row, Line::styled(picture.theme.signs.upright, picture.theme.faint));
    }
    for (side, (heading, shares)) in sides.into_iter().zip(lists) {
        put(buffer, side, 0, Line::styled(format!(" {heading}"), picture.theme.faint));
        list(buffer, below(side), shares);
    }
}

fn list(buffer: &mut Buffer, area: Rect, shares: &LiveShares) {
    let room = usize::from(area.width).saturating_sub(9);
    for (at, (share, name)) in (0..area.height).zip(shares) {
        let name = padded(&shorten::name(name, room), room);
        put(buffer, area, at, Line::from(format!("{:>7.1}% {name}", share * 100.0)));
    }
    if shares.is_empty() {
        put(buffer, area, 0, Line::from(" nobody in this time"));
    }
}

/// The lines around one, which stays in sight where not all fit.
fn source(buffer: &mut Buffer, area: Rect, picture: &Picture<'_>, lines: &[(u32, String)], number: u32) {
    let height = usize::from(area.height);
    let at = lines.iter().position(|(known, _)| *known == number).unwrap_or(0);
    let first = at.saturating_sub(height / 2).min(lines.len().saturating_sub(height));
    for (row, (known, text)) in (0..area.height).zip(&lines[first..]) {
        let is_it = *known == number;
        let style = if is_it { picture.theme.title } else { picture.theme.faint };
        let mark = if is_it { '>' } else { ' ' };
        let room = usize::from(area.width).saturating_sub(9);
        let line = vec![
            Text::styled(format!("{mark}{known:>6}  "), style),
            Text::styled(shorten::sentence(text, room), style),
        ];
        put(buffer, area, row, Line::from(line));
    }
}
