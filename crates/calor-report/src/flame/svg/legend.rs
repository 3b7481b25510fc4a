//! What colours stand for: lines of swatches above the frames, those of the widest frames first.

use std::collections::HashMap;
use std::io::{self, Write};

use calor_analysis::FlameTree;
use unicode_width::UnicodeWidthStr;

use super::frame::Drawn;
use crate::Escaped;
use crate::flame::ColourScheme;
use crate::flame::markup::shown;

/// More than these nobody looks up.
const MOST: usize = 12;
/// Names longer than this many columns are cut, unless they would be the same then.
const LONGEST: usize = 28;
const LONGEST_APART: usize = 60;
/// Between the parts of names of modules and paths.
const SEPARATORS: [char; 4] = ['/', '\\', ':', '.'];
/// Widths in pixels: a letter of 12 px of the system's font, the swatch with the room behind it, between two of them.
const LETTER: f64 = 6.8;
const SWATCH: f64 = 15.0;
const BETWEEN: f64 = 16.0;
/// Height of a line.
const LINE: f64 = 18.0;

/// The meanings of colours in a picture, each where it stands.
pub(super) struct Legend {
    scheme: ColourScheme,
    entries: Vec<Entry>,
    n_lines: usize,
}

struct Entry {
    text: String,
    /// The whole meaning, where the text is shorter.
    whole: Option<String>,
    /// Where its colour is in the palette; none for what says how many others there are.
    colour: Option<usize>,
    left: f64,
    line: usize,
}

impl Legend {
    /// `None` where colours stand for nothing. Lines are as long as `room`.
    pub(super) fn of(tree: &FlameTree<'_>, drawn: &Drawn, scheme: ColourScheme, room: f64) -> Option<Self> {
        let mut widths: HashMap<&str, (u128, usize)> = HashMap::new();
        for node in drawn.nodes.iter().map(|node| tree.node(*node)) {
            if let Some(meaning) = scheme.meaning(node.frame) {
                widths.entry(meaning).or_insert((0, scheme.place(node.frame))).0 += u128::from(node.total);
            }
        }
        let mut order: Vec<_> = widths.into_iter().collect();
        order.sort_unstable_by(|(name, (width, _)), (other, (others, _))| {
            others.cmp(width).then(name.cmp(other))
        });
        let n_more = order.len().saturating_sub(MOST);
        order.truncate(MOST);
        let wholes: Vec<String> = order.iter().map(|(meaning, _)| shown(meaning)).collect();
        let mut legend = Self { scheme, entries: Vec::new(), n_lines: 1 };
        let mut left = 0.0;
        let mut place = |text: String, whole: Option<String>, colour: Option<usize>| {
            let width = text.width() as f64 * LETTER + if colour.is_some() { SWATCH } else { 0.0 };
            if left > 0.0 && left + width > room {
                left = 0.0;
                legend.n_lines += 1;
            }
            legend.entries.push(Entry { text, whole, colour, left, line: legend.n_lines - 1 });
            left += width + BETWEEN;
        };
        for ((text, whole), (_, (_, colour))) in short(&wholes).into_iter().zip(&wholes).zip(&order) {
            let whole = (text != *whole).then(|| whole.clone());
            place(text, whole, Some(*colour));
        }
        match n_more {
            0 => {}
            1 => place("and 1 other".to_owned(), None, None),
            _ => place(format!("and {n_more} others"), None, None),
        }
        (!legend.entries.is_empty()).then_some(legend)
    }

    pub(super) fn height(&self) -> f64 {
        self.n_lines as f64 * LINE
    }

    pub(super) fn write(&self, left: f64, baseline: f64, out: &mut impl Write) -> io::Result<()> {
        write!(out, "<g class=\"legend\" data-top=\"{baseline}\" data-line=\"{LINE}\">")?;
        for Entry { text, whole, colour, left: x, line } in &self.entries {
            write!(
                out,
                "<g transform=\"translate({:.0} {:.0})\">",
                left + x,
                baseline + *line as f64 * LINE
            )?;
            if let Some(whole) = whole {
                write!(out, "<title>{}</title>", Escaped(whole))?;
            }
            if let Some(place) = colour {
                let letter = self.scheme.letter();
                write!(
                    out,
                    "<rect class=\"{letter}{place}\" y=\"-9\" width=\"10\" height=\"10\" rx=\"2\"/>"
                )?;
            }
            let x = if colour.is_some() { SWATCH } else { 0.0 };
            write!(out, "<text x=\"{x}\">{}</text></g>", Escaped(text))?;
        }
        writeln!(out, "</g>")
    }
}

/// The texts without what all of them begin with, and those that are still long by their ends: what tells a module from
/// others is mostly there.
fn short(texts: &[String]) -> Vec<String> {
    let n_common = common_part(texts);
    let cut = |longest| -> Vec<String> {
        let long = texts.iter().map(|text| if text.len() > n_common { &text[n_common..] } else { text });
        long.map(|text| cut_front(text, longest)).collect()
    };
    let usual = cut(LONGEST);
    let apart = cut(LONGEST_APART);
    let is_alone = |text: &String| usual.iter().filter(|other| *other == text).count() == 1;
    usual.iter().zip(apart).map(|(text, apart)| if is_alone(text) { text.clone() } else { apart }).collect()
}

/// The length of what all texts that have parts begin with, up to the end of a part.
fn common_part(texts: &[String]) -> usize {
    let mut with_parts = texts.iter().filter(|text| text.contains(SEPARATORS));
    let Some(first) = with_parts.next() else { return 0 };
    let mut common = first.as_str();
    let mut n_texts = 1;
    for text in with_parts {
        let n_same =
            common.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        common = &common[..n_same];
        n_texts += 1;
    }
    // One that has no parts does not begin with it: dropping a part from others would make them alike.
    if n_texts < 2 || texts.iter().any(|text| !text.starts_with(common) && text.contains(SEPARATORS)) {
        return 0;
    }
    common.rfind(SEPARATORS).map_or(0, |at| at + 1)
}

/// The end of a text in at most `columns`, marked where its beginning was cut.
fn cut_front(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.char_indices().rev().take_while(|(_, letter)| {
        used += letter.encode_utf8(&mut [0; 4]).width();
        used <= columns
    });
    let start = kept.last().map_or(text.len(), |(at, _)| at);
    format!("…{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened<const N: usize>(texts: [&str; N]) -> Vec<String> {
        short(&texts.map(str::to_owned))
    }

    #[test]
    fn what_all_begin_with_is_dropped() {
        let long = "company_platform::services::inference";
        let texts = [&*format!("{long}::decode"), &*format!("{long}::draft"), "no module"];
        assert_eq!(shortened(texts), ["decode", "draft", "no module"]);
        assert_eq!(shortened(["/usr/lib/libm.so", "/usr/lib/libc.so"]), ["libm.so", "libc.so"]);
        assert_eq!(shortened(["libm.so"]), ["libm.so"]);
        assert_eq!(shortened(["a::b", "b::c"]), ["a::b", "b::c"]);
        // One of them may be the part that the others begin with.
        assert_eq!(shortened(["a::", "a::b"]), ["a::", "b"]);
    }

    #[test]
    fn long_texts_keep_their_ends_and_stay_apart() {
        let far = "x".repeat(40);
        let texts = [format!("/a/{far}.so"), format!("/b/{far}.so"), "/c.so".to_owned()];
        let [a, b, c] = &short(&texts)[..] else { panic!("as many as there were") };
        assert_eq!((a, b, c), (&texts[0][1..].to_owned(), &texts[1][1..].to_owned(), &"c.so".to_owned()));
        assert_eq!(cut_front("attention", 5), "…tion");
        assert_eq!(cut_front("注意机制", 6), "…机制");
    }
}
