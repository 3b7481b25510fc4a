//! The cases: one for every interpreter, in which a program is sampled whose parts are known, one in which a program of a
//! hundred threads tells how long it was stopped, and one in which a program is watched live.

use std::path::Path;

use harness::area;
use harness::sampled::NUMPY_TARGET;

use crate::environment;
use crate::interpreter::{Interpreter, reference};

/// Samples for a second, of CPU or of time.
pub(crate) const RATE: u32 = 999;
/// The case of the hundred threads.
pub(crate) const STOPS: &str = "stops";
/// The case of the live view.
pub(crate) const TOP: &str = "top";

/// What a case is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Python and compiled code on one stack.
    Merged,
    /// A program that notices when it is stopped.
    Stops,
    /// A live view of a program.
    Top,
}

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name on the command line: the version of its interpreter, [`STOPS`] or [`TOP`].
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The interpreter that it runs on.
    pub(crate) interpreter: Interpreter,
    /// Who takes part.
    pub(crate) who: &'static [&'static str],
}

const EVERYONE: &[&str] =
    &["bare", "calor", "py-spy-native", "py-spy", "py-spy-nonblocking", "austin", "perf-dwarf"];
const MERGING: &[&str] = &["bare", "calor", "py-spy-native"];
const STOPPING: &[&str] = &["bare", "calor", "py-spy-native", "py-spy", "py-spy-nonblocking", "austin"];

const LIVE: &[&str] = &["calor", "py-spy-native", "py-spy"];

/// The cases on these interpreters, in the order of the tables.
pub(crate) fn all(interpreters: &[Interpreter]) -> Vec<Case> {
    let Some(reference) = reference(interpreters) else { return Vec::new() };
    let merging = interpreters.iter().map(|interpreter| Case {
        // Results are kept by names that live as long as the program.
        name: interpreter.name.clone().leak(),
        kind: Kind::Merged,
        interpreter: interpreter.clone(),
        who: if interpreter == reference { EVERYONE } else { MERGING },
    });
    let stops = Case { name: STOPS, kind: Kind::Stops, interpreter: reference.clone(), who: STOPPING };
    let top = Case { name: TOP, kind: Kind::Top, interpreter: reference.clone(), who: LIVE };
    merging.chain([stops, top]).collect()
}

impl Case {
    /// The file of its program and how many turns that takes.
    pub(crate) fn program(&self) -> (&'static str, u64) {
        match self.kind {
            Kind::Merged => ("numpy_target.py", 200),
            Kind::Stops => ("stops_target.py", 3),
            Kind::Top => ("top_target.py", 0),
        }
    }
}

impl area::Case for Case {
    fn name(&self) -> &'static str {
        self.name
    }

    fn who(&self) -> &'static [&'static str] {
        self.who
    }

    fn prepare(&self, folder: &Path) -> Result<(), String> {
        let text = match self.kind {
            Kind::Merged => NUMPY_TARGET,
            Kind::Stops => include_str!("stops_target.py"),
            Kind::Top => include_str!("top_target.py"),
        };
        let script = folder.join(self.program().0);
        std::fs::write(&script, text)
            .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
        environment::install_numpy(&self.interpreter)
    }

    fn compared(&self) -> Option<(&'static str, &'static str, &'static str)> {
        match self.kind {
            Kind::Stops => Some(("target_cpu_s", "program's CPU x bare", "bare")),
            _ => Some(("wall_s", "wall x bare", "bare")),
        }
    }

    fn about(&self) -> String {
        let what = match self.kind {
            Kind::Merged => "Python with numpy on one thread",
            Kind::Stops => "a hundred threads, one at a time reading the clock,",
            Kind::Top => "a live view of two busy threads",
        };
        format!("{what} of CPython {}, {RATE} samples a second", self.interpreter.name)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use harness::area::Case as _;

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
        assert_eq!(
            cases.iter().map(|case| case.name).collect::<Vec<_>>(),
            ["3.11.7", "3.13.0", "stops", "top"]
        );
        for case in &cases {
            let known = case.tools(&tools::ALL.iter().collect::<Vec<_>>());
            assert_eq!(known.len(), case.who.len(), "{}", case.name);
        }
        assert_eq!(cases[0].who, EVERYONE);
        assert!(all(&[]).is_empty());
    }
}
