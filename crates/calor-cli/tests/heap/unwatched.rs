//! Programs that the library cannot be loaded into, allocators that it does not stand before, and systems that let
//! nobody sample: the profile says which, why, and what to do.

use std::path::Path;
use std::process::Command;

use calor_model::Recorder;
use calor_testing::{Need, cannot};

use crate::workbench::{C, Recorded, Workbench};

const NOT_WATCHED: &str = "heap_not_watched";

/// The warning of this code says all of this.
fn expect_words(recorded: &Recorded, code: &str, words: &[&str]) {
    let message =
        recorded.warning(code).unwrap_or_else(|| panic!("nothing is said of {code}: {}", recorded.stderr));
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn a_program_without_a_loader_is_told_of() {
    for flag in ["-static", "-static-pie"] {
        let bench = Workbench::new();
        let program = bench.build("odd.c", &[C, &[flag]].concat(), &[]);
        let recorded = bench.record(&["--heap=exact"], &program, &["exit"]);
        assert_eq!(recorded.code, Some(5), "{flag}: {}", recorded.stderr);
        expect_words(&recorded, NOT_WATCHED, &["odd-c", "linked statically", "calor::Alloc"]);
    }
}

#[test]
fn a_program_without_a_loader_is_told_of_when_another_starts_it() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", &[C, &["-static"]].concat(), &[]);
    let script = format!("{} linger; true", program.display());
    let recorded = bench.record(&["--heap=exact"], Path::new("/bin/sh"), &["-c", &script]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(recorded.all().allocated_count > 0, "the shell itself was watched: {}", recorded.stderr);
    expect_words(&recorded, NOT_WATCHED, &["`odd-c`", "linked statically"]);
}

#[test]
fn a_program_whose_environment_was_cleared_is_told_of() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let program = program.to_str().expect("a temporary path is text");
    // In the place of the program that cleared it, and beside one that did not.
    let script = format!("env -i {program} linger; true");
    for words in [["env", "-i", program, "linger"], ["sh", "-c", &script, "sh"]] {
        let recorded = bench.record(&["--heap=exact"], Path::new(words[0]), &words[1..]);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        assert_eq!(recorded.through(&["left_behind"]).allocated_count, 0, "it was not watched");
        expect_words(
            &recorded,
            NOT_WATCHED,
            &[
                "`odd-c`",
                "LD_PRELOAD, which something before it cleared or replaced",
                "calor record --heap --",
            ],
        );
    }
}

#[test]
fn a_program_with_more_rights_than_its_caller_is_told_of() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let bench = Workbench::new();
    let set_mode = |name: &str, mode| {
        std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(mode))
            .expect("it is ours");
    };
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root || Command::new("setpriv").arg("--version").output().is_err() {
        cannot(Need::User, "only root can be another user and lend that one its rights");
        return;
    }
    bench.build("odd.c", C, &["-ldl"]);
    set_mode("odd-c", 0o4755);
    set_mode(".", 0o777);
    // Where it was built, others may not be let in.
    std::fs::copy(env!("CARGO_BIN_EXE_calor"), bench.path("calor")).expect("the command can be copied");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "./calor", "record", "--heap"]);
    command.args(["-o", "profile.calor", "--", "./odd-c", "linger"]);
    command.current_dir(bench.path(".")).env("XDG_CACHE_HOME", bench.path("."));
    let recorded = bench.outcome(command);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let rights = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    if rights.lines().any(|line| line.split(' ').nth(4) == Some("/tmp") && line.contains("nosuid")) {
        cannot(Need::User, "nothing in /tmp has rights of its own");
        return;
    }
    expect_words(&recorded, NOT_WATCHED, &["odd-c", "more rights than its caller", "run calor as"]);
}

#[test]
fn an_allocator_in_the_program_itself_is_told_of() {
    let bench = Workbench::new();
    let program = bench.build("own_malloc.c", C, &[]);
    let recorded = bench.record(&["--heap=exact"], &program, &[]);
    assert_eq!((recorded.code, &*recorded.stdout), (Some(0), "done\n"), "{}", recorded.stderr);
    expect_words(&recorded, "heap_own_allocator", &["its own `malloc`", "calor::Alloc::new", "own_malloc-c"]);
    // What it took is seen, but for what it needed while it was still being prepared.
    let taken = recorded.through(&["chunk"]);
    assert!((9..=10).contains(&taken.allocated_count), "{}", recorded.stderr);
    assert_eq!(taken.allocated_bytes, taken.allocated_count << 20);
}

#[test]
fn jemalloc_in_the_program_itself_is_told_of_by_its_name() {
    let bench = Workbench::new();
    let found =
        Command::new("cc").arg("-print-file-name=libjemalloc.a").output().expect("there is a compiler");
    if !found.stdout.starts_with(b"/") {
        cannot(Need::Library, "jemalloc is not installed");
        return;
    }
    let last = ["-l:libjemalloc.a", "-ldl", "-lm", "-lstdc++"];
    let program = bench.build("odd.c", C, &last);
    let recorded = bench.record(&["--heap=exact"], &program, &["linger"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    expect_words(&recorded, "heap_own_allocator", &["(jemalloc)", "calor::Alloc::new", "odd-c"]);
}

/// Containers refuse perf events, and old kernels have none; the heap needs neither.
#[test]
fn where_sampling_is_refused_the_heap_is_watched_alone() {
    let bench = Workbench::new();
    let refuse = bench.build("../../record/programs/refuse.c", C, &[]);
    let program = bench.build("odd.c", C, &["-ldl"]);
    for code in ["1", "38"] {
        let recording = bench.command(&["--heap=exact"], &program, &["threads"]);
        let mut command = Command::new(&refuse);
        command.arg(code).arg(recording.get_program()).args(recording.get_args());
        command.current_dir(bench.path(".")).env("XDG_CACHE_HOME", bench.path("."));
        let recorded = bench.outcome(command);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        assert_eq!(recorded.through(&["in_thread"]).allocated_count, 80 * 100, "{}", recorded.stderr);
        recorded.expect_all_seen();
        expect_words(&recorded, "cpu_not_sampled", &["only the heap was watched", "perf"]);
        assert!(recorded.profile.samples.is_empty());
        let run = recorded.profile.runs.first().expect("a run");
        assert_eq!(run.recorders.iter().copied().collect::<Vec<_>>(), [Recorder::Heap]);
        assert_eq!(run.cpu_nanos, None, "nobody counted it");
    }
}

/// For programs that are watched all day, and to know what the heap alone costs.
#[test]
fn the_heap_alone_is_watched_where_that_is_asked_for() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let recorded = bench.record(&["--heap=exact", "--no-cpu"], &program, &["threads"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert_eq!(recorded.through(&["in_thread"]).allocated_count, 80 * 100, "{}", recorded.stderr);
    recorded.expect_all_seen();
    assert!(recorded.profile.samples.is_empty());
    assert!(!recorded.profile.warnings.iter().any(|warning| warning.code == "cpu_not_sampled"));
    let run = recorded.profile.runs.first().expect("a run");
    assert_eq!(run.recorders.iter().copied().collect::<Vec<_>>(), [Recorder::Heap]);
}

#[test]
fn a_recording_of_nothing_is_refused_with_what_to_ask_for() {
    let bench = Workbench::new();
    for (options, remedy) in
        [(&["--no-cpu"][..], "--heap"), (&["--no-cpu", "--heap", "--off-cpu"], "leave them out")]
    {
        let output =
            bench.command(options, "true".as_ref(), &[]).output().expect("the command can be started");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(remedy), "{told}");
        assert!(!bench.path("profile.calor").exists(), "nothing was recorded");
    }
}

#[test]
fn where_the_library_finds_no_room_it_is_said_where_and_what_to_do() {
    let bench = Workbench::new();
    let recording = bench.command(&["--heap", "--no-cpu"], "true".as_ref(), &[]);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 8; exec \"$@\"", "sh"]).arg(recording.get_program());
    command.args(recording.get_args()).current_dir(bench.path(".")).env("XDG_CACHE_HOME", bench.path("."));
    let output = command.output().expect("there is a shell");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("library that watches the heap into /") && told.contains("ulimit -f"), "{told}");
}
