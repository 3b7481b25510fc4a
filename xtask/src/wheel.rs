//! The wheel of the Python package as users get it: built for release, installed into an environment of its own, tried
//! there, and left in the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::{Outcome, cargo, repository};

/// What a fresh environment has to be able to do: import the package, and run the command on what it recorded.
const TRIAL: &str = "\
import calor, subprocess, sys, pathlib
calor.enable_profiling()
with calor.scope('trial'):
    pass
calor.disable_profiling()
calor.export('trial.calor')
command = pathlib.Path(sys.executable).with_name('calor')
page = subprocess.run([command, 'report', 'trial.calor'], capture_output=True, text=True, check=True).stdout
assert 'trial' in page, page
version = subprocess.run([command, '--version'], capture_output=True, text=True, check=True).stdout
assert version == f'calor {calor.__version__}\\n', version
";

pub(crate) fn run() -> anyhow::Result<Outcome> {
    let root = repository::root();
    let target = cargo::target_folder(&root);
    let wheel = build(&root, &target)?;
    try_out(&target, &wheel)?;
    let bytes = std::fs::metadata(&wheel)?.len();
    println!("\n{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    Ok(Outcome::Passed)
}

fn build(root: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let builder = target.join("wheel-builder");
    let python = environment(&builder)?;
    let mut install = Command::new(&python);
    cargo::run(install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "maturin>=1.9,<2",
    ]))?;
    let wheels = target.join("release-wheels");
    // The wheels of other versions would be found beside this one.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--quiet", "--release", "--locked", "--out"]).arg(&wheels);
    cargo::run(build.current_dir(root.join("python")).env("CARGO_TARGET_DIR", target))?;
    let mut found = std::fs::read_dir(&wheels)?.filter_map(Result::ok).map(|entry| entry.path());
    found.find(|path| path.extension().is_some_and(|ending| ending == "whl")).context("maturin left no wheel")
}

fn try_out(target: &Path, wheel: &Path) -> anyhow::Result<()> {
    let folder = target.join("wheel-trial");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let python = environment(&folder)?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]);
    cargo::run(install.arg(wheel))?;
    cargo::run(Command::new(&python).args(["-c", TRIAL]).current_dir(&folder))
        .context("the wheel was built, and does not work")
}

/// A virtual environment, made if it is not there; its Python.
fn environment(folder: &Path) -> anyhow::Result<PathBuf> {
    let python = folder.join("bin/python");
    if !python.exists() {
        cargo::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    Ok(python)
}
