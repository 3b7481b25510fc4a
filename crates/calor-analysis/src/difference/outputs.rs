//! Commands without the names of what they write: those differ from run to run.

use super::workload_at;

/// A command of the workloads that come along, without the files, saved runs and labels that it leaves: what is done is
/// the same, and one that takes turns would write over the very files that were compared.
#[must_use]
pub fn without_outputs(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    if workload_at(&words).is_none() {
        return command.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word {
            "--profile" | "--label" | "-o" | "--output" => drop(words.next()),
            "--save" => {}
            other
                if ["-o", "--profile=", "--label=", "--output=", "--save="]
                    .iter()
                    .any(|it| other.starts_with(it)) => {}
            other => kept.push(other),
        }
    }
    kept.join(" ")
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
            ("calor bench simd -oa.html --save=x -q", "calor bench simd -q"),
            ("calor -q bench simd --save", "calor -q bench simd"),
            ("./train -o model.bin --save", "./train -o model.bin --save"),
            ("calor record -o a.calor -- ./train", "calor record -o a.calor -- ./train"),
        ] {
            assert_eq!(without_outputs(command), expected);
        }
    }
}
