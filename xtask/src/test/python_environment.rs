//! A Python with the packages that tests need, in a virtual environment inside the target folder.

use std::path::PathBuf;
use std::process::Command;

use super::step::Place;
use crate::cargo;

/// What tests of the workspace find the environment's Python by.
pub(super) const VARIABLE: &str = "CALOR_TEST_PYTHON";

/// Sets it up if it is not there, and installs what is missing; its Python.
pub(super) fn set_up(place: &Place) -> anyhow::Result<PathBuf> {
    let folder = place.target.join("venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        cargo::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let requirements = place.root.join("tests/requirements.txt");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(requirements);
    cargo::run(&mut install)?;
    Ok(python)
}
