//! Real interpreters, asked the same questions from inside and from outside. `python3` has to be installed; others are
//! tried where they are found, in the folders of programs and of pyenv, and the tests say which.

mod headers;
mod lines;
mod live;
mod running;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::layout::Version;

/// A CPython that is installed here.
struct Installed {
    program: PathBuf,
    version: Version,
}

/// All that can be tried.
fn interpreters() -> Vec<Installed> {
    let mut found: Vec<Installed> = Vec::new();
    for program in programs() {
        let Some(version) = version_of(&program) else { continue };
        if version.minor >= 8 && !found.iter().any(|other| other.version == version) {
            found.push(Installed { program, version });
        }
    }
    assert!(!found.is_empty(), "this test needs a python3 of version 3.8 or newer");
    let named: Vec<String> =
        found.iter().map(|it| format!("{} {}", it.version, it.program.display())).collect();
    eprintln!("tried with {}", named.join(", "));
    found
}

fn programs() -> Vec<PathBuf> {
    let names = (8..=20).map(|minor| format!("python3.{minor}"));
    let names: Vec<String> = ["python3".to_owned()].into_iter().chain(names).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path =
        std::env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let pyenv = pyenv.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".pyenv")));
    let versions = pyenv.and_then(|folder| std::fs::read_dir(folder.join("versions")).ok());
    let in_pyenv = versions.into_iter().flatten().flatten().map(|version| version.path().join("bin/python"));
    // Links are followed, as most programs have several names; pyenv's own scripts only start what is found anyway.
    let is_script = |program: &PathBuf| program.parent().is_some_and(|folder| folder.ends_with("shims"));
    let programs = in_pyenv.chain(in_path).filter(|program| !is_script(program));
    let mut programs: Vec<PathBuf> = programs.filter_map(|program| program.canonicalize().ok()).collect();
    programs.sort();
    programs.dedup();
    programs
}

/// None for what is no CPython 3, as PyPy, or does not start.
fn version_of(program: &Path) -> Option<Version> {
    let question = "import sys; print(sys.implementation.name, sys.hexversion)";
    let output = Command::new(program).args(["-c", question]).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    Version::from_word(answer.trim().strip_prefix("cpython ")?.parse().ok()?)
}

/// What the interpreter prints when it runs `script`.
#[track_caller]
fn answer(program: &Path, script: &str) -> String {
    let output = Command::new(program).args(["-c", script]).output().expect("it has been started before");
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the script prints UTF-8")
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("two digits a byte")).collect()
}
