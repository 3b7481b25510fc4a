//! Workloads that come along, found in what is run: as a command of its own, behind others, or in what a shell is given.

use std::ffi::OsString;

use calor_analysis::workload_at;

/// A workload that is run.
pub(super) struct Workload<'c> {
    /// What it is called.
    pub(super) name: &'c str,
    /// What it is given.
    arguments: Vec<&'c str>,
}

impl<'c> Workload<'c> {
    /// The first one of a command; `None` where there is none.
    pub(super) fn of(command: &'c [String]) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        Self::among(&words).or_else(|| command.iter().find_map(|script| Self::among(&shell_words(script))))
    }

    fn among(words: &[&'c str]) -> Option<Self> {
        let at = (0..words.len()).find_map(|from| Some(from + workload_at(&words[from..])?))?;
        Some(Self { name: words[at], arguments: words[at + 1..].to_vec() })
    }

    /// Whether it repeats each case until its time is over, so that it takes as long however slow it is.
    pub(super) fn is_repeated(&self) -> bool {
        match self.name {
            "simd" | "compression" | "tokenizer" => true,
            // The model has so many inferences; only kernels by themselves are repeated.
            "model" => self.arguments.contains(&"--deep"),
            _ => false,
        }
    }

    /// The profile that it writes by itself: recorded from outside it would hold samples, and those are not compared with scopes.
    pub(super) fn own_profile(&self) -> Option<&'c str> {
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.split_once('=') {
                Some(("--profile", file)) => return Some(file),
                _ if *argument == "--profile" => return arguments.next().copied(),
                _ => {}
            }
        }
        None
    }
}

/// Where the name of the workload ends in what a shell is given.
pub(super) fn end_in_script(script: &str) -> Option<usize> {
    let name = Workload::among(&shell_words(script))?.name;
    // Words are parts of the script.
    Some(name.as_ptr() as usize - script.as_ptr() as usize + name.len())
}

/// A command as text, word by word.
pub(super) fn texts(command: &[OsString]) -> Vec<String> {
    command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The words of what a shell is given, as far as that can be told without one.
fn shell_words(script: &str) -> Vec<&str> {
    let is_between = |letter: char| letter.is_whitespace() || ";&|()'\"`".contains(letter);
    script.split(is_between).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use calor_model::command_words;

    use super::*;

    #[test]
    fn workloads_that_repeat_by_time_are_known_by_their_command() {
        for (command, expected) in [
            ("calor bench simd --quick", true),
            ("./target/release/calor bench compression", true),
            ("nice -n 5 calor bench simd", true),
            ("/venv/bin/python /venv/bin/calor bench simd", true),
            ("sh -c 'calor bench tokenizer -q'", true),
            ("sh -c 'calor bench simd; echo done'", true),
            ("sh -c '(cd x&&calor bench simd)'", true),
            ("calor bench model --deep", true),
            ("calor -q bench simd", true),
            ("calor bench --store runs simd", true),
            ("calor bench model --enhanced", false),
            ("./bench simd", false),
            ("calor top", false),
        ] {
            let found = Workload::of(&command_words(command)).is_some_and(|workload| workload.is_repeated());
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn the_profile_that_a_workload_writes_is_found() {
        for (command, expected) in [
            ("calor bench model --enhanced --profile e1.calor", Some("e1.calor")),
            ("calor bench simd --profile=a.calor --quick", Some("a.calor")),
            ("calor bench simd --profile 'my runs/a.calor'", Some("my runs/a.calor")),
            ("sh -c 'calor bench simd --profile a.calor && echo done'", Some("a.calor")),
            ("calor bench simd --quick", None),
            ("./train --profile x", None),
            ("./my bench --profile x", None),
        ] {
            let words = command_words(command);
            assert_eq!(Workload::of(&words).and_then(|it| it.own_profile()), expected, "{command}");
        }
    }
}
