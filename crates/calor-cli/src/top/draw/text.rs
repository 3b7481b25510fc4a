//! Views of text: what the program printed, and what the recording could not see.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::super::shorten;
use super::super::state::State;
use super::{Picture, put};

/// The end of what the program printed.
pub(super) fn output(buffer: &mut Buffer, area: Rect, state: &mut State, picture: &Picture<'_>) {
    if picture.output.is_empty() {
        put(buffer, area, 1, " the program has printed nothing yet");
        put(
            buffer,
            area,
            2,
            Line::styled(" (many hold their output back until it is much)", picture.theme.faint),
        );
        return;
    }
    let width = usize::from(area.width);
    let page = usize::from(area.height);
    state.settle_count(0, page);
    let first = picture.output.len().saturating_sub(page);
    for (at, line) in (0..).zip(&picture.output[first..]) {
        put(buffer, area, at, Line::from(shorten::sentence(line, width)));
    }
}

/// What was not seen, each with how often.
pub(super) fn notes(buffer: &mut Buffer, area: Rect, state: &mut State, picture: &Picture<'_>) {
    let warnings = &picture.window.warnings;
    if warnings.is_empty() {
        put(buffer, area, 1, " everything that was asked for is seen");
        return;
    }
    let width = usize::from(area.width).saturating_sub(3);
    let mut lines = Vec::new();
    for ((_, message), count) in warnings {
        let times = match count {
            None => String::new(),
            Some(1) => " (once)".to_owned(),
            Some(times) => format!(" ({times} times)"),
        };
        let text = wrapped(&format!("{message}{times}"), width);
        lines.extend(text.iter().enumerate().map(|(at, line)| {
            let mark = if at == 0 { '-' } else { ' ' };
            format!("{mark} {line}")
        }));
    }
    let page = usize::from(area.height);
    state.settle_count(lines.len(), page);
    let first = state.selected.min(lines.len().saturating_sub(page));
    for (at, line) in (0..).zip(lines.into_iter().skip(first).take(page)) {
        put(buffer, area, at, Line::from(line));
    }
}

/// Lines no wider than `width`, broken between words where that is possible.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word = word;
        loop {
            let line = lines.last_mut().expect("there is always one");
            let gap = usize::from(!line.is_empty());
            if line.width() + gap + word.width() <= width {
                if gap > 0 {
                    line.push(' ');
                }
                line.push_str(word);
                break;
            }
            if !line.is_empty() {
                lines.push(String::new());
                continue;
            }
            // A word that is wider than a line is broken anywhere.
            let (part, rest) = split_at_width(word, width.max(2));
            line.push_str(part);
            lines.push(String::new());
            word = rest;
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn split_at_width(word: &str, width: usize) -> (&str, &str) {
    let mut at = word.len();
    while word[..at].width() > width {
        at = word[..at].char_indices().next_back().map_or(0, |(start, _)| start);
    }
    word.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words_and_long_words_anywhere() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("see /a/very/long/path now", 6), ["see", "/a/ver", "y/long", "/path", "now"]);
        assert!(wrapped("", 4).is_empty());
        for width in 2..30 {
            let lines =
                wrapped("wide \u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57} and words beside", width);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?} in {width}");
        }
    }
}
