//! Builds the programs of this folder with the machine's compiler, since what matters is what compilers write today.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program and the folder it goes away with.
pub(crate) struct Program {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

/// Builds `sources` of this folder into a program, with `cc` or, for C++, `c++`.
#[track_caller]
pub(crate) fn build(sources: &[&str], flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("program");
    let compiler = if sources.iter().any(|source| source.ends_with(".cpp")) { "c++" } else { "cc" };
    compile(compiler, sources, flags, &path);
    Program { _folder: folder, path }
}

/// Builds `library` as a shared object next to a program of `source` that is linked against it, bound lazily.
#[track_caller]
pub(crate) fn build_with_library(source: &str, library: &str, flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let shared = folder.path().join("libcallee.so");
    compile("cc", &[library], &[flags, &["-shared", "-fPIC"]].concat(), &shared);
    let (path, shared) = (folder.path().join("program"), shared.to_str().expect("a temporary path is text"));
    let run_path = format!("-Wl,-rpath,{}", folder.path().display());
    compile("cc", &[source], &[flags, &[shared, &run_path, "-Wl,-z,lazy"]].concat(), &path);
    Program { _folder: folder, path }
}

#[track_caller]
fn compile(compiler: &str, sources: &[&str], flags: &[&str], output: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unwind/programs");
    let mut command = Command::new(compiler);
    command.args(sources.iter().map(|source| here.join(source))).args(flags).arg("-o").arg(output);
    let result = command.output().unwrap_or_else(|error| {
        panic!("these tests build small programs and need `{compiler}`, which cannot be started ({error}): install gcc")
    });
    assert!(result.status.success(), "{command:?} failed:\n{}", String::from_utf8_lossy(&result.stderr));
}
