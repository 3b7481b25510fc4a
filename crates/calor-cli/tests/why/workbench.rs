//! The operation's program, and the command run on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use calor_testing::{Need, cannot};
use serde_json::Value;

/// The program with all variants of the operation.
pub(crate) fn operation() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("why-programs");
        // Tests run in processes of their own, side by side: the program appears whole, and what the compiler leaves beside it
        // on the way has a folder of its own.
        let own = folder.join(std::process::id().to_string());
        std::fs::create_dir_all(&own).expect("a folder can be made where the tests are built");
        let unfinished = own.join("operation");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/why/programs/operation.rs");
        let flags = ["--edition", "2024", "-O", "-g", "-C", "target-cpu=x86-64-v3", "-o"];
        let built = Command::new("rustc").args(flags).arg(&unfinished).arg(source).output();
        let built = built.expect("rustc builds the tests, too");
        assert!(built.status.success(), "{}", text(&built.stderr));
        let program = folder.join("operation");
        std::fs::rename(&unfinished, &program).expect("the folder is ours");
        std::fs::remove_dir_all(&own).expect("the folder is ours");
        program
    })
}

/// Whether the processor has the vectors that the program is built for.
pub(crate) fn has_vectors() -> bool {
    let has_them = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    if !has_them {
        cannot(Need::Processor, "this processor has no AVX2 with FMA");
    }
    has_them
}

pub(crate) fn calor(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command
        .env_remove("COLUMNS")
        .env_remove("CALOR_STORE")
        .env("CALOR_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
    command.args(words).stdin(Stdio::null()).output().expect("the command can be started")
}

/// The explanation of a variant against the good one.
pub(crate) fn explained(variant: &str, words: &[&str]) -> Value {
    let program = operation().to_str().expect("a path that is text");
    let mut all = vec!["ab", "--why", "--format", "json", "--sizes", "256,1k,4k,64k", "--max-time", "8s"];
    all.extend(words);
    all.extend(["--", program, "good", "{n}", "{calls}", "--", program, variant, "{n}", "{calls}"]);
    let output = calor(&all);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the page is JSON")
}

/// The words of the causes, the largest part first.
pub(crate) fn causes(page: &Value) -> Vec<String> {
    let reasons = page["why"].as_array().expect("there are causes");
    reasons.iter().map(|reason| reason["cause"].as_str().expect("a word").to_owned()).collect()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
