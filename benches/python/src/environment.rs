//! A virtual environment for each interpreter, kept beside this program from run to run, with the peers and the package as
//! it is now.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::watched::{PYTHON_HINT, beside, finished};

use crate::interpreter::Interpreter;

pub(crate) struct Environment {
    folder: PathBuf,
    interpreter: PathBuf,
}

impl Environment {
    pub(crate) fn of(interpreter: &Interpreter) -> Self {
        let folder = beside("python-package").join(&interpreter.name);
        Self { folder, interpreter: interpreter.path.clone() }
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// Installs what is not there yet, each package by itself: one that has no wheel here does not keep the others out.
    pub(crate) fn install(&self, packages: &[&str]) -> Result<(), String> {
        if !self.python().is_file() {
            finished(Command::new(&self.interpreter).args(["-m", "venv"]).arg(&self.folder), PYTHON_HINT)?;
        }
        for package in packages {
            let done = self.folder.join(format!("{package}.installed"));
            if done.is_file() {
                continue;
            }
            let mut command = Command::new(self.python());
            command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            command.args(["--only-binary", ":all:", package]);
            match finished(&mut command, "") {
                Ok(()) => std::fs::write(&done, "")
                    .map_err(|error| format!("cannot write {}: {error}", done.display()))?,
                Err(reason) => eprintln!("  {package} is left out: {reason}"),
            }
        }
        Ok(())
    }

    /// Puts the package into it: the sources of Python as they are, and the module that was built.
    pub(crate) fn put_package(&self, module: &Path) -> Result<(), String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/calor");
        let libraries = std::fs::read_dir(self.folder.join("lib")).into_iter().flatten().flatten();
        let site = libraries
            .map(|entry| entry.path().join("site-packages"))
            .find(|path| path.is_dir())
            .ok_or_else(|| format!("there is no site-packages in {}", self.folder.display()))?;
        let target = site.join("calor");
        let copied = || -> std::io::Result<()> {
            std::fs::create_dir_all(&target)?;
            for entry in std::fs::read_dir(&sources)? {
                let entry = entry?;
                if entry.file_type()?.is_file() {
                    std::fs::copy(entry.path(), target.join(entry.file_name()))?;
                }
            }
            std::fs::copy(module, target.join("_calor.abi3.so")).map(drop)
        };
        copied().map_err(|error| format!("cannot put the package into {}: {error}", target.display()))
    }
}
