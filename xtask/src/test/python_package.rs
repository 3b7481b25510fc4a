//! The Python package: built as a wheel, installed into the environment of the tests, and tested from Python.

use std::path::PathBuf;
use std::process::Command;

use super::python_environment;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "python",
    about: "the Python package, from its wheel",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let python = install(place)?;
    let package = place.root.join("python");
    // `-B`, or Python would leave its cache beside the tests. From elsewhere, so that the sources are not what is imported.
    let mut tests = Command::new(&python);
    tests
        .args(["-B", "-m", "pytest", "--quiet", "--doctest-modules", "--pyargs", "calor"])
        .arg(package.join("tests"));
    tests.arg("--rootdir").arg(&package).arg("-c").arg(package.join("pyproject.toml"));
    cargo::run(tests.current_dir(wheels(place)))?;
    Ok(StepOutcome::Passed)
}

/// Builds the wheel and installs it into the environment of the tests; its Python.
pub(super) fn install(place: &Place) -> anyhow::Result<PathBuf> {
    let python = python_environment::set_up(place)?;
    let wheels = wheels(place);
    // Another version's wheel would be installed beside this one's.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--quiet", "--profile", "dev", "--out"]).arg(&wheels);
    cargo::run(build.current_dir(place.root.join("python")).env("CARGO_TARGET_DIR", &place.target))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]);
    cargo::run(install.args(["--force-reinstall", "--no-deps", "--find-links"]).arg(&wheels).arg("calor"))?;
    Ok(python)
}

/// Where the wheel is.
pub(super) fn wheels(place: &Place) -> PathBuf {
    place.target.join("wheels")
}
