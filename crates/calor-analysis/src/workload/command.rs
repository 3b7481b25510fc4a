//! Commands of the workloads that come along, by their words: as commands of their own, behind others, or in what a shell is given.

/// Options of `calor` itself that have a value: they may stand before the words that say what is done.
const WITH_VALUE: &str = "--store";

/// A workload that is run.
pub struct BenchCommand<'c> {
    /// What it is called.
    pub name: &'c str,
    /// What it is given.
    arguments: Vec<&'c str>,
}

impl<'c> BenchCommand<'c> {
    /// The first one of a command; `None` where there is none.
    #[must_use]
    pub fn of(command: &'c [String]) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        Self::among(&words).or_else(|| command.iter().find_map(|script| Self::among(&shell_words(script))))
    }

    fn among(words: &[&'c str]) -> Option<Self> {
        let at = (0..words.len()).find_map(|from| Some(from + workload_at(&words[from..])?))?;
        Some(Self { name: words[at], arguments: words[at + 1..].to_vec() })
    }

    /// Whether it repeats each case until its time is over, so that it takes as long however slow it is.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        match self.name {
            "simd" | "compression" | "tokenizer" => true,
            // The model has so many inferences; only kernels by themselves are repeated.
            "model" => self.arguments.contains(&"--deep"),
            _ => false,
        }
    }

    /// The profile that it writes by itself: recorded from outside it would hold samples, and those are not compared with scopes.
    #[must_use]
    pub fn own_profile(&self) -> Option<&'c str> {
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

    /// Where its name ends in what a shell is given; `None` where no workload is in that.
    #[must_use]
    pub fn end_in_script(script: &str) -> Option<usize> {
        let name = BenchCommand::among(&shell_words(script))?.name;
        // Words are parts of the script.
        Some(name.as_ptr() as usize - script.as_ptr() as usize + name.len())
    }
}

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
            let found =
                BenchCommand::of(&command_words(command)).is_some_and(|workload| workload.is_repeated());
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
            assert_eq!(BenchCommand::of(&words).and_then(|it| it.own_profile()), expected, "{command}");
        }
    }
}
