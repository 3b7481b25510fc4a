//! A command as it can be typed into a shell, and the one that was.

use std::ffi::OsString;
use std::sync::OnceLock;

/// What was typed. Not the process's own arguments: inside the Python package those are the interpreter's.
static TYPED: OnceLock<Vec<OsString>> = OnceLock::new();

/// Remembers what was typed.
pub(crate) fn keep(typed: Vec<OsString>) {
    // A second command in one process is not foreseen, and would only be told about the first.
    let _ = TYPED.set(typed);
}

/// The words that were typed, the first of which is the command.
pub(crate) fn typed() -> &'static [OsString] {
    TYPED.get().map_or(&[], Vec::as_slice)
}

/// Words with blanks or other letters that mean something to a shell are quoted.
pub(crate) fn shown(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,+@%^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_take_apart_are_quoted() {
        let shown = |words: &[&str]| shown(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(shown(&["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
        assert_eq!(shown(&["./a", "--x=1", "", "it's", "$HOME", "*"]), "./a --x=1 '' 'it'\\''s' '$HOME' '*'");
        assert_eq!(shown(&["größe"]), "größe");
    }
}
