//! The programs that are sampled, and what they need: the native ones are built with cargo, Python gets a virtual
//! environment with numpy beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::Figures;
use sampling_bench::native::{STAGES, TRUTH};

use crate::case::{Case, Target};
use crate::child::last_words;

const SCRIPT: &str = "numpy_target.py";
const PYTHON_HINT: &str = "Debian has it in the packages python3 and python3-venv";

/// One program with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    words: Vec<PathBuf>,
    pub(crate) n_turns: u64,
}

/// A part of the program's work: its function, and parts of the names of what that calls in compiled code.
pub(crate) type Stage = (&'static str, &'static [&'static str]);

const NUMPY_STAGES: &[Stage] = &[
    ("stage_fib", &[]),
    ("stage_count", &[]),
    ("stage_matmul", &["gemm", "matmul"]),
    ("stage_sort", &["sort"]),
];

impl Program {
    /// The program of a case.
    pub(crate) fn of(case: &Case, folder: &Path) -> Self {
        let words = match case.target {
            Target::Native => vec![beside("native")],
            Target::Numpy => vec![python(), folder.join(SCRIPT)],
        };
        Self { words, n_turns: case.n_turns }
    }

    /// The program alone.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(self.n_turns.to_string());
        alone_on_its_thread(command)
    }

    /// The program at the end of a tool's command line.
    pub(crate) fn append_to(&self, mut tool: Command) -> Command {
        tool.args(&self.words).arg(self.n_turns.to_string());
        alone_on_its_thread(tool)
    }
}

/// numpy's library would otherwise multiply on all cores, and a thread's clock not see it.
fn alone_on_its_thread(mut command: Command) -> Command {
    command.env("OPENBLAS_NUM_THREADS", "1");
    command
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
                fs::write(&script, include_str!("numpy_target.py"))
                    .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
                install_numpy()
            }
        }
    }
}

/// What the program said about itself, somewhere in the output of the tool around it.
pub(crate) fn truth(stdout: &str) -> Result<Figures, String> {
    let line = stdout.lines().rev().find_map(|line| line.strip_prefix(TRUTH));
    Figures::parse(line.ok_or_else(|| format!("the program printed no line that starts with '{TRUTH}'"))?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_found_among_what_a_tool_prints() {
        let figures = truth("starting\ntruth cpu_s=0.5 stage_a=0.25\nwrote profile.calor\n").unwrap();
        assert_eq!((figures.get("cpu_s"), figures.get("stage_a")), (Some(0.5), Some(0.25)));
        assert!(truth("nothing\n").unwrap_err().contains("'truth '"));
    }
}
