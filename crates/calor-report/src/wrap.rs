//! Prose in lines that fit a width. A number and its unit are one word: torn apart, neither says anything.

use crate::text::printable::width;

/// Units as [`calor_analysis::quantity`] writes them.
const UNITS: [&str; 19] = [
    "%", "ns", "µs", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "k", "M", "G",
    "Hz",
];

/// Lines of at most `columns`, broken at spaces; a word that is longer stands alone. At least one line.
#[must_use]
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut words = text.split(' ').peekable();
    while let Some(first) = words.next() {
        let mut word = first.to_owned();
        if let Some(unit) = words.next_if(|next| is_number(first) && is_unit(next)) {
            word += " ";
            word += unit;
        }
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            *line = word;
        } else if width(line) + 1 + width(&word) <= columns {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['(', '±', '<', '~', '+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.ends_with(|c: char| c.is_ascii_digit())
}

fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches([',', ';', '.', ':', ')']);
    UNITS.contains(&word.trim_end_matches("/s")) || word == "/s"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_stay_whole() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensible it is", 5), ["incomprehensible", "it is"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        for (text, lines) in [
            ("it took 12.3 ms, or so", ["it took", "12.3 ms, or so"]),
            ("a rate of 6.70 k/s in all", ["a rate of", "6.70 k/s in all"]),
            ("a part (2.5 %) of it", ["a part", "(2.5 %) of it"]),
            ("there are +10.3 MiB now", ["there are", "+10.3 MiB now"]),
            ("these are 12 samples a second", ["these are 12", "samples a second"]),
        ] {
            let room = lines.iter().map(|line| width(line)).max().unwrap_or(0);
            assert_eq!(wrapped(text, room), lines);
        }
    }
}
