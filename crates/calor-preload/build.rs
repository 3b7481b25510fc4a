//! Builds the library that is loaded into programs and puts its bytes where `lib.rs` includes them from: so the command
//! is one file that needs nothing beside it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let own = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let heap = PathBuf::from(variable("DEP_CALOR_HEAP_FOLDER"));
    let cpython = PathBuf::from(variable("DEP_CALOR_CPYTHON_FOLDER"));
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed={}", own.join("src/library").display());
    println!("cargo::rerun-if-changed={}", heap.join("src").display());
    println!("cargo::rerun-if-changed={}", cpython.join("src").display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(calor_library)");

    let library = out.join("libcalor_preload.so");
    if !is_supported() {
        // The command says so when it is asked for the heap of a program.
        std::fs::write(&library, []).unwrap_or_else(|error| fail(&library, &error.to_string()));
        return;
    }
    let rlib = |name: &str, folder: &Path, uses: &[&str]| {
        let file = out.join(format!("lib{name}.rlib"));
        let crate_name = format!("--crate-name={name}");
        let arguments: Vec<&str> =
            [&*crate_name, "--crate-type=rlib"].into_iter().chain(uses.iter().copied()).collect();
        compile(&folder.join("src/lib.rs"), &arguments, &file);
        format!("--extern={name}={}", file.display())
    };
    let cpython = rlib("calor_cpython", &cpython, &[]);
    let heap = rlib("calor_heap", &heap, &[&cpython]);
    // Where what the rlibs use is looked for.
    let dependencies = format!("-Ldependency={}", out.display());
    let arguments = [
        "--crate-name=calor_preload",
        "--crate-type=cdylib",
        "--cfg=calor_library",
        &cpython,
        &heap,
        &dependencies,
    ];
    compile(&own.join("src/library/main.rs"), &arguments, &library);
}

/// Where programs can be preloaded, and call paths walked.
fn is_supported() -> bool {
    variable("CARGO_CFG_TARGET_OS") == "linux"
        && variable("CARGO_CFG_TARGET_ARCH") == "x86_64"
        && variable("CARGO_CFG_TARGET_ENV") == "gnu"
}

fn compile(source: &Path, arguments: &[&str], output: &Path) {
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
