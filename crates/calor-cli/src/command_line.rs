//! A command as it can be typed into a shell.

use std::ffi::OsString;

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
