//! What the compiler says, and where, when an attribute is used wrongly. The cases become one small crate that is
//! checked once.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Source, then the line and column of the error and its message.
const CASES: &[(&str, &str)] = &[
    ("#[profile(level = 3)]\nfn f() {}", "1:11: error: unknown argument `level`: allowed are"),
    ("#[profile(3)]\nfn f() {}", "1:11: error: unknown argument `3`: allowed are"),
    ("#[profile(b\"f\")]\nfn f() {}", "1:11: error: unknown argument `b\"f\"`: allowed are"),
    ("#[profile(name = f)]\nfn f() {}", "1:18: error: the name of a scope is a string literal"),
    ("#[profile(name =)]\nfn f() {}", "1:11: error: the name of a scope is a string literal"),
    ("#[profile(\"\")]\nfn f() {}", "1:11: error: the name of a scope is empty"),
    ("#[profile(\"a\", name = \"b\")]\nfn f() {}", "1:23: error: the scope is named twice"),
    ("#[profile(crate = \"calor\")]\nfn f() {}", "1:19: error: `crate` takes a path without quotes"),
    ("#[profile(crate = a, crate = b)]\nfn f() {}", "1:22: error: `crate` is given twice"),
    ("#[profile]\npub const fn f() {}", "2:5: error: a const fn cannot be profiled"),
    ("#[profile]\n/// Documented.\nstruct S;", "3:1: error: #[profile] goes on a function"),
    ("#[profile]\nconst F: fn() = || ();", "2:1: error: #[profile] goes on a function"),
    ("#[profile(\"a\")]\nmod m {}", "1:11: error: a name is for one function"),
    (
        "struct S;\n#[profile(crate = crate::fake)]\nimpl S {\n    #[profile(x)]\n    fn f() {}\n}",
        "4:15: error: unknown",
    ),
    ("#[profile_off(level = 3)]\nfn f() {}", "1:15: error: unknown argument `level`"),
    ("#[profile_off]\nconst fn f() {}", "2:1: error: a const fn cannot be profiled"),
    ("#[skip(all)]\nfn f() {}", "1:8: error: #[skip] takes no arguments"),
    // Not misuse: an error in a body is told where it was written.
    (
        "#[profile(crate = crate::fake)]\nfn f() {\n    missing();\n}",
        "3:5: error[E0425]: cannot find function",
    ),
    (
        "#[profile(crate = crate::fake)]\nasync fn f() {\n    missing();\n}",
        "3:5: error[E0425]: cannot find function",
    ),
];

const FAKE: &str = "#![allow(unused)]
use calor_macros::{profile, profile_off, skip};
pub mod fake {
    macro_rules! scope { ($name:literal) => {}; }
    macro_rules! site { ($name:literal) => { $name }; }
    pub(crate) use {scope, site};
    pub struct Scoped;
    impl Scoped { pub async fn new<F: Future>(_: &str, f: F) -> F::Output { f.await } }
}
";

#[test]
fn misuse_is_told_at_its_place_with_what_is_allowed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("misuse");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"misuse\"\nedition = \"2024\"\n[workspace]\n[dependencies]\ncalor-macros = {{ path = {:?} }}\n",
        env!("CARGO_MANIFEST_DIR"),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let mut root = FAKE.to_owned();
    for (idx, (source, _)) in CASES.iter().enumerate() {
        writeln!(root, "mod case_{idx};").unwrap();
        // The import goes last, so that the lines of the case are its own.
        let source = format!("{source}\nuse crate::*;\n");
        std::fs::write(folder.join(format!("src/case_{idx}.rs")), source).unwrap();
    }
    std::fs::write(folder.join("src/lib.rs"), root).unwrap();

    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--message-format=short", "--target-dir"])
        .arg(folder.join("target"))
        .current_dir(&folder)
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    for (idx, (source, expect)) in CASES.iter().enumerate() {
        let expect = format!("src/case_{idx}.rs:{expect}");
        let own: Vec<&str> = told.lines().filter(|line| line.contains(&format!("/case_{idx}.rs:"))).collect();
        assert_eq!(own.len(), 1, "one error for\n{source}\n{told}");
        assert!(own[0].contains(&expect), "expected {expect}\nfound    {}", own[0]);
    }
}
