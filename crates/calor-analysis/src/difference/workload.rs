//! Commands of the workloads that come along, by their words.

/// Options of `calor` itself that have a value: they may stand before the words that say what is done.
const WITH_VALUE: &str = "--store";

/// Where the name of the workload stands in a command such as `calor bench simd`; `None` of any other command.
#[must_use]
pub fn workload_at(words: &[impl AsRef<str>]) -> Option<usize> {
    let bench = next_word(words, calor_at(words)? + 1).filter(|at| words[*at].as_ref() == "bench")?;
    next_word(words, bench + 1)
}

/// Where the command itself stands: first, or behind the interpreter that runs it, as where a Python package brought it.
fn calor_at(words: &[impl AsRef<str>]) -> Option<usize> {
    let file = |at: usize| words.get(at)?.as_ref().rsplit('/').next();
    let is_python = |file: &str| {
        file.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') == "python"
    };
    match file(0)? {
        "calor" => Some(0),
        first if is_python(first) && file(1) == Some("calor") => Some(1),
        _ => None,
    }
}

/// The first word from there on that is no option.
fn next_word(words: &[impl AsRef<str>], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        match word.as_ref() {
            WITH_VALUE => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_is_named_behind_the_options_of_the_command_itself() {
        for (command, expected) in [
            ("calor bench simd --quick", Some("simd")),
            ("./target/calor -q bench simd", Some("simd")),
            ("calor --store runs bench -q model --deep", Some("model")),
            ("calor bench --store=runs compression", Some("compression")),
            ("/venv/bin/python3.11 /venv/bin/calor bench simd", Some("simd")),
            ("python bench simd", None),
            ("python calor.py bench simd", None),
            ("python", None),
            ("calor bench", None),
            ("calor bench --help", None),
            ("calor bench --store", None),
            ("calor record -- bench simd", None),
            ("./bench simd", None),
            ("", None),
        ] {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(workload_at(&words).map(|at| words[at]), expected, "{command}");
        }
    }
}
