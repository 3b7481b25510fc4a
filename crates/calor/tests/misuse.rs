//! What the compiler says when the SDK is used in a way that cannot work: its words have to name the way that does.
//! Each case is checked as a small crate of its own.

use std::path::Path;
use std::process::Command;

/// Source, then what stands in the error that it gets.
const CASES: &[(&str, &[&str])] = &[
    (
        "pub fn f(name: &'static str) { calor::scope!(name); }",
        &["attempt to use a non-constant value", "a name made at run time: Scope::enter(Site::named(name))"],
    ),
    (
        "pub fn f(name: &'static str) { calor::context!(name); }",
        &["attempt to use a non-constant value", "a name made at run time: Site::named_context(name)"],
    ),
    (
        "pub fn f() -> impl Send { async { calor::scope!(\"held\"); std::future::ready(()).await; } }",
        &["cannot be sent between threads safely", "UseInScopeAcrossAwait"],
    ),
    (
        "pub fn f() { calor::open!(\"x\").add(\"seconds\", 1.5); }",
        &["is no whole number, which counters are made of", "count in a smaller unit"],
    ),
    ("#![deny(let_underscore_drop)]\npub fn f() { let _ = calor::open!(\"x\"); }", &["let_underscore_drop"]),
    (
        "#![deny(unused)]\npub fn f() { calor::open!(\"x\"); }",
        &["bind it, as in `let _scope = calor::open!(..)`"],
    ),
];

#[test]
fn the_compiler_names_the_way_that_works() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk-misuse");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"sdk-misuse\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         calor = {{ path = {own:?}, default-features = false, features = [\"record\"] }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The versions that are here already: nothing is fetched for a test.
    std::fs::copy(own.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();

    // Errors of names keep the compiler from looking at types, so each case is checked alone.
    for (source, expected) in CASES {
        std::fs::write(folder.join("src/lib.rs"), source).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet", "--color=never", "--target-dir"])
            .arg(folder.join("target"))
            .current_dir(&folder)
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "no misuse:\n{source}");
        for expected in *expected {
            assert!(words.contains(expected), "{source}\ndoes not get {expected:?}:\n{words}");
        }
        // One mistake is one error; cargo's own last word is the second line that begins so.
        let n_errors = words.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(n_errors, 2, "{source}\n{words}");
    }
}
