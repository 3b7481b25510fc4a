//! The Python that planted programs run with.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The variable that names another than `python3` of the path.
const VARIABLE: &str = "PLANTED_PYTHON";

/// An interpreter that can be started.
#[derive(Debug)]
pub(super) struct Python {
    pub(super) path: PathBuf,
    pub(super) has_numpy: bool,
    /// What it says it is.
    pub(super) about: String,
}

/// What an interpreter says of itself.
const ABOUT: &str = "import platform, sys; print(platform.python_implementation(), platform.python_version(), sys.executable)";

impl Python {
    pub(super) fn found() -> Option<Self> {
        let path = PathBuf::from(std::env::var_os(VARIABLE).unwrap_or_else(|| "python3".into()));
        let said = |code: &str| {
            let mut command = Command::new(&path);
            let output = command.args(["-c", code]).stdin(Stdio::null()).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            output.status.success().then_some(text)
        };
        let about = said(ABOUT)?;
        Some(Self { has_numpy: said("import numpy").is_some(), about, path: path.clone() })
    }
}
