//! The parts: each is a script of its own beside this package, with the peers that it compares with.

use std::path::{Path, PathBuf};

use crate::interpreter::{self, Interpreter};

/// One part.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name on the command line, and that of its script.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What pip installs for it. What an interpreter has no wheel of is left out, and the script says so.
    pub(crate) peers: &'static [&'static str],
    /// Whether it runs on one interpreter alone, the one that all peers know.
    pub(crate) is_on_reference_only: bool,
    /// What a quick run passes to its script.
    pub(crate) quick: &'static [&'static str],
}

const FEW_ROUNDS: &[&str] = &["--rounds", "5"];
const FEW_OPERATIONS: &[&str] = &["--rounds", "5", "--operations", "500000"];

/// All parts, in the order of the page.
pub(crate) const ALL: &[Part] = &[
    Part {
        name: "scopes",
        about: "what one scope costs",
        peers: &["nvtx", "viztracer", "opentelemetry-sdk"],
        is_on_reference_only: false,
        quick: FEW_ROUNDS,
    },
    Part {
        name: "functions",
        about: "what tracing each call of a function costs",
        peers: &["viztracer", "pyinstrument", "yappi"],
        is_on_reference_only: false,
        quick: FEW_ROUNDS,
    },
    Part {
        name: "numpy_ops",
        about: "what recording operations of NumPy costs",
        peers: &["numpy"],
        is_on_reference_only: false,
        quick: FEW_OPERATIONS,
    },
    // Gigabytes of wheels, so there is one environment with them.
    Part {
        name: "torch_ops",
        about: "what recording operations of PyTorch costs",
        peers: &["numpy", "torch"],
        is_on_reference_only: true,
        quick: FEW_ROUNDS,
    },
    Part {
        name: "report",
        about: "how large a profile of many operations is, and how long its report takes",
        peers: &["numpy"],
        is_on_reference_only: false,
        quick: FEW_OPERATIONS,
    },
];

impl Part {
    /// The interpreters among those asked for that it runs on.
    pub(crate) fn interpreters<'t>(&self, asked: &'t [Interpreter]) -> Vec<&'t Interpreter> {
        if self.is_on_reference_only {
            return interpreter::reference(asked).into_iter().collect();
        }
        asked.iter().collect()
    }

    /// Its script.
    pub(crate) fn script(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{}.py", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_a_part() {
        let folder = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the package's folder can be read");
        for entry in folder.flatten() {
            let name = entry.file_name().into_string().unwrap_or_default();
            if let Some(script) = name.strip_suffix(".py") {
                assert!(ALL.iter().any(|part| part.name == script), "{script} is in no table");
            }
        }
    }
}
