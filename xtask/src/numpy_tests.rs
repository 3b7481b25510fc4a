//! NumPy's own tests with profiling on and off. Not a step of the tests: it takes minutes, and only what hooks into NumPy can
//! change its outcome.

use std::path::PathBuf;
use std::process::Command;

use crate::{Outcome, cargo};

const SCRIPT: &str = "python/tests/numpy_own_tests.py";

/// Runs them with a Python that has calor, numpy, pytest and hypothesis: the one that is named, or that of the tests.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    let root = crate::repository::root();
    let python = match arguments {
        [] => cargo::target_folder(&root).join("venv/bin/python"),
        [python] => PathBuf::from(python),
        [_, unexpected, ..] => {
            return Ok(crate::misused(&format!("numpy-tests takes one Python, got {unexpected}")));
        }
    };
    let mut has_all = Command::new(&python);
    has_all.args(["-c", "import calor, numpy, pytest, hypothesis"]);
    if !has_all.status().is_ok_and(|status| status.success()) {
        eprintln!(
            "error: {} cannot import calor, numpy, pytest and hypothesis: run `cargo xtask test python`, install what is \
             missing with its pip, or name another Python",
            python.display()
        );
        return Ok(Outcome::Failed);
    }
    let status = Command::new(&python).arg("-B").arg(root.join(SCRIPT)).status()?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}
