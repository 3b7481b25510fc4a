//! The programs that are sampled, and what they need: the native ones are built with cargo, Python gets a virtual
//! environment with numpy beside them.

use std::fs;
use std::path::Path;

use harness::sampled::{NUMPY_STAGES, NUMPY_TARGET, Stage};
use harness::watched::{Environment, Program, beside, build};
use sampling_bench::native::STAGES;

use crate::case::{Case, Target};

const SCRIPT: &str = "numpy_target.py";
const PYTHON: Environment = Environment { name: "numpy-environment", packages: &["numpy"] };

/// The program of a case.
pub(crate) fn program(case: &Case, folder: &Path) -> Program {
    let words = match case.target {
        Target::Native => vec![beside("native")],
        Target::Numpy => vec![PYTHON.program("python"), folder.join(SCRIPT)],
    };
    Program::new(words, case.n_turns)
}

impl Target {
    /// Its stages.
    pub(crate) fn stages(self) -> Vec<Stage> {
        match self {
            Target::Native => STAGES.iter().map(|&name| (name, &[][..])).collect(),
            Target::Numpy => NUMPY_STAGES.to_vec(),
        }
    }

    /// Makes what the program needs.
    pub(crate) fn prepare(self, folder: &Path) -> Result<(), String> {
        match self {
            Target::Native => build(env!("CARGO_MANIFEST_DIR"), |cargo| cargo.arg("--bins")),
            Target::Numpy => {
                let script = folder.join(SCRIPT);
                fs::write(&script, NUMPY_TARGET)
                    .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
                PYTHON.install()
            }
        }
    }
}
