//! C++ and Rust programs: their own ways to allocate, to fail, and to hand work to other threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use calor_model::HeapSite;

use crate::workbench::{C, Workbench, text};

#[test]
fn every_operator_of_cpp_is_counted_and_an_impossible_size_throws() {
    let bench = Workbench::new();
    let compiler = [&["c++", "-std=c++17"], &C[1..]].concat();
    let program = bench.build("operators.cc", &compiler, &[]);
    let recorded = bench.record(&["--heap=exact"], &program, &[]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    recorded.expect_all_seen();
    for line in recorded.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let found = recorded.through(&[words[0]]);
        assert_eq!(
            words[1..],
            [found.allocated_bytes.to_string(), found.allocated_count.to_string()],
            "{line}"
        );
        let live = if words[0] == "left_new" { found.allocated_bytes } else { 0 };
        assert_eq!(found.live_bytes(), live, "{line}");
    }
    assert_eq!(recorded.stdout.lines().count(), 11);
}

/// As users build it: optimized, and without frame pointers.
#[test]
fn every_call_path_of_a_rust_program_is_counted() {
    let bench = Workbench::new();
    let compiler = ["rustc", "--edition=2024", "-Copt-level=3", "-Cforce-frame-pointers=no", "-Cdebuginfo=0"];
    let program = bench.build("paths.rs", &compiler, &[]);
    let recorded = bench.record(&["--heap=exact", "--heap-paths=all"], &program, &[]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    recorded.expect_all_seen();
    let mut found: BTreeMap<(&str, &str), HeapSite> = BTreeMap::new();
    for (path, site) in recorded.paths() {
        let last = |prefix: &str| path.iter().rfind(|name| name.starts_with(prefix)).copied();
        if let (Some(leaf), Some(route)) = (last("paths::site_"), last("paths::route_")) {
            found.entry((leaf, route)).or_default().add(site);
            assert_eq!(path.iter().filter(|name| **name == "paths::main").count(), 1, "{path:?}");
        }
    }
    for line in recorded.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let site = found.remove(&(words[0], words[1])).unwrap_or_default();
        let figures = [site.allocated_bytes, site.allocated_count, site.freed_bytes, site.freed_count];
        assert_eq!(figures.map(|figure| figure.to_string()), words[2..], "{line}");
    }
    assert!(found.is_empty(), "the program knows of no more paths: {found:?}");
    assert_eq!(recorded.stdout.lines().count(), 30);
}

#[test]
fn work_that_goes_from_thread_to_thread_is_counted() {
    let bench = Workbench::new();
    let program = parallel();
    for word in ["spawned", "rayon", "tokio"] {
        let recorded = bench.record(&["--heap=exact"], &program, &[word]);
        assert_eq!(recorded.code, Some(0), "{word}: {}", recorded.stderr);
        recorded.expect_all_seen();
        let words: Vec<&str> = recorded.stdout.split_whitespace().collect();
        let found = recorded.through(&[words[0]]);
        let figures = [found.allocated_bytes, found.allocated_count].map(|figure| figure.to_string());
        assert_eq!(words[1..], figures, "{word}: {}", recorded.stdout);
        assert_eq!((found.live_bytes(), found.live_count()), (0, 0), "{word}");
        let begun = |path: &[&str]| path.iter().any(|name| name.contains("start_thread") || *name == "main");
        let unknown: u64 =
            recorded.paths().filter(|(path, _)| !begun(path)).map(|(_, site)| site.allocated_bytes).sum();
        let all = recorded.all().allocated_bytes;
        assert!(unknown * 100 <= all, "{word}: of {all} bytes {unknown} have no beginning");
    }
}

/// The example of that name, which is built with the tests; one that was asked for alone builds it now.
fn parallel() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_calor")).with_file_name("examples");
    let program = folder.join("parallel");
    if !program.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--package", "calor-cli", "--example", "parallel", "--target-dir"]);
        let output =
            build.arg(folder.ancestors().nth(2).expect("it lies in the folder of the build")).output();
        let output = output.expect("cargo can be started");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    program
}
