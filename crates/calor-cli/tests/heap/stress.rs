//! Forks, threads, libraries that come and go, exceptions and signals all at once: no program may stop or break for
//! being watched. Here for seconds; the program takes any number of them.

use std::path::Path;

use crate::workbench::{C, Workbench};

/// Records the program with `options`, and with another allocator where one is named.
fn check(options: &[&str], allocator: Option<&str>) {
    let bench = Workbench::new();
    let compiler = [&["c++", "-std=c++17"], &C[1..]].concat();
    let program = bench.build("stress.cc", &compiler, &["-ldl"]);
    let plugins = ["plugin_here", "plugin_more"].map(|name| bench.plugin(name));
    let mut command = bench.command(options, &program, &["3", &plugins[0], &plugins[1]]);
    if let Some(allocator) = allocator {
        command.env("LD_PRELOAD", allocator);
    }
    let recorded = bench.outcome(command);
    assert_eq!(recorded.code, Some(0), "{options:?} {allocator:?}: {}", recorded.stderr);
    assert!(recorded.stdout.starts_with("done "), "{}", recorded.stdout);
    for lost in ["heap_paths_lost", "heap_threads_lost", "heap_samples_lost", "heap_not_begun"] {
        assert_eq!(recorded.warning(lost), None, "{options:?} {allocator:?}");
    }
    let plugins = recorded.through(&["plugin_here"]);
    assert!(plugins.allocated_count > 0, "what was loaded and unloaded has its name");
}

#[test]
fn a_program_that_does_everything_at_once_is_not_hurt() {
    check(&["--heap=exact"], None);
}

#[test]
fn a_program_that_does_everything_at_once_is_not_hurt_by_samples() {
    check(&["--heap=sampled:4096"], None);
}

#[test]
fn a_program_that_does_everything_at_once_with_another_allocator_is_not_hurt() {
    let jemalloc = "libjemalloc.so.2";
    if Path::new("/usr/lib/x86_64-linux-gnu").join(jemalloc).exists() {
        check(&["--heap=exact"], Some(jemalloc));
    }
}
