//! Names come from the profiled program and may hold anything. What would move the cursor, change colours or
//! turn the direction of writing is made visible instead of obeyed.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// The text with every control character replaced.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unsafe) {
        Cow::Owned(text.chars().map(|letter| if is_unsafe(letter) { '\u{fffd}' } else { letter }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Columns that a text takes in a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of `text` in at most `columns`, marked where its end was cut.
pub(crate) fn cut_back(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|letter| {
        used += width(letter.encode_utf8(&mut [0; 4]));
        used <= columns
    });
    kept.chain(['…']).collect()
}

/// The end of `text` in at most `columns`, marked where its beginning was cut; a letter at least.
pub(crate) fn cut_front(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.char_indices().rev().take_while(|(_, letter)| {
        let is_first = used == 1;
        used += width(letter.encode_utf8(&mut [0; 4]));
        is_first || used <= columns
    });
    format!("…{}", &text[kept.last().map_or(text.len(), |(at, _)| at)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_turned_text_are_made_visible() {
        assert_eq!(printable("a\x1b[31mb\nc\u{202e}d"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
        assert!(matches!(printable("ünïcödé"), Cow::Borrowed(_)));
    }

    #[test]
    fn cutting_counts_columns_not_letters() {
        assert_eq!(cut_back("attention", 5), "atte…");
        assert_eq!(cut_back("short", 5), "short");
        // A wide letter takes two columns, so only two of them fit beside the mark.
        assert_eq!(cut_back("注意机制", 6), "注意…");
    }
}
