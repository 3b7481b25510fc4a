//! The cases: one for every interpreter, in which a program is sampled whose parts are known, and one in which a program
//! of a hundred threads tells how long it was stopped.

use harness::sampled::Tool;

use crate::interpreter::{Interpreter, reference};

/// Samples for a second, of CPU or of time.
pub(crate) const RATE: u32 = 999;
/// The case of the hundred threads.
pub(crate) const STOPS: &str = "stops";

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name on the command line: the version of its interpreter, or [`STOPS`].
    pub(crate) name: &'static str,
    /// The interpreter that it runs on.
    pub(crate) interpreter: Interpreter,
    /// Who takes part.
    pub(crate) who: &'static [&'static str],
}

const EVERYONE: &[&str] =
    &["bare", "calor", "py-spy-native", "py-spy", "py-spy-nonblocking", "austin", "perf-dwarf"];
const MERGING: &[&str] = &["bare", "calor", "py-spy-native"];
const STOPPING: &[&str] = &["bare", "calor", "py-spy-native", "py-spy", "py-spy-nonblocking", "austin"];

/// The cases on these interpreters, in the order of the tables.
pub(crate) fn all(interpreters: &[Interpreter]) -> Vec<Case> {
    let Some(reference) = reference(interpreters) else { return Vec::new() };
    let merging = interpreters.iter().map(|interpreter| Case {
        // Results are kept by names that live as long as the program.
        name: interpreter.name.clone().leak(),
        interpreter: interpreter.clone(),
        who: if interpreter == reference { EVERYONE } else { MERGING },
    });
    let stops = Case { name: STOPS, interpreter: reference.clone(), who: STOPPING };
    merging.chain([stops]).collect()
}

impl Case {
    /// Who of those asked for takes part.
    pub(crate) fn tools(&self, asked: &[&'static Tool]) -> Vec<&'static Tool> {
        asked.iter().copied().filter(|tool| self.who.contains(&tool.name)).collect()
    }

    /// Whether it is the case of the hundred threads.
    pub(crate) fn is_of_stops(&self) -> bool {
        self.name == STOPS
    }

    /// How many turns its program takes.
    pub(crate) fn n_turns(&self) -> u64 {
        if self.is_of_stops() { 3 } else { 200 }
    }

    /// What the table says above its rows.
    pub(crate) fn about(&self) -> String {
        match self.is_of_stops() {
            true => format!(
                "a hundred threads on CPython {}, one at a time reading the clock, {RATE} samples a second",
                self.interpreter.name
            ),
            false => format!(
                "Python with numpy on one thread of CPython {}, {RATE} samples a second",
                self.interpreter.name
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::tools;

    #[test]
    fn everyone_takes_part_on_one_interpreter_and_all_are_known() {
        let of = |name: &str, version| Interpreter {
            name: name.to_owned(),
            version,
            is_free_threaded: false,
            path: PathBuf::new(),
        };
        let cases = all(&[of("3.11.7", (3, 11)), of("3.13.0", (3, 13))]);
        assert_eq!(cases.iter().map(|case| case.name).collect::<Vec<_>>(), ["3.11.7", "3.13.0", "stops"]);
        for case in &cases {
            let known = case.tools(&tools::ALL.iter().collect::<Vec<_>>());
            assert_eq!(known.len(), case.who.len(), "{}", case.name);
        }
        assert_eq!(cases[0].who, EVERYONE);
        assert!(all(&[]).is_empty());
    }
}
