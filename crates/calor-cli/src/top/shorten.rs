//! Text made to fit its column, by what a terminal shows and not by bytes. What is left out is marked with two dots,
//! which every terminal has.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const DOTS: &str = "..";

/// A name: its end tells most, its beginning where it belongs, so the middle goes.
pub(super) fn name(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(DOTS.len());
    let front = head(text, room / 3);
    let back = tail(text, room - front.width());
    cut(&format!("{front}{DOTS}{back}"), width)
}

/// A path: its end tells which file it is.
pub(super) fn path(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let whole = tail(text, width.saturating_sub(DOTS.len()));
    // Rather a whole folder less than a part of one, unless that is most of it.
    let at_folder = whole.find('/').filter(|at| *at < whole.len() / 3).map_or(whole, |at| &whole[at..]);
    cut(&format!("{DOTS}{at_folder}"), width)
}

/// A sentence or a command: its beginning tells most.
pub(super) fn sentence(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    cut(&format!("{}{DOTS}", head(text, width.saturating_sub(DOTS.len()))), width)
}

/// Text and spaces that fill a column exactly.
pub(super) fn padded(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let n_spaces = width.saturating_sub(text.width());
    text + &" ".repeat(n_spaces)
}

fn cut(text: &str, width: usize) -> String {
    head(text, width).to_owned()
}

/// As much of the beginning as fits.
fn head(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += letter.width().unwrap_or(0);
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// As much of the end as fits.
fn tail(text: &str, width: usize) -> &str {
    let (mut used, mut start) = (0, text.len());
    for (at, letter) in text.char_indices().rev() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        start = at;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_and_the_rest_is_as_wide_as_its_column() {
        let long = "core::iter::traits::iterator::Iterator::fold";
        assert_eq!(name("short", 5), "short");
        assert_eq!(name(long, 20), "core::..erator::fold");
        assert_eq!(path("/data/me/project/src/train.py:120", 22), "../src/train.py:120");
        assert_eq!(sentence("python train.py --epochs 3", 12), "python tra..");
        assert_eq!(padded("ab", 4), "ab  ");
        for width in 0..50 {
            for text in [
                long,
                "/a/b/c/d/e/f/g/h.py",
                "wide: \u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57} end",
                "",
            ] {
                for shown in [name(text, width), path(text, width), sentence(text, width)] {
                    assert!(shown.width() <= width, "{shown:?} in {width}");
                }
                assert_eq!(padded(text, width).width(), width, "{text:?} in {width}");
            }
        }
    }
}
