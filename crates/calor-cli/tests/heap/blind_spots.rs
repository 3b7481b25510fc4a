//! Places where a heap profiler may be blind. Everywhere all bytes are found and have their function, or the profile
//! says why not.

use std::path::Path;

use calor_testing::{Need, cannot};

use crate::workbench::{C, Recorded, Workbench};

/// Every line that a program printed, such as `in_thread 8000 80`, is in the profile.
fn expect_lines(recorded: &Recorded) {
    assert!(!recorded.stdout.is_empty(), "the program said nothing: {}", recorded.stderr);
    for line in recorded.stdout.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(bytes), Some(count)) = (words.next(), words.next(), words.next()) else {
            panic!("not a line of figures: {line}")
        };
        let found = recorded.through(&[name]);
        let figures = (found.allocated_bytes.to_string(), found.allocated_count.to_string());
        assert_eq!((&*figures.0, &*figures.1), (bytes, count), "{name}\n{}", recorded.stderr);
    }
}

/// Runs one of the odd programs, which ends with `code`, and checks that all of it was seen.
fn check(words: &[&str], code: i32) -> Recorded {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let recorded = bench.record(&["--heap=exact"], &program, words);
    assert_eq!(recorded.code, Some(code), "{words:?}: {}", recorded.stderr);
    expect_lines(&recorded);
    recorded.expect_all_seen();
    recorded
}

#[test]
fn threads_come_and_go() {
    let recorded = check(&["threads"], 0);
    assert!(recorded.paths().all(|(path, _)| path.len() > 1), "every path begins somewhere");
}

#[test]
fn stacks_may_be_tiny() {
    check(&["tiny"], 0);
}

#[test]
fn children_of_a_fork_count_for_themselves() {
    let recorded = check(&["forks"], 0);
    let unnamed = recorded.paths().find(|(path, _)| path.iter().any(|name| name.contains("[unmapped]")));
    assert!(unnamed.is_none(), "what was loaded before the fork has its names after it: {unnamed:?}");
    // A child allocates and frees nothing of it; what it gives back of its parent's is not its own.
    assert_eq!(recorded.through(&["in_child"]).live_bytes(), 8 * 1000 * 500);
}

#[test]
fn children_of_a_program_that_cleared_its_environment_count_too() {
    check(&["clears"], 0);
}

#[test]
fn programs_that_are_started_by_others_are_followed() {
    let recorded = check(&["spawns"], 0);
    let leaked = recorded.profile.heap.summary.and_then(|summary| summary.leaked).expect("programs ended");
    // What a program held when another took its place went with it.
    assert_eq!(leaked.bytes, recorded.through(&["after_exec"]).live_bytes());
    let gone = recorded.through(&["in_child"]);
    assert_eq!((gone.allocated_count, gone.live_count(), gone.live_bytes()), (3000, 0, 0));
}

#[test]
fn code_that_is_unloaded_keeps_its_name_when_other_code_takes_its_place() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let plugins = ["plugin_here", "plugin_more"].map(|name| bench.plugin(name));
    let recorded = bench.record(&["--heap=exact"], &program, &["plugins", &plugins[0], &plugins[1]]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    expect_lines(&recorded);
    recorded.expect_all_seen();
}

#[test]
fn coroutines_have_stacks_of_their_own() {
    check(&["contexts"], 0);
}

#[test]
fn handlers_of_signals_allocate_on_either_stack() {
    check(&["handlers"], 0);
}

#[test]
fn a_very_deep_stack_is_cut_on_its_outer_side() {
    let recorded = check(&["deep"], 0);
    for (path, _) in recorded.paths().filter(|(path, _)| path.contains(&"at_bottom")) {
        assert!(path.len() > 100 || path.contains(&"main"), "{} frames and no beginning", path.len());
        assert_eq!(path.last(), Some(&"at_bottom"));
    }
}

#[test]
fn a_program_that_leaves_by_exit_leaks_and_one_that_is_killed_does_not() {
    let leaked = |recorded: &Recorded| recorded.profile.heap.summary.and_then(|summary| summary.leaked);
    let recorded = check(&["exit"], 5);
    assert_eq!(leaked(&recorded).map(|blocks| blocks.bytes), Some(recorded.all().live_bytes()));
    for (word, code) in [("kill", 128 + 9), ("abort", 128 + 6)] {
        let recorded = check(&[word], code);
        assert_eq!(leaked(&recorded), None, "{word}: nobody knows what it would have freed");
    }
}

#[test]
fn a_program_may_close_all_its_files_and_have_none() {
    check(&["closed"], 0);
    check(&["no-files"], 0);
}

#[test]
fn a_program_may_change_its_root() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let jail = bench.path("jail");
    std::fs::create_dir(&jail).expect("the folder is ours");
    let recorded = bench.record(&["--heap=exact"], &program, &["chroot", jail.to_str().expect("text")]);
    if recorded.code == Some(77) {
        cannot(Need::User, "only root may change its root");
        return;
    }
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    expect_lines(&recorded);
    recorded.expect_all_seen();
}

/// Limits that leave no room for what is counted: the program has to come to its end as without us.
#[test]
fn a_program_under_narrow_limits_runs_as_without_us() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let program = program.to_str().expect("text");
    for limit in ["-f 0", "-v 400000", "-v 900000", "-n 12"] {
        let script = format!("ulimit {limit} && exec {program} need");
        let recorded = bench.record(&["--heap=exact"], Path::new("/bin/sh"), &["-c", &script]);
        assert_eq!(recorded.code, Some(0), "{limit}: {}", recorded.stderr);
        let is_seen = recorded.through(&["in_need"]).allocated_count == 5 * 50;
        let says = recorded.profile.warnings.iter().any(|warning| warning.code.starts_with("heap_"));
        assert!(is_seen || says, "{limit}: {}", recorded.stderr);
    }
}

#[test]
fn a_pool_of_the_programs_own_is_told_of() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let recorded = bench.record(&["--heap=exact"], &program, &["pool"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let warning = recorded.warning("heap_untracked").expect("it says that there is more memory than blocks");
    assert!(warning.contains("calor::Alloc"), "{warning}");
}

/// Programs are built in all the ways that leave less to walk by.
#[test]
fn programs_with_less_to_walk_by_still_have_the_function_that_allocates() {
    for flags in [
        &["-fomit-frame-pointer"][..],
        &["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-exceptions", "-fomit-frame-pointer"],
        &["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-omit-frame-pointer"],
        &["-Wl,--no-eh-frame-hdr"],
        &["-no-pie", "-O0"],
    ] {
        let bench = Workbench::new();
        let compiler = [C, flags].concat();
        let program = bench.build("odd.c", &compiler, &["-ldl"]);
        for words in [&["threads"][..], &["forks"], &["exit"]] {
            let recorded = bench.record(&["--heap=exact"], &program, words);
            assert!(matches!(recorded.code, Some(0 | 5)), "{flags:?} {words:?}: {}", recorded.stderr);
            expect_lines(&recorded);
            recorded.expect_all_seen();
        }
    }
}

#[test]
fn a_program_with_another_allocator_keeps_it() {
    for library in ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"] {
        if !Path::new("/usr/lib/x86_64-linux-gnu").join(library).exists() {
            continue;
        }
        let bench = Workbench::new();
        let program = bench.build("odd.c", C, &["-ldl"]);
        for words in [&["threads"][..], &["forks"], &["spawns"], &["contexts"], &["need"]] {
            let mut command = bench.command(&["--heap=exact"], &program, words);
            command.env("LD_PRELOAD", library);
            let recorded = bench.outcome(command);
            assert_eq!(recorded.code, Some(0), "{library} {words:?}: {}", recorded.stderr);
            expect_lines(&recorded);
            recorded.expect_all_seen();
        }
    }
}
