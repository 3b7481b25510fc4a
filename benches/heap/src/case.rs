//! The cases: which workload of which program, how much of it, and under whom.

use std::path::Path;

use harness::area;

use crate::program::Build;
use crate::{program, python};

/// What a case is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Blocks made and freed.
    Churn,
    /// The same on two threads and on one.
    Scaling,
    /// A few large blocks and many small ones beside arithmetic.
    Numeric,
    /// Blocks that all live at the end.
    Live,
    /// Python with numpy.
    Python,
}

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The program's name for the workload; Python's has none.
    pub(crate) workload: &'static str,
    pub(crate) build: Build,
    /// How many turns the program takes where the tool is not too slow for as many.
    pub(crate) n_turns: u64,
    about: &'static str,
    who: &'static [&'static str],
}

const EVERYONE: &[&str] = &[
    "plain",
    "calor-always",
    "calor-exact",
    "calor-record-sampled",
    "calor-record-exact",
    "jemalloc",
    "jemalloc-prof",
    "heaptrack",
    "dhat-rs",
    "valgrind-dhat",
];
/// The others do not follow frame pointers.
const FOLLOWING: &[&str] =
    &["plain", "calor-always", "calor-exact", "calor-record-sampled", "calor-record-exact", "heaptrack"];
/// valgrind has all threads take turns.
const PARALLEL: &[&str] = &[
    "plain",
    "calor-always",
    "calor-exact",
    "calor-record-sampled",
    "calor-record-exact",
    "jemalloc",
    "jemalloc-prof",
    "heaptrack",
    "dhat-rs",
];
const PYTHON: &[&str] = &[
    "plain",
    "calor-record-sampled",
    "calor-record-exact",
    "memray",
    "memray-native",
    "memray-pymalloc",
    "memray-native-pymalloc",
    "heaptrack",
];

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Case] = &[
    Case {
        name: "churn",
        kind: Kind::Churn,
        workload: "churn",
        build: Build::Usual,
        n_turns: 10_000_000,
        about: "two threads that make and free blocks of 16 B to 18 KB, 4,096 alive on each, 10 to 25 frames deep; a usual \
                release build, without frame pointers",
        who: EVERYONE,
    },
    Case {
        name: "churn-fp",
        kind: Kind::Churn,
        workload: "churn",
        build: Build::FramePointers,
        n_turns: 10_000_000,
        about: "the same, built with frame pointers, which the plain program beside it has as well",
        who: FOLLOWING,
    },
    Case {
        name: "churn1",
        kind: Kind::Churn,
        workload: "churn1",
        build: Build::Usual,
        n_turns: 5_000_000,
        about: "the same on one thread, without frame pointers",
        who: EVERYONE,
    },
    Case {
        name: "churn1-fp",
        kind: Kind::Churn,
        workload: "churn1",
        build: Build::FramePointers,
        n_turns: 5_000_000,
        about: "the same on one thread, with frame pointers",
        who: FOLLOWING,
    },
    Case {
        name: "scaling",
        kind: Kind::Scaling,
        workload: "churn",
        build: Build::Usual,
        n_turns: 10_000_000,
        about: "what a pair costs on two threads over what it costs on one, each tool compared with itself",
        who: PARALLEL,
    },
    Case {
        name: "numeric",
        kind: Kind::Numeric,
        workload: "numeric",
        build: Build::Usual,
        n_turns: 120,
        about: "two threads of a small neural network: large vectors and some hundred small blocks for every token",
        who: EVERYONE,
    },
    Case {
        name: "live",
        kind: Kind::Live,
        workload: "live",
        build: Build::Usual,
        n_turns: 2_000_000,
        about: "blocks of 48 bytes that all live at the end",
        who: EVERYONE,
    },
    Case {
        name: "python",
        kind: Kind::Python,
        workload: "",
        build: Build::Usual,
        n_turns: 400,
        about: "Python with numpy on one thread: layers of a network, 300 small records a step, 20 MB now and then",
        who: PYTHON,
    },
];

/// The case on one thread that is to be compared with one on two.
pub(crate) fn one_thread_of(case: &Case) -> &'static Case {
    let alone = ALL.iter().find(|other| other.workload == "churn1" && other.build == case.build);
    alone.expect("there is a case on one thread for each build")
}

impl Case {
    /// A program of so many turns makes at least so many blocks.
    pub(crate) fn least_blocks(&self, n_turns: u64) -> f64 {
        match self.kind {
            Kind::Churn | Kind::Scaling | Kind::Live | Kind::Numeric => n_turns as f64,
            // A dictionary, a text, a list and what it holds, for each of the records of a step.
            Kind::Python => (n_turns * 300 * 4) as f64,
        }
    }

    /// What one turn of the program is, in the plural: the name of the figure that counts them.
    pub(crate) fn turns(&self) -> &'static str {
        match self.kind {
            Kind::Churn | Kind::Scaling => "pairs",
            Kind::Numeric => "tokens",
            Kind::Live => "blocks",
            Kind::Python => "steps",
        }
    }
}

impl area::Case for &'static Case {
    fn name(&self) -> &'static str {
        self.name
    }

    fn who(&self) -> &'static [&'static str] {
        self.who
    }

    fn about(&self) -> String {
        self.about.to_owned()
    }

    fn prepare(&self, folder: &Path) -> Result<(), String> {
        match self.kind {
            Kind::Python => python::prepare(folder),
            _ => {
                program::PLAIN.make(self.build)?;
                if self.build == Build::FramePointers {
                    // Where they cannot be built, those who need them are not available anyway.
                    let _ = program::CALOR_ALWAYS.make(self.build);
                    let _ = program::CALOR_EXACT.make(self.build);
                }
                Ok(())
            }
        }
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
            let known = case.tools(&tools::ALL.iter().collect::<Vec<_>>());
            assert_eq!(known.len(), case.who.len(), "{}", case.name);
        }
    }
}
