//! Commands of the workloads that come along, by their words.

/// Options of `calor` itself that have a value: they may stand before the words that say what is done.
const WITH_VALUE: &str = "--store";

/// Where the name of the workload stands in a command such as `calor bench simd`; `None` of any other command.
#[must_use]
pub fn workload_at(words: &[&str]) -> Option<usize> {
    let is_calor = words.first()?.rsplit('/').next() == Some("calor");
    let bench = next_word(words, 1).filter(|at| is_calor && words[*at] == "bench")?;
    next_word(words, bench + 1)
}

/// The first word from there on that is no option.
fn next_word(words: &[&str], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        match *word {
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
