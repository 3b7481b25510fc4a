//! A command as it can be typed into a shell, and its words again.

use std::ffi::OsStr;

/// The words of a command in a line; those with blanks or other letters that mean something to a shell are quoted.
#[must_use]
pub fn command_line<W: AsRef<OsStr>>(words: &[W]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(&word.as_ref().to_string_lossy())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,+@%^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => in_quotes(word),
    }
}

fn in_quotes(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A word of a shell's command line in quotes, on one line whatever is in it: line breaks would end the line that is typed, so they are
/// written in letters, as bash has it.
#[must_use]
pub fn quoted_word(word: &str) -> String {
    if !word.contains(char::is_control) {
        return in_quotes(word);
    }
    let escaped: String = word
        .chars()
        .map(|letter| match letter {
            '\n' => r"\n".to_owned(),
            '\t' => r"\t".to_owned(),
            '\\' | '\'' => format!(r"\{letter}"),
            letter if letter.is_control() => format!(r"\u{:04x}", u32::from(letter)),
            letter => letter.to_string(),
        })
        .collect();
    format!("$'{escaped}'")
}

/// The words of such a line, without their quotes. A quote that does not end holds all that follows.
#[must_use]
pub fn command_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_as_it_was_put_together() {
        for words in
            [&["sh", "-c", "exit 7"][..], &["./a", "", "it's", "$HOME", "a\\b", "\"x\" y"], &["größe"], &[]]
        {
            assert_eq!(command_words(&command_line(words)), words);
        }
        assert_eq!(command_words("  a  \"b c\"d e\\ f 'open g"), ["a", "b cd", "e f", "open g"]);
    }

    #[test]
    fn words_that_a_shell_would_take_apart_are_quoted() {
        assert_eq!(command_line(&["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
        let words = ["./a", "--x=1", "", "it's", "$HOME", "*"];
        assert_eq!(command_line(&words), "./a --x=1 '' 'it'\\''s' '$HOME' '*'");
        assert_eq!(command_line(&["größe"]), "größe");
    }

    #[test]
    fn what_a_shell_would_read_is_one_word() {
        assert_eq!(quoted_word("./run --size 5"), "'./run --size 5'");
        assert_eq!(quoted_word("echo 'a'"), r"'echo '\''a'\'''");
        assert_eq!(quoted_word("sh -c 'a\n\tb\\\x1b'"), r"$'sh -c \'a\n\tb\\\u001b\''");
    }
}
