//! Names come from the profiled program and may hold anything; in a picture they are text and nothing else.

use std::fmt;

use calor_analysis::{FlameFrame, FlameKind};

use crate::short_name::short_name;
use crate::text::printable::{cut_back, printable};

/// Names longer than this many columns are cut: nobody reads more, and thousands of them would be a large file.
const LONGEST: usize = 400;

/// A name that can be shown: control characters and turned writing made visible, not too long.
pub(super) fn shown(name: &str) -> String {
    // XML has no way to write these two, not even escaped.
    let name = printable(name).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    if name.is_empty() { "(no name)".to_owned() } else { cut_back(&name, LONGEST) }
}

/// What a frame is called: threads of one name are told apart by their numbers, as in the rest of a report.
pub(super) fn frame_name(frame: &FlameFrame<'_>) -> String {
    match (frame.kind, frame.tid) {
        (FlameKind::Thread, Some(tid)) => format!("{} ({tid})", shown(frame.name)),
        _ => shown(frame.name),
    }
}

/// What stands in the frame, where that is shorter than its name.
pub(super) fn frame_short_name(frame: &FlameFrame<'_>) -> Option<String> {
    let FlameKind::Code(kind) = frame.kind else { return None };
    let short = short_name(kind, frame.name);
    (short.len() < frame.name.len()).then(|| shown(&short))
}

/// Text without markup, for elements and attributes of HTML and SVG.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['<', '>', '&', '"', '\'']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'&' => "&amp;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_markup_or_hide() {
        let hostile = "</title><script>\"'&\x00\x1b\u{202e}\u{ffff}";
        let escaped = Escaped(&shown(hostile)).to_string();
        assert_eq!(escaped, "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(shown(""), "(no name)");
        assert_eq!(shown(&"x".repeat(5_000)).chars().count(), LONGEST);
    }
}
