//! Builds the library that is loaded into programs and puts its bytes where `lib.rs` includes them from: so the command
//! is one file that needs nothing beside it.
//!
//! The library has no standard library and panics that abort, so it is compiled anew with all that it is made of. A build
//! script is not told where the sources of dependencies are, unless they say so themselves: each of [`CRATES`] does, by
//! `links` and a build script of its own. A path in the workspace would be shorter, and wrong in what is published.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the library is made of: each crate with those that it uses, which stand before it. A door that brings a crate with it
/// adds a line; what is called from outside is in `src/library`, in a folder for each door.
const CRATES: [(&str, &[&str]); 3] =
    [("calor_cpython", &[]), ("calor_paths", &["calor_cpython"]), ("calor_heap", &["calor_paths"])];

fn main() {
    let own = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed={}", own.join("src/library").display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(calor_library)");
    let folders = CRATES.map(|(name, _)| {
        let folder = PathBuf::from(variable(&format!("DEP_{}_FOLDER", name.to_uppercase())));
        println!("cargo::rerun-if-changed={}", folder.join("src").display());
        folder
    });

    let library = out.join("libcalor_preload.so");
    if !is_supported() {
        // The command says so when it is asked for the heap of a program.
        std::fs::write(&library, []).unwrap_or_else(|error| fail(&library, &error.to_string()));
        return;
    }
    let rlib = |name: &str| out.join(format!("lib{name}.rlib"));
    let uses = |name: &&str| format!("--extern={name}={}", rlib(name).display());
    for ((name, used), folder) in CRATES.iter().zip(folders) {
        let arguments = [format!("--crate-name={name}"), "--crate-type=rlib".to_owned()];
        compile(&folder.join("src/lib.rs"), arguments.into_iter().chain(used.iter().map(uses)), &rlib(name));
    }
    let arguments = ["--crate-name=calor_preload", "--crate-type=cdylib", "--cfg=calor_library"];
    let arguments = arguments.map(str::to_owned).into_iter();
    let crates = CRATES.iter().map(|(name, _)| uses(name));
    compile(&own.join("src/library/main.rs"), arguments.chain(crates), &library);
}

/// Where programs can be preloaded, and call paths walked.
fn is_supported() -> bool {
    variable("CARGO_CFG_TARGET_OS") == "linux"
        && variable("CARGO_CFG_TARGET_ARCH") == "x86_64"
        && variable("CARGO_CFG_TARGET_ENV") == "gnu"
}

fn compile(source: &Path, arguments: impl Iterator<Item = String>, output: &Path) {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .arg(source)
        .args(arguments)
        .args(["--edition=2024", "--cap-lints=allow"])
        .args(["-Copt-level=3", "-Ccodegen-units=1", "-Cpanic=abort", "-Cdebuginfo=0", "-Cstrip=symbols"])
        .arg("--target")
        .arg(variable("TARGET"))
        .arg("-o")
        .arg(output);
    // Where what the rlibs use is looked for.
    if let Some(folder) = output.parent() {
        rustc.arg(format!("-Ldependency={}", folder.display()));
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    match rustc.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(source, &format!("rustc ended with {status}")),
        Err(error) => fail(source, &error.to_string()),
    }
}

fn fail(path: &Path, why: &str) -> ! {
    println!("cargo::error=the library for heap profiles cannot be built from {}: {why}", path.display());
    std::process::exit(1);
}

fn variable(name: &str) -> String {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).unwrap_or_default()
}
