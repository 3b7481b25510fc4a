//! The package under the oldest and the newest interpreter of those that it promises, where they are here: the one wheel,
//! installed and tried. The whole tests run under one interpreter only; here run those that need nothing but pytest.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::python_package;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "python-versions",
    about: "the wheel under the oldest and newest Python",
    is_build: false,
    is_quick: false,
    run,
};

/// The minor versions of Python 3 that the package promises.
const PROMISED: std::ops::RangeInclusive<u32> = 9..=14;

/// Scopes, functions, memory, recordings and reports: what depends on the interpreter.
const TESTS: [&str; 6] = [
    "test_scopes.py",
    "test_decorator.py",
    "test_functions_trace.py",
    "test_memory_flat.py",
    "test_recording.py",
    "test_report.py",
];

/// In a build without optimisation a frame of the tracer takes so much of the machine's stack that recursion 12,000 deep ends
/// the process on 3.12 and later where functions are traced by `eval`, which is not the default there.
const BUT_NOT: &str = "not (eval and (runs_as_deep_as_without or deep_recursion_that_is_not_traced))";

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let found: Vec<(u32, PathBuf)> =
        PROMISED.filter_map(|minor| Some((minor, interpreter(minor)?))).collect();
    let usual = version(Path::new("python3"));
    let mut ends: Vec<&(u32, PathBuf)> = found.first().into_iter().chain(found.last()).collect();
    ends.dedup();
    ends.retain(|(minor, _)| Some(*minor) != usual);
    if ends.is_empty() {
        return Ok(StepOutcome::Skipped("there is no other Python here than that of the tests".to_owned()));
    }
    let wheels = python_package::wheels(place);
    if !wheels.exists() {
        python_package::install(place)?;
    }
    for (minor, program) in &ends {
        let folder = place.target.join(format!("venv-3.{minor}"));
        let python = folder.join("bin/python");
        if !python.exists() {
            cargo::run(Command::new(program).args(["-m", "venv"]).arg(&folder))?;
        }
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        cargo::run(Command::new(&python).args(pip).arg("pytest>=8,<10"))?;
        let local = ["--no-index", "--force-reinstall", "--no-deps", "--find-links"];
        cargo::run(Command::new(&python).args(pip).args(local).arg(&wheels).arg("calor"))?;
        let package = place.root.join("python");
        let mut tests = Command::new(&python);
        tests
            .args(["-B", "-m", "pytest", "--quiet"])
            .args(TESTS.map(|name| package.join("tests").join(name)));
        tests
            .args(["-k", BUT_NOT])
            .arg("--rootdir")
            .arg(&package)
            .arg("-c")
            .arg(package.join("pyproject.toml"));
        cargo::run(tests.current_dir(&wheels))?;
    }
    let tried: Vec<String> = ends.iter().map(|(minor, _)| format!("3.{minor}")).collect();
    println!("tried under Python {}", tried.join(" and "));
    let missing: Vec<String> = [*PROMISED.start(), *PROMISED.end()]
        .into_iter()
        .filter(|minor| Some(*minor) != usual && !found.iter().any(|(found, _)| found == minor))
        .map(|minor| format!("3.{minor}"))
        .collect();
    Ok(match missing.is_empty() {
        true => StepOutcome::Passed,
        false => StepOutcome::Partly(format!("tried {}; not here: {}", tried.join(", "), missing.join(", "))),
    })
}

/// An interpreter of a version: on the path, or among those that pyenv keeps.
fn interpreter(minor: u32) -> Option<PathBuf> {
    let on_path = PathBuf::from(format!("python3.{minor}"));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".pyenv"))
    });
    let kept = pyenv.and_then(|folder| std::fs::read_dir(folder.join("versions")).ok());
    let kept =
        kept.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path().join("bin/python3"));
    std::iter::once(on_path).chain(kept).find(|program| version(program) == Some(minor))
}

/// The minor version that a program says of itself.
fn version(program: &Path) -> Option<u32> {
    let question = "import sys; print(sys.version_info[1] if sys.version_info[0] == 3 else '')";
    let output = Command::new(program).args(["-c", question]).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
