//! The few colours of a text report, and none when it does not go to a terminal.

use crate::document::Tone;

/// Puts colour around text, or leaves it as it is.
#[derive(Clone, Copy)]
pub(crate) struct Palette {
    pub(crate) is_coloured: bool,
}

impl Palette {
    pub(crate) fn heading(self, text: &str) -> String {
        self.paint("1;36", text)
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn quiet(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// A share by how hot it is.
    pub(crate) fn heat(self, share: f64, text: &str) -> String {
        match share {
            share if share >= 0.20 => self.paint("1;31", text),
            share if share >= 0.05 => self.paint("33", text),
            _ => text.to_owned(),
        }
    }

    /// Text that is better, worse or not to be looked at.
    pub(crate) fn tone(self, tone: Tone, text: &str) -> String {
        match tone {
            Tone::Plain => text.to_owned(),
            Tone::Quiet => self.quiet(text),
            Tone::Worse => self.paint("31", text),
            Tone::Better => self.paint("32", text),
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
