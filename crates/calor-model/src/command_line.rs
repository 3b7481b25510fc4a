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
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
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
}
