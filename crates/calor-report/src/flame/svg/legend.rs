//! What colours stand for: a line of swatches above the frames, those with the most weight of their own first.

use std::collections::HashMap;
use std::io::{self, Write};

use calor_analysis::FlameTree;
use unicode_width::UnicodeWidthStr;

use crate::flame::ColourScheme;
use crate::flame::markup::{Escaped, shown};
use crate::text::printable::cut_back;

/// More than these nobody looks up.
const MOST: usize = 8;
/// Names longer than this many columns are cut.
const LONGEST: usize = 28;
/// Widths in pixels: a letter of 12 px of the system's font, the swatch with the room behind it, between two of them.
const LETTER: f64 = 6.8;
const SWATCH: f64 = 15.0;
const BETWEEN: f64 = 16.0;

/// The meanings of colours in a tree, with their places in the palette.
pub(super) struct Legend {
    scheme: ColourScheme,
    entries: Vec<(String, usize)>,
    n_more: usize,
}

impl Legend {
    /// `None` where colours stand for nothing.
    pub(super) fn of(tree: &FlameTree<'_>, scheme: ColourScheme) -> Option<Self> {
        let mut own: HashMap<&str, (u64, usize)> = HashMap::new();
        for node in tree.nodes() {
            if let Some(meaning) = scheme.meaning(node.frame) {
                own.entry(meaning).or_insert((0, scheme.place(node.frame))).0 += node.self_value;
            }
        }
        let mut entries: Vec<_> = own.into_iter().collect();
        entries
            .sort_unstable_by(|(name, (own, _)), (other, (others, _))| others.cmp(own).then(name.cmp(other)));
        let n_more = entries.len().saturating_sub(MOST);
        let entries: Vec<(String, usize)> = entries
            .into_iter()
            .take(MOST)
            .map(|(meaning, (_, place))| (cut_back(&shown(meaning), LONGEST), place))
            .collect();
        (!entries.is_empty()).then_some(Self { scheme, entries, n_more })
    }

    /// Writes as much of it as fits into `room`; a script hides more where the window is narrower.
    pub(super) fn write(&self, left: f64, baseline: f64, room: f64, out: &mut impl Write) -> io::Result<()> {
        write!(out, "<g class=\"legend\">")?;
        let mut x = left;
        for (meaning, place) in &self.entries {
            let width = SWATCH + meaning.width() as f64 * LETTER;
            if x + width > left + room {
                break;
            }
            write!(
                out,
                "<g><rect class=\"{}{place}\" x=\"{x:.0}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/>\
                 <text x=\"{:.0}\" y=\"{baseline}\">{}</text></g>",
                self.scheme.letter(),
                baseline - 9.0,
                x + SWATCH,
                Escaped(meaning),
            )?;
            x += width + BETWEEN;
        }
        if self.n_more > 0 && x + 70.0 < left + room {
            write!(out, "<g><text x=\"{x:.0}\" y=\"{baseline}\">and {} more</text></g>", self.n_more)?;
        }
        writeln!(out, "</g>")
    }
}
