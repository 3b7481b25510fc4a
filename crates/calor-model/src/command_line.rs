//! A command as it can be typed into a shell.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_take_apart_are_quoted() {
        assert_eq!(command_line(&["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
        let words = ["./a", "--x=1", "", "it's", "$HOME", "*"];
        assert_eq!(command_line(&words), "./a --x=1 '' 'it'\\''s' '$HOME' '*'");
        assert_eq!(command_line(&["größe"]), "größe");
    }
}
