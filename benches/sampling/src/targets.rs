//! The programs that are sampled, and what they need: the native ones are built with cargo, Python gets a virtual
//! environment with numpy beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::sampled::child::last_words;
use harness::sampled::{NUMPY_STAGES, NUMPY_TARGET, Program, Stage};
use sampling_bench::native::STAGES;

use crate::case::{Case, Target};

const SCRIPT: &str = "numpy_target.py";
const PYTHON_HINT: &str = "Debian has it in the packages python3 and python3-venv";

/// The program of a case.
pub(crate) fn program(case: &Case, folder: &Path) -> Program {
    let words = match case.target {
        Target::Native => vec![beside("native")],
        Target::Numpy => vec![python(), folder.join(SCRIPT)],
    };
    Program::new(words, case.n_turns)
}

impl Target {
    /// Its stages.
    pub(crate) fn stages(self) -> Vec<Stage> {
        match self {
            Target::Native => STAGES.iter().map(|&name| (name, &[][..])).collect(),
            Target::Numpy => NUMPY_STAGES.to_vec(),
        }
    }

    /// Makes what the program needs.
    pub(crate) fn prepare(self, folder: &Path) -> Result<(), String> {
        match self {
            Target::Native => build(),
            Target::Numpy => {
                let script = folder.join(SCRIPT);
                fs::write(&script, NUMPY_TARGET)
                    .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
                install_numpy()
            }
        }
    }
}

/// A program of this package.
pub(crate) fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name(name)
}

fn python() -> PathBuf {
    beside("numpy-environment").join("bin/python")
}

/// `cargo run` has built this program alone.
fn build() -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // <target>/release/<program>
    let own = beside("");
    let target = own.parent().ok_or("expected this program in <target>/release")?;
    run(
        Command::new(cargo)
            .args(["build", "--release", "--locked", "--quiet", "--bins", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .env("CARGO_TARGET_DIR", target),
        "",
    )
}

fn install_numpy() -> Result<(), String> {
    if !python().exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(beside("numpy-environment")), PYTHON_HINT)?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy"];
    run(Command::new(python()).args(pip), PYTHON_HINT)
}

fn run(command: &mut Command, hint: &str) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}; {hint}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed: {}; {hint}", last_words(&output.stderr))),
    }
}
