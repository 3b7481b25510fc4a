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
}

impl Python {
    pub(super) fn found() -> Option<Self> {
        let path = PathBuf::from(std::env::var_os(VARIABLE).unwrap_or_else(|| "python3".into()));
        let runs = |code: &str| {
            let mut command = Command::new(&path);
            command.args(["-c", code]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        runs("pass").then(|| Self { has_numpy: runs("import numpy"), path: path.clone() })
    }
}
