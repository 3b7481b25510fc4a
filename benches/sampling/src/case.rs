//! The cases: which program is sampled, how often, and by whom.

use std::path::Path;

use harness::area;

/// A program to sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Two threads of compiled code.
    Native,
    /// Python with numpy.
    Numpy,
}

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    /// How many turns the program takes.
    pub(crate) n_turns: u64,
    /// Samples for a second of CPU.
    pub(crate) rate: u32,
    /// Who takes part.
    pub(crate) who: &'static [&'static str],
}

const NATIVE: &[&str] = &["bare", "calor", "perf-dwarf", "perf-fp", "samply", "calor-inside", "pprof-rs"];
const PYTHON: &[&str] = &["bare", "calor", "perf-dwarf", "perf-fp", "samply"];

const fn native(name: &'static str, rate: u32) -> Case {
    Case { name, target: Target::Native, n_turns: 310, rate, who: NATIVE }
}

const fn numpy(name: &'static str, rate: u32) -> Case {
    Case { name, target: Target::Numpy, n_turns: 150, rate, who: PYTHON }
}

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Case] = &[
    native("native-99", 99),
    native("native-999", 999),
    native("native-5000", 5000),
    numpy("numpy-99", 99),
    numpy("numpy-999", 999),
    numpy("numpy-5000", 5000),
    Case {
        name: "long-999",
        target: Target::Native,
        n_turns: 6200,
        rate: 999,
        who: &["calor", "perf-dwarf"],
    },
];

impl Case {
    /// Whether the program runs for many seconds.
    pub(crate) fn is_long(&self) -> bool {
        self.n_turns > 1_000
    }
}

impl area::Case for &'static Case {
    fn name(&self) -> &'static str {
        self.name
    }

    fn who(&self) -> &'static [&'static str] {
        self.who
    }

    fn prepare(&self, folder: &Path) -> Result<(), String> {
        self.target.prepare(folder)
    }

    fn compared(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some(("target_cpu_s", "program's CPU x bare", "bare"))
    }

    fn about(&self) -> String {
        let what = match self.target {
            Target::Native => "two threads of compiled code without frame pointers",
            Target::Numpy => "Python with numpy on one thread",
        };
        let length = if self.is_long() { ", twenty times as long" } else { "" };
        format!("{what}{length}, {} samples for a second of CPU", self.rate)
    }
}

#[cfg(test)]
mod tests {
    use harness::area::Case as _;

    use super::*;
    use crate::tools;

    #[test]
    fn everyone_who_takes_part_is_known() {
        for case in ALL {
            assert_eq!(
                case.tools(&tools::ALL.iter().collect::<Vec<_>>()).len(),
                case.who.len(),
                "{}",
                case.name
            );
        }
    }
}
