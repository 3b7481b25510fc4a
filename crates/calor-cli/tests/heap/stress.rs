//! Forks, threads, libraries that come and go, exceptions and signals all at once: no program may stop or break for
//! being watched, and no block may be missed. Here for seconds; the program takes any number of them.

use std::collections::BTreeMap;
use std::path::Path;

use calor_model::HeapSite;

use crate::workbench::{C, Recorded, Workbench};

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
    let figures = figures(&recorded.stdout);
    if options == ["--heap=exact"] {
        for name in ["churn", "plugin_here", "plugin_more"] {
            let site = of_process(&recorded, figures["process"][0], name);
            let found = [site.allocated_bytes, site.allocated_count, site.live_bytes(), site.live_count()];
            let truth = [figures[name][0], figures[name][1], 0, 0];
            assert_eq!(found, truth, "{options:?} {allocator:?}: {name}");
        }
    }
    // What a handler maps while its thread is just beginning is not counted, and told.
    for lost in ["heap_paths_lost", "heap_samples_lost", "heap_not_begun", "heap_frees_missed"] {
        assert_eq!(recorded.warning(lost), None, "{options:?} {allocator:?}");
    }
    let plugins = recorded.through(&["plugin_here"]);
    assert!(plugins.allocated_count > 0, "what was loaded and unloaded has its name");
}

/// What the program said at its end: a name and numbers in each line.
fn figures(stdout: &str) -> BTreeMap<&str, Vec<u64>> {
    stdout
        .lines()
        .map(|line| {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            (name, words.filter_map(|word| word.parse().ok()).collect())
        })
        .collect()
}

/// What one of the processes did in a function, but for handlers of signals that came meanwhile.
fn of_process(recorded: &Recorded, pid: u64, name: &str) -> HeapSite {
    let profile = &recorded.profile;
    let mut sum = HeapSite::default();
    for (key, site) in profile.heap.iter() {
        let is_own = u64::from(profile.threads.get(key.thread).pid) == pid;
        let path = profile.path_names(key.stack);
        let is_through = |name| path.iter().any(|part| part.split('(').next() == Some(name));
        if is_own && is_through(name) && !is_through("handle") {
            sum.add(site);
        }
    }
    sum
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
