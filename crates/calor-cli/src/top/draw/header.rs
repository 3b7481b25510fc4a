//! The first three rows: the program, how it fares, and the views there are.

use calor_analysis::live::LiveSpan;
use calor_analysis::quantity::{bytes, count};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span as Text};
use unicode_width::UnicodeWidthStr;

use super::super::facts::clock;
use super::super::shorten;
use super::super::state::State;
use super::super::view::{View, span_word};
use super::{Picture, put};

pub(super) fn draw(buffer: &mut Buffer, area: Rect, state: &State, picture: &Picture<'_>) {
    let width = usize::from(area.width);
    program(buffer, area, state, picture, width);
    put(buffer, area, 1, fare(picture, width, state));
    put(buffer, area, 2, tabs(state, picture, width));
}

/// What is watched, and whether it runs.
fn program(buffer: &mut Buffer, area: Rect, state: &State, picture: &Picture<'_>, width: usize) {
    let facts = picture.facts;
    let time = clock(facts.progress.elapsed);
    let right = format!("pid {}  {time}  ", facts.pid);
    let (word, style) = match state.is_paused {
        true => ("PAUSED".to_owned(), picture.theme.alert),
        false => (facts.state(), Style::new()),
    };
    let left = "calor top  ";
    let room = width.saturating_sub(left.width() + 2 + right.width() + word.width());
    let command = shorten::padded(&shorten::sentence(&facts.command, room), room);
    let line = Line::from(vec![
        Text::styled(left, picture.theme.title),
        Text::raw(command),
        Text::raw("  "),
        Text::raw(right),
        Text::styled(word, style),
    ]);
    put(buffer, area, 0, line);
}

/// How much it uses, and how well it is seen.
fn fare<'a>(picture: &Picture<'_>, width: usize, state: &State) -> Line<'a> {
    let (window, facts) = (picture.window, picture.facts);
    // What is now: the last parts, whatever is shown below.
    let now = window.round(LiveSpan::Short);
    let per_second = |amount: u64| amount as f64 * 1e9 / now.wall_nanos.max(1) as f64;
    let cpu = 100.0 * now.cpu_nanos as f64 / now.wall_nanos.max(1) as f64;
    let resident = window.memory.back().map_or("-".to_owned(), |usage| bytes(usage.resident_bytes));
    let lost = match facts.progress.lost {
        0 => Text::raw("0 lost"),
        lost => Text::styled(format!("{} LOST", count(lost)), picture.theme.alert),
    };
    let samples = format!("{}/s of {} Hz  ", count(per_second(now.n_samples).round() as u64), facts.rate);
    let parts = [
        Text::raw(format!("CPU {cpu:.0} %  ")),
        Text::raw(samples),
        lost,
        Text::raw(format!("  RSS {resident}")),
    ];
    let right = span_word(state.span);
    let mut used = right.width();
    let mut line: Vec<Text<'a>> = Vec::new();
    for part in parts {
        if used + part.content.width() < width {
            used += part.content.width();
            line.push(part);
        }
    }
    line.push(Text::raw(" ".repeat(width.saturating_sub(used))));
    line.push(Text::styled(right, picture.theme.title));
    Line::from(line)
}

/// The views, of which the one that is shown stands out.
fn tabs<'a>(state: &State, picture: &Picture<'_>, width: usize) -> Line<'a> {
    let there = || View::ALL.into_iter().filter(|view| state.is_there(*view));
    let word = |view: View| match view {
        View::Notes if !picture.window.warnings.is_empty() => {
            format!("{} Notes({})", view.number(), picture.window.warnings.len())
        }
        view => format!("{} {}", view.number(), view.word()),
    };
    let all: usize = there().map(|view| word(view).width() + 2).sum();
    let mut line = Vec::new();
    for view in there() {
        // Where there is no room for all words, the numbers alone are left of those that are not shown.
        let text = if all > width && view != state.view { view.number().to_string() } else { word(view) };
        let style = if view == state.view { picture.theme.chosen } else { Style::new() };
        line.push(Text::styled(format!(" {text} "), style));
    }
    Line::from(line)
}
