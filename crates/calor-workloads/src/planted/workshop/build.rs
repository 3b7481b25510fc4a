//! Builds planted programs: plain ones by the compiler alone, and those that use the SDK as one package, so that the SDK is
//! built once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::Program;
use crate::planted::Language;

/// The SDK's own folder.
const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../calor");
/// The versions that this repository is built with are good for its programs, too.
const LOCK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");

/// Where a program is, once built.
pub(super) fn path(folder: &Path, program: &Program) -> PathBuf {
    match program.language {
        Language::Rust => folder.join(&program.name),
        Language::RustWithCalor => folder.join("target/release").join(&program.name),
        Language::Python | Language::Numpy => source(folder, program),
    }
}

fn source(folder: &Path, program: &Program) -> PathBuf {
    let ending = if super::is_python(program.language) { "py" } else { "rs" };
    folder.join(format!("{}.{ending}", program.name))
}

pub(super) fn build(folder: &Path, programs: &[Program]) -> Result<(), String> {
    for program in programs {
        let file = source(folder, program);
        std::fs::write(&file, &program.source)
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    let plain: Vec<&Program> = programs.iter().filter(|program| program.language == Language::Rust).collect();
    let told: Vec<&Program> =
        programs.iter().filter(|program| program.language == Language::RustWithCalor).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let package = scope.spawn(|| if told.is_empty() { Ok(()) } else { package(folder, &told) });
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let compilers: Vec<_> = (0..cores)
            .map(|_| {
                scope.spawn(|| -> Result<(), String> {
                    while let Some(program) = plain.get(next.fetch_add(1, Relaxed)) {
                        compile(folder, program)?;
                    }
                    Ok(())
                })
            })
            .collect();
        compilers.into_iter().chain([package]).try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread that builds programs has ended".to_owned()))
        })
    })
}

fn compile(folder: &Path, program: &Program) -> Result<(), String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "-O", "-g", "--crate-name", "app"]).args(program.flags);
    command.arg(source(folder, program)).arg("-o").arg(path(folder, program)).current_dir(folder);
    built(&mut command, &program.name)
}

/// One package with a program for each; what they share is built once.
fn package(folder: &Path, programs: &[&Program]) -> Result<(), String> {
    let mut manifest = format!(
        "[package]\nname = \"planted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies.calor]\n\
         path = {SDK:?}\ndefault-features = false\nfeatures = [\"record\"]\n\n[profile.release]\ndebug = \"line-tables-only\"\n"
    );
    for program in programs {
        manifest += &format!("\n[[bin]]\nname = {:?}\npath = {:?}\n", program.name, source(folder, program));
    }
    let write = |name: &str, text: &[u8]| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))
    };
    write("Cargo.toml", manifest.as_bytes())?;
    write("Cargo.lock", &std::fs::read(LOCK).map_err(|error| format!("cannot read {LOCK}: {error}"))?)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Whoever runs this may be cargo, with settings of its own for what it builds.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_cargo(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command.args(["build", "--release", "--offline", "--quiet", "--target-dir"]).arg(folder.join("target"));
    built(command.current_dir(folder), "the programs that use the SDK")
}

fn is_of_cargo(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_PROFILE_", "CARGO_TARGET_"]
        .iter()
        .any(|beginning| name.starts_with(beginning))
}

fn built(command: &mut Command, what: &str) -> Result<(), String> {
    command.stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        format!(
            "planted programs are built with the Rust toolchain, and {command:?} cannot be started: {error}"
        )
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{what} cannot be built: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
