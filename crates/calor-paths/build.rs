//! Tells build scripts of dependents where the sources of this crate are.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("CARGO_MANIFEST_DIR") {
        println!("cargo::metadata=folder={folder}");
    }
}
