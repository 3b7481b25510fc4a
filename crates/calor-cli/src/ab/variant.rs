//! The commands that are compared, however they are typed: each as one word in quotes, or as several words with `--`
//! between them.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::launch;

/// One of the commands.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Variant {
    /// `A` is what the others are compared with.
    pub(super) name: char,
    /// What is started.
    pub(super) words: Vec<OsString>,
    /// As it was typed.
    pub(super) shown: String,
}

/// The commands from the words before the first `--`, each one a command, and from those after it.
pub(super) fn variants(before: &[OsString], after: &[OsString]) -> Result<Vec<Variant>> {
    let groups: Vec<Vec<OsString>> = match after {
        [] => before.iter().map(|word| vec![word.clone()]).collect(),
        _ => {
            // With a `--` anywhere, it is what stands between commands.
            let first = (!before.is_empty()).then(|| before.to_vec());
            first.into_iter().chain(after.split(|word| word == "--").map(<[_]>::to_vec)).collect()
        }
    };
    const FORM: &str = "name two or more, as in `calor ab './old' './new'` or `calor ab -- ./old -- ./new`";
    match &groups[..] {
        [] => bail!("nothing to compare: {FORM}"),
        [only] => bail!("expected at least two commands, found one, `{}`: {FORM}", launch::shown(only)),
        groups if groups.len() > 26 => bail!("expected at most 26 commands, found {}", groups.len()),
        _ => {}
    }
    groups.into_iter().zip('A'..='Z').map(|(words, name)| variant(name, words)).collect()
}

/// The command of a name.
pub(super) fn variant(name: char, words: Vec<OsString>) -> Result<Variant> {
    if words.iter().all(|word| word.to_string_lossy().trim().is_empty()) {
        bail!("command {name} is empty: write what is to be run, as in `calor ab './old' './new'`");
    }
    Ok(match &words[..] {
        [line] if is_for_shell(&line.to_string_lossy()) => Variant {
            name,
            shown: line.to_string_lossy().into_owned(),
            words: vec!["sh".into(), "-c".into(), line.clone()],
        },
        _ => Variant { name, shown: launch::shown(&words), words },
    })
}

/// Whether a shell would make more of a word than the name of a program.
fn is_for_shell(word: &str) -> bool {
    word.contains(|letter: char| letter.is_whitespace() || "|&;<>()$`\"'*?[~".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<OsString> {
        text.iter().map(OsString::from).collect()
    }

    fn shown(before: &[&str], after: &[&str]) -> Vec<String> {
        let variants = variants(&words(before), &words(after)).unwrap();
        variants.iter().map(|variant| format!("{} {}", variant.name, launch::shown(&variant.words))).collect()
    }

    #[test]
    fn one_word_with_blanks_is_for_a_shell_and_several_are_not() {
        assert_eq!(shown(&["./a 1", "./b"], &[]), ["A sh -c './a 1'", "B ./b"]);
        assert_eq!(shown(&[], &["./a 1", "--", "./b>x"]), ["A sh -c './a 1'", "B sh -c './b>x'"]);
        assert_eq!(shown(&[], &["./a", "1 2", "--", "./b", "--", "c"]), ["A ./a '1 2'", "B ./b", "C c"]);
        assert_eq!(shown(&["./a"], &["./b", "x"]), ["A ./a", "B ./b x"]);
        assert_eq!(shown(&["./a", "x"], &["./b"]), ["A ./a x", "B ./b"]);
    }

    #[test]
    fn what_is_missing_is_told_with_an_example() {
        for (before, after, expected) in [
            (&[][..], &[][..], "nothing to compare"),
            (&["./a"], &[], "found one, `./a`"),
            (&[], &["./a", "b"], "found one, `./a b`"),
            (&["./a", " "], &[], "command B is empty"),
            (&[], &["./a", "--"], "command B is empty"),
        ] {
            let error = variants(&words(before), &words(after)).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("calor ab './old' './new'"), "{error}");
        }
        let many = vec!["./a"; 27];
        assert!(variants(&words(&many), &[]).unwrap_err().to_string().contains("at most 26"));
    }
}
