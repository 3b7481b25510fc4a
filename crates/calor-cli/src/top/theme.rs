//! Colours and signs, as far as the terminal has them: few colours, none of them alone in saying something, and signs
//! that its font holds.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::bar;

/// How things look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) title: Style,
    pub(super) faint: Style,
    /// What takes much.
    pub(super) hot: Style,
    pub(super) python: Style,
    pub(super) kernel: Style,
    pub(super) alert: Style,
    pub(super) chosen: Style,
    pub(super) signs: Signs,
}

/// The signs that are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signs {
    /// From nothing to all, in nine steps.
    pub(super) levels: [&'static str; 9],
    pub(super) line: &'static str,
    pub(super) upright: &'static str,
    pub(super) up: &'static str,
    pub(super) down: &'static str,
}

const BLOCKS: Signs = Signs {
    levels: [
        " ",
        bar::ONE_EIGHTH,
        bar::ONE_QUARTER,
        bar::THREE_EIGHTHS,
        bar::HALF,
        bar::FIVE_EIGHTHS,
        bar::THREE_QUARTERS,
        bar::SEVEN_EIGHTHS,
        bar::FULL,
    ],
    line: "\u{2500}",
    upright: "\u{2502}",
    up: "\u{2191}",
    down: "\u{2193}",
};

/// The font of the Linux console has boxes and halves, but no eighths.
const BOXES: Signs = Signs {
    levels: [" ", ".", ".", ":", "\u{2584}", "\u{2584}", "\u{2584}", "\u{2588}", "\u{2588}"],
    ..BLOCKS
};

const ASCII: Signs = Signs {
    levels: [" ", ".", ".", ":", "-", "=", "+", "*", "#"],
    line: "-",
    upright: "|",
    up: "^",
    down: "v",
};

impl Theme {
    /// What suits this terminal.
    pub(super) fn of_terminal() -> Self {
        let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = said("LC_ALL").or_else(|| said("LC_CTYPE")).or_else(|| said("LANG")).unwrap_or_default();
        let term = said("TERM").unwrap_or_default();
        Self::new(!crate::terminal::is_colour_refused(), signs(&locale, &term))
    }

    /// Letters that every font has, so that a test shows what it expects.
    #[cfg(test)]
    pub(super) fn of_test() -> Self {
        Self::new(true, ASCII)
    }

    pub(super) fn new(is_coloured: bool, signs: Signs) -> Self {
        let coloured = |color: Color| if is_coloured { Style::new().fg(color) } else { Style::new() };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Self {
            title: bold,
            faint: Style::new().add_modifier(Modifier::DIM),
            hot: coloured(Color::Red).add_modifier(Modifier::BOLD),
            python: coloured(Color::Green),
            kernel: coloured(Color::Magenta),
            alert: coloured(Color::Yellow).add_modifier(Modifier::BOLD),
            chosen: Style::new().add_modifier(Modifier::REVERSED),
            signs,
        }
    }
}

fn signs(locale: &str, term: &str) -> Signs {
    let locale = locale.to_lowercase();
    if !(locale.contains("utf-8") || locale.contains("utf8")) {
        ASCII
    } else if term == "linux" || term.starts_with("vt") {
        BOXES
    } else {
        BLOCKS
    }
}

impl Signs {
    /// The sign for a part of the whole.
    pub(super) fn level(&self, part: f64) -> &'static str {
        let last = self.levels.len() - 1;
        // What is there at all is seen.
        let least = if part > 0.0 { 1 } else { 0 };
        self.levels[((part * last as f64).round() as usize).clamp(least, last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_of_the_terminals_font() {
        assert_eq!(signs("en_US.UTF-8", "xterm-256color"), BLOCKS);
        assert_eq!(signs("C.utf8", "screen"), BLOCKS);
        assert_eq!(signs("en_US.UTF-8", "linux"), BOXES);
        assert_eq!(signs("C", "xterm"), ASCII);
        assert!(ASCII.levels.iter().all(|level| level.is_ascii()));
    }

    #[test]
    fn what_is_there_is_seen_and_nothing_is_empty() {
        let shown: String = [0.0, 0.001, 0.5, 1.0, 7.0].map(|part| ASCII.level(part)).concat();
        assert_eq!(shown, " .-##");
    }

    #[test]
    fn without_colours_there_are_none() {
        let theme = Theme::new(false, ASCII);
        let styles =
            [theme.title, theme.faint, theme.hot, theme.python, theme.kernel, theme.alert, theme.chosen];
        assert!(styles.iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    }
}
