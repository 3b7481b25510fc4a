//! Python, with numpy and memray in a virtual environment of the area's own.

use std::fs;
use std::path::Path;

use harness::watched::{Environment, Program};

pub(crate) const ENVIRONMENT: Environment =
    Environment { name: "heap-python", packages: &["numpy", "memray"] };

const SCRIPT: &str = "python_target.py";

/// Installs what the program needs, and puts it into the folder.
pub(crate) fn prepare(folder: &Path) -> Result<(), String> {
    let script = folder.join(SCRIPT);
    fs::write(&script, include_str!("python_target.py"))
        .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
    ENVIRONMENT.install()
}

/// The program, taking so many steps.
pub(crate) fn program(folder: &Path, n_steps: u64) -> Program {
    Program::new(vec![ENVIRONMENT.program("python"), folder.join(SCRIPT)], n_steps)
}
