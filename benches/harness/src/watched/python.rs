//! Virtual environments of Python, beside the area's program, with packages in them.

use std::path::PathBuf;
use std::process::Command;

use super::{beside, finished};

/// What to do where Python is missing.
pub const PYTHON_HINT: &str = "Debian has it in the packages python3 and python3-venv";

/// One environment.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    /// The name of its folder.
    pub name: &'static str,
    /// The packages that pip installs into it.
    pub packages: &'static [&'static str],
}

impl Environment {
    /// A program in it; its interpreter is `python`.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        beside(self.name).join("bin").join(name)
    }

    /// Makes it and installs its packages, unless that was done before.
    pub fn install(&self) -> Result<(), String> {
        let (python, done) = (self.program("python"), beside(self.name).join("installed"));
        let packages = self.packages.join(" ");
        if python.exists() && std::fs::read_to_string(&done).is_ok_and(|text| text == packages) {
            return Ok(());
        }
        if !python.exists() {
            let mut command = Command::new("python3");
            finished(command.args(["-m", "venv"]).arg(beside(self.name)), PYTHON_HINT)?;
        }
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]);
        finished(command.args(self.packages), PYTHON_HINT)?;
        std::fs::write(&done, packages).map_err(|error| format!("cannot write {}: {error}", done.display()))
    }
}
