//! Commands without what they write, and where: that differs from run to run.

use calor_model::{command_line, command_words};

use super::workload_at;

/// Options with a value that say what becomes of what was measured, and not what is measured.
const WITH_VALUE: [&str; 6] = ["--profile", "--label", "--output", "--format", "--color", "--store"];

/// A command of the workloads that come along, without the files, saved runs and labels that it leaves: what is done is
/// the same, and one that takes turns would write over the very files that were compared.
#[must_use]
pub fn without_outputs(command: &str) -> String {
    let words = command_words(command);
    if workload_at(&words).is_none() {
        return command.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        match word {
            "-o" => drop(words.next()),
            "-q" | "--quiet" => {}
            _ if name == "--save" || word.starts_with("-o") => {}
            _ if WITH_VALUE.contains(&word) => drop(words.next()),
            _ if WITH_VALUE.contains(&name) => {}
            _ => kept.push(word),
        }
    }
    command_line(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_that_take_turns_leave_no_files() {
        for (command, expected) in [
            (
                "calor bench model --quick --profile a.calor --save --label which=a",
                "calor bench model --quick",
            ),
            (
                "./bin/calor bench simd --output=x.html --only matmul -o y",
                "./bin/calor bench simd --only matmul",
            ),
            ("calor bench simd -oa.html --save=x -q", "calor bench simd"),
            ("calor --store 'my runs' bench simd --format json --color=never --save", "calor bench simd"),
            ("calor bench simd --label 'note=two words' --only 'a b'", "calor bench simd --only 'a b'"),
            (
                "/venv/bin/python /venv/bin/calor bench simd --profile 'my runs/a.calor'",
                "/venv/bin/python /venv/bin/calor bench simd",
            ),
            ("./train -o model.bin --save", "./train -o model.bin --save"),
            ("calor record -o a.calor -- ./train", "calor record -o a.calor -- ./train"),
        ] {
            assert_eq!(without_outputs(command), expected);
        }
    }
}
