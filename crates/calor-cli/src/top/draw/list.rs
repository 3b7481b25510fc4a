//! Lists of functions, threads, Python lines and waits.

use calor_analysis::live::{LiveRow, LiveRowKey, LiveSpan};
use calor_analysis::quantity::{count, duration};
use calor_model::FrameKind;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span as Text};
use unicode_width::UnicodeWidthStr;

use super::super::shorten::{self, padded};
use super::super::state::State;
use super::super::view::View;
use super::{Picture, put};

/// How many parts a trend shows.
const TREND: usize = 8;
/// From which share on something is hot.
const HOT: f64 = 0.1;

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    state: &State,
    picture: &Picture<'_>,
    rows: &[LiveRow],
    n_all: usize,
) {
    let columns = Columns::of(state.view, usize::from(area.width), rows);
    put(buffer, area, 0, Line::styled(columns.heading(state), picture.theme.title));
    if rows.is_empty() {
        let text = nothing(state, picture, n_all);
        for (at, line) in (2..).zip(super::text::wrapped(&text, usize::from(area.width) - 2)) {
            put(buffer, area, at, Line::from(format!(" {line}")));
        }
        return;
    }
    let page = usize::from(area.height - 1);
    for (at, (place, row)) in (1..).zip(rows.iter().enumerate().skip(state.first).take(page)) {
        put(buffer, area, at, columns.row(row, picture));
        if place == state.selected {
            let whole = Rect { y: area.y + at, height: 1, ..area };
            buffer.set_style(whole, picture.theme.chosen);
        }
    }
}

/// Why there is no row.
fn nothing(state: &State, picture: &Picture<'_>, n_all: usize) -> String {
    let window = picture.window;
    if n_all > 0 {
        return format!("none of {} has \"{}\" in it: Esc shows all", count(n_all as u64), state.filter);
    }
    if window.whole.wall_nanos == 0 {
        return "waiting for the first samples".to_owned();
    }
    match state.view {
        View::Python => {
            let told = window.warnings.keys().find(|(code, _)| code.starts_with("python_"));
            let why = told.map_or(
                "the program is not Python, or ran none of it in this time; functions of compiled code are in view 1",
                |(_, message)| message,
            );
            format!("no lines of Python were seen: {why}")
        }
        View::Waits => "no thread waited in this time".to_owned(),
        _ => {
            let when =
                if state.span == LiveSpan::Whole { "so far" } else { "in this time (t shows another)" };
            let waits = if state.has_waits { "view 5 shows what for" } else { "--off-cpu shows what for" };
            format!("no samples {when}: the program used no CPU; if it waits, {waits}")
        }
    }
}

/// How wide columns are.
struct Columns {
    view: View,
    name: usize,
    place: usize,
    has_gil: bool,
    has_waits: bool,
}

impl Columns {
    fn of(view: View, width: usize, rows: &[LiveRow]) -> Self {
        let has_gil = view == View::Threads && rows.iter().any(|row| row.aside > 0.0);
        let has_waits = view == View::Threads && rows.iter().any(|row| row.total > 0.0);
        let fixed = match view {
            View::Functions => 7 + 8 + 2 + TREND + 2 + 1,
            View::Threads => 8 + if has_waits { 8 } else { 0 } + if has_gil { 8 } else { 0 } + 9,
            View::Python => 7 + 8 + 8,
            _ => 9 + 9 + 9 + 7,
        };
        // A space on the left of each text.
        let room = width.saturating_sub(fixed + 2);
        let (name, place) = match view {
            View::Functions => {
                let longest = rows.iter().map(|row| row.place.width()).max().unwrap_or(0);
                let place = longest.clamp("module".len(), (room / 3).min(24));
                (room - place, place)
            }
            View::Threads => ((room / 3).min(24), room - (room / 3).min(24)),
            View::Python => (room - room * 2 / 5, room * 2 / 5),
            _ => (room, 0),
        };
        Self { view, name, place, has_gil, has_waits }
    }

    fn heading(&self, state: &State) -> String {
        let sort = state.view.sort_word(state.sort());
        // The column by which rows are sorted is marked.
        let mark = |word: &str| {
            let sign = if state.is_reversed { '<' } else { '>' };
            if word == sort { format!("{sign}{word}") } else { word.to_owned() }
        };
        let (name, place) = (self.name, self.place);
        match self.view {
            View::Functions => {
                let head = format!("{:>7}{:>8}  {:TREND$}   ", mark("self"), mark("total"), mark("trend"));
                format!("{head} {} {}", padded(&mark("name"), name - 1), padded("module", place))
            }
            View::Threads => {
                let waiting = if self.has_waits { format!("{:>8}", mark("waiting")) } else { String::new() };
                let gil = if self.has_gil { format!("{:>8}", "GIL") } else { String::new() };
                let head = format!("{:>8}{waiting}{gil}{:>9}", mark("CPU"), "tid");
                format!("{head} {} {}", padded(&mark("name"), name), padded("hottest function", place))
            }
            View::Python => {
                let head = format!("{:>7}{:>8}{:>8}", mark("self"), mark("total"), mark("native"));
                format!("{head} {} {}", padded(&mark("line"), name), padded("function", place))
            }
            _ => {
                let head = format!("{:>9}{:>9}{:>9} {:6}", mark("time"), mark("times"), "each", "for");
                format!("{head} {}", padded(&mark("name"), name))
            }
        }
    }

    fn row<'r>(&self, row: &'r LiveRow, picture: &Picture<'_>) -> Line<'r> {
        let theme = picture.theme;
        let heat = |share: f64| if share >= HOT { theme.hot } else { Style::new() };
        let own = |width: usize| Text::styled(format!("{:>width$}", percent(row.own)), heat(row.own));
        let place = match row.key {
            // Of a library's file the beginning is its name.
            LiveRowKey::Function(_) => shorten::sentence(&row.place, self.place),
            _ => shorten::name(&row.place, self.place),
        };
        let place = Text::styled(padded(&place, self.place), theme.faint);
        match &row.key {
            LiveRowKey::Function(function) => {
                let levels = picture.window.history(function, TREND);
                let most = levels.iter().copied().fold(0.0, f64::max);
                let trend: String =
                    levels.iter().map(|level| theme.signs.level(level / most.max(0.01))).collect();
                let arrow = match row.is_turning {
                    true if row.trend > 0.0 => theme.signs.up,
                    true => theme.signs.down,
                    false => " ",
                };
                let style = match function.kind {
                    FrameKind::Python => theme.python,
                    FrameKind::Kernel => theme.kernel,
                    _ => Style::new(),
                };
                let name = padded(&shorten::name(&row.name, self.name - 1), self.name - 1);
                Line::from(vec![
                    own(7),
                    Text::raw(format!("{:>8}  ", percent(row.total))),
                    Text::raw(format!("{trend:>TREND$} {arrow}  ")),
                    Text::styled(name, style),
                    Text::raw(" "),
                    place,
                ])
            }
            LiveRowKey::Thread(thread) => {
                let waiting =
                    if self.has_waits { format!("{:>8}", percent(row.total)) } else { String::new() };
                let gil = if self.has_gil { format!("{:>8}", percent(row.aside)) } else { String::new() };
                let tid = if thread.tid == 0 { "all".to_owned() } else { thread.tid.to_string() };
                Line::from(vec![
                    own(8),
                    Text::raw(format!("{waiting}{gil}{tid:>9} ")),
                    Text::raw(padded(&shorten::name(&row.name, self.name), self.name)),
                    Text::raw(" "),
                    place,
                ])
            }
            LiveRowKey::Line(_) | LiveRowKey::NoLine => Line::from(vec![
                own(7),
                Text::raw(format!("{:>8}{:>8} ", percent(row.total), percent(row.aside))),
                Text::raw(padded(&shorten::path(&row.name, self.name), self.name)),
                Text::raw(" "),
                place,
            ]),
            LiveRowKey::Wait(_) => Line::from(vec![
                Text::raw(format!("{:>9}{:>9}", duration(row.own), count(row.total as u64))),
                Text::raw(format!("{:>9} {:6} ", duration(row.aside), row.place)),
                Text::raw(padded(&shorten::name(&row.name, self.name), self.name)),
            ]),
        }
    }
}

/// A share, always as wide.
fn percent(share: f64) -> String {
    if share >= 9.995 { format!("{:.0}%", share * 100.0) } else { format!("{:.1}%", share * 100.0) }
}
