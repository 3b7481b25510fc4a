//! Text is cut into words before anything is merged. The pattern of GPT-2 is written out as a scanner; any other is run as
//! the regular expression it is given as. Words come one by one, as slices of the text: nothing is allocated.

use tokenizers::SplitDelimiterBehavior::{Isolated, Removed};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::split::Split;

use super::classes::{Class, Classes};

/// How text is cut.
#[derive(Debug)]
pub(super) struct Splitter {
    steps: Vec<Step>,
    has_prefix_space: bool,
}

/// Cuts every piece that the step before gave.
#[derive(Debug)]
enum Step {
    /// The pattern of GPT-2:
    /// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
    Words(&'static Classes),
    /// Matches are pieces; what lies between them is one too, or dropped.
    Pattern { split: Split, is_gap_kept: bool },
    /// Numbers apart from the rest, each digit by itself or together.
    Digits { is_each_alone: bool },
}

impl Splitter {
    /// The way of GPT-2.
    #[cfg(test)]
    pub(super) fn words() -> Self {
        Self { steps: vec![Step::Words(Classes::get())], has_prefix_space: false }
    }

    /// The way of a pre-tokeniser; why not, if it is one that is not known here.
    pub(super) fn of(pre_tokenizer: Option<&PreTokenizerWrapper>) -> Result<Self, String> {
        let parts = match pre_tokenizer {
            None => return Err("it has no pre-tokeniser, so its tokens are not of bytes".to_owned()),
            Some(PreTokenizerWrapper::Sequence(sequence)) => sequence.as_ref(),
            Some(single) => std::slice::from_ref(single),
        };
        let Some((PreTokenizerWrapper::ByteLevel(last), earlier)) = parts.split_last() else {
            return Err("its pre-tokeniser does not end with ByteLevel".to_owned());
        };
        let mut steps = earlier.iter().map(step).collect::<Result<Vec<_>, _>>()?;
        if last.add_prefix_space && !steps.is_empty() {
            return Err("its ByteLevel puts a space before each of several pieces".to_owned());
        }
        if last.use_regex {
            steps.push(Step::Words(Classes::get()));
        }
        Ok(Self { steps, has_prefix_space: last.add_prefix_space })
    }

    /// Whether no regular expression is run.
    pub(super) fn is_scanner(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, Step::Pattern { .. }))
    }

    /// Calls `each` with every word of a text, in order.
    pub(super) fn split(&self, text: &str, mut each: impl FnMut(&[u8])) {
        if text.is_empty() {
        } else if self.has_prefix_space && !text.starts_with(' ') {
            self.split_whole(&format!(" {text}"), each);
        } else if let [Step::Words(classes)] = self.steps[..] {
            words(classes, text, |word| each(word.as_bytes()));
        } else {
            self.split_whole(text, each);
        }
    }

    fn split_whole(&self, text: &str, mut each: impl FnMut(&[u8])) {
        pieces(&self.steps, text, &mut |word| each(word.as_bytes()));
    }
}

fn step(pre_tokenizer: &PreTokenizerWrapper) -> Result<Step, String> {
    match pre_tokenizer {
        PreTokenizerWrapper::Split(split) => {
            let is_gap_kept = match (split.behavior, split.invert) {
                (Isolated, _) => true,
                (Removed, true) => false,
                _ => return Err("its Split does not keep the pieces whole".to_owned()),
            };
            Ok(Step::Pattern { split: split.clone(), is_gap_kept })
        }
        PreTokenizerWrapper::Digits(digits) => Ok(Step::Digits { is_each_alone: digits.individual_digits }),
        other => {
            let kind = format!("{other:?}");
            let kind = kind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            Err(format!("its pre-tokeniser has a part that is not known here ({kind})"))
        }
    }
}

fn pieces(steps: &[Step], text: &str, each: &mut dyn FnMut(&str)) {
    let Some((step, further)) = steps.split_first() else { return each(text) };
    let mut each = |piece: &str| {
        if !piece.is_empty() {
            pieces(further, piece, each);
        }
    };
    match step {
        Step::Words(classes) => words(classes, text, each),
        Step::Pattern { split, is_gap_kept } => {
            let mut done = 0;
            for (start, end) in split.regex.find_iter(text) {
                if *is_gap_kept {
                    each(&text[done..start]);
                }
                each(&text[start..end]);
                done = end;
            }
            if *is_gap_kept {
                each(&text[done..]);
            }
        }
        Step::Digits { is_each_alone } => {
            let mut rest = text;
            while let Some(first) = rest.chars().next() {
                let is_number = first.is_numeric();
                let end = if is_number && *is_each_alone {
                    first.len_utf8()
                } else {
                    rest.find(|c: char| c.is_numeric() != is_number).unwrap_or(rest.len())
                };
                each(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
}

fn words(classes: &Classes, text: &str, mut each: impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_end(classes, rest));
        each(word);
        rest = after;
    }
}

/// Where the first word of a text that is not empty ends.
#[inline]
fn word_end(classes: &Classes, text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes[0] == b'\''
        && let Some(end) = contraction_end(bytes)
    {
        return end;
    }
    // A space belongs to the word that follows it.
    let start = usize::from(bytes[0] == b' ');
    match text[start..].chars().next().map(|c| classes.of(c)) {
        Some(class) if class != Class::Space => run_end(classes, text, start, class),
        // The last of several spaces belongs to the word that follows them.
        _ => match run_end(classes, text, 0, Class::Space) {
            end if end == text.len() => end,
            end => {
                let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
                if end > last { end - last } else { end }
            }
        },
    }
}

/// Where `'s`, `'ll` and their kind end.
fn contraction_end(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [_, b's' | b't' | b'm' | b'd', ..] => Some(2),
        [_, b'r' | b'v', b'e', ..] | [_, b'l', b'l', ..] => Some(3),
        _ => None,
    }
}

/// Where characters of a class, from `start` on, end.
#[inline]
fn run_end(classes: &Classes, text: &str, start: usize, class: Class) -> usize {
    let run = text[start..].char_indices().find(|&(_, c)| classes.of(c) != class);
    run.map_or(text.len(), |(at, _)| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        Splitter::words().split(text, |word| found.push(String::from_utf8_lossy(word).into_owned()));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn words_have_their_space_before_them() {
        check("Hello my friend", &["Hello", " my", " friend"]);
        check("a  b", &["a", " ", " b"]);
        check("a   b  ", &["a", "  ", " b", "  "]);
        check("a\n\nb\tc", &["a", "\n", "\n", "b", "\t", "c"]);
        check("a \n b", &["a", " \n", " b"]);
        check("", &[]);
        check(" ", &[" "]);
    }

    #[test]
    fn letters_numbers_and_signs_are_apart() {
        check("x1=42; // ok", &["x", "1", "=", "42", ";", " //", " ok"]);
        check("naïve 中文 ٣٤", &["naïve", " 中文", " ٣٤"]);
        check("हिन्दी", &["ह", "ि", "न", "्", "द", "ी"]);
    }

    #[test]
    fn contractions_are_words() {
        check("it's we'll 're 'x", &["it", "'s", " we", "'ll", " '", "re", " '", "x"]);
        check("'tis'", &["'t", "is", "'"]);
    }
}
