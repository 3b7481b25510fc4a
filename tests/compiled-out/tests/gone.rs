//! What is left of Calor when it is compiled out: nothing.

use std::future::Future;
use std::pin::pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn no_dependency_is_built_but_the_two_crates_of_the_sdk() {
    let tree = cargo(&["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    let mut crates: Vec<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    crates.sort_unstable();
    crates.dedup();
    assert_eq!(crates, ["calor", "calor-macros", "compiled-out"]);
}

#[test]
fn types_are_empty() {
    assert_eq!(std::mem::size_of::<calor::Scope>(), 0);
    assert_eq!(std::mem::size_of::<calor::Site>(), 0);
    assert_eq!(std::mem::size_of::<calor::Recording>(), 0);
}

#[test]
fn everything_compiles_and_does_nothing() {
    let mut future = pin!(compiled_out::control());
    let outcome = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(outcome, Poll::Ready(3));
    let mut future = pin!(compiled_out::attributed_async(1));
    assert_eq!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(2)));
    assert_eq!(compiled_out::attributed(1), 2);
    assert_eq!(compiled_out::Model.forward() + compiled_out::Model.skipped(), 5);
    assert!(!std::path::Path::new("never-written.calor").exists());
}

#[test]
fn a_release_build_has_no_code_of_calor_in_it() {
    let built = cargo(&["build", "--release", "--bin", "small", "--message-format=json-render-diagnostics"]);
    let path = built
        .lines()
        .filter_map(|line| line.split("\"executable\":\"").nth(1)?.split('"').next())
        .next()
        .expect("cargo names the program");
    let program = std::fs::read(path).expect("the program was built");
    let has = |word: &[u8]| program.windows(word.len()).any(|window| window == word);
    assert!(has(b"compiled_out"), "symbols were stripped, so their absence proves nothing");
    assert!(!has(b"5calor"), "a symbol of the calor crate is in the program");
    assert!(!has(b"never-written"), "unused code was not removed, so the check is not strict");
}
