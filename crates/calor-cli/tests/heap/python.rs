//! Python programs: each object where it was made, to the byte, for every CPython that is installed.

use std::path::{Path, PathBuf};

use calor_model::{Frame, FrameKind, HeapSite};
use calor_testing::{Need, cannot};

use super::interpreters::interpreters;
use super::workbench::{C, Recorded, Workbench};

fn program(name: &str) -> String {
    format!("{}/tests/heap/programs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Every object is looked for, however few they are beside those of the interpreter's start.
const ALL: &str = "--heap-paths=all";

/// Where a class makes what its objects hold.
const HELD_LINE: u32 = 59;

/// Records the program that makes objects; few samples, since none is looked at.
fn record(heap: &str, python: &Path, kinds: &[&str]) -> Recorded {
    let program = program("objects.py");
    let words = [&["-S", &program], kinds].concat();
    let words = if kinds == ["arrays"] { &words[1..] } else { &words };
    let recorded = Workbench::new().record(&[heap, ALL, "--rate", "10"], python, words);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    recorded
}

/// Any of the interpreters.
fn python() -> PathBuf {
    interpreters().into_values().next().expect("there is one")
}

/// What was made by paths whose Python frames, innermost first, are as asked for.
fn sum(recorded: &Recorded, is_it: impl Fn(&[(&str, Option<u32>)]) -> bool) -> HeapSite {
    let profile = &recorded.profile;
    let mut sum = HeapSite::default();
    for (key, site) in profile.heap.iter() {
        let frames = profile.stacks.frames(key.stack).map(|frame| profile.frames.get(frame));
        let python = frames.filter(|frame: &Frame| frame.kind == FrameKind::Python);
        let named: Vec<_> = python.map(|frame| (profile.strings.get(frame.name), frame.line)).collect();
        if is_it(&named) {
            sum.add(site);
        }
    }
    sum
}

/// What was made at a line of a function.
fn made_in(recorded: &Recorded, function: &str, line: u32) -> HeapSite {
    sum(recorded, |frames| frames.first() == Some(&(function, Some(line))))
}

/// How many bytes an empty `bytes` object takes.
fn empty_bytes(recorded: &Recorded) -> u64 {
    recorded.stdout.trim().parse().expect("the program prints it")
}

fn live(site: &HeapSite) -> (u64, u64) {
    (site.allocated_count - site.freed_count, site.allocated_bytes - site.freed_bytes)
}

#[test]
fn every_cpython_tells_where_each_object_was_made() {
    for (version, python) in interpreters() {
        let kinds = ["plain", "deep", "generators", "generated", "threads", "classes"];
        let recorded = record("--heap", &python, &kinds);
        recorded.expect_all_seen();
        let empty = empty_bytes(&recorded);
        let check_site = |function: &str, site: &HeapSite, count: u64, size: u64| {
            assert_eq!(live(site), (count, count * (size + empty)), "{version}: {function}");
        };
        let check = |function: &str, line, count: u64, size: u64| {
            check_site(function, &made_in(&recorded, function, line), count, size);
        };
        check("make", 11, 300, 1000);
        check("at_the_bottom", 21, 1, 1500);
        check("made_by_a_generator", 30, 200, 3000);
        check("in_a_thread", 41, 4, 4000);
        // From the function that calls the class to `__init__` there is nothing of the interpreter's own.
        let is_held = |frames: &[(&str, Option<u32>)]| match frames {
            [(inner, Some(line)), (outer, _), ..] if inner.ends_with("__init__") => {
                *line == HELD_LINE && (outer.starts_with("hold") || outer.ends_with("<listcomp>"))
            }
            _ => false,
        };
        check_site("Holder.__init__", &sum(&recorded, is_held), 500, 6000);
        // Their code objects have the places of those before them.
        for number in 10_000..10_200 {
            check(&format!("made_{number}"), 3, 1, number);
        }
        let freed = made_in(&recorded, "churn", 17);
        // Interpreters keep something for a line that runs often.
        assert!((500..510).contains(&freed.allocated_count), "{version}: {freed:?}");
        assert!((500 * (2000 + empty)..).contains(&freed.allocated_bytes), "{version}: {freed:?}");
        assert!(live(&freed).0 < 10, "{version}: {freed:?}");
    }
}

#[test]
fn interpreters_with_other_allocators_are_seen_too() {
    let program = program("objects.py");
    for (variable, value) in [
        ("PYTHONMALLOC", "malloc"),
        ("PYTHONMALLOC", "debug"),
        ("PYTHONDEVMODE", "1"),
        ("PYTHONTRACEMALLOC", "3"),
    ] {
        let bench = Workbench::new();
        let mut command = bench.command(
            &["--heap", ALL, "--rate", "10"],
            &python(),
            &["-S", &program, "plain", "generated"],
        );
        command.env(variable, value);
        let recorded = bench.outcome(command);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        let kept = live(&made_in(&recorded, "make", 11));
        let expected = (300, 300 * (1000 + empty_bytes(&recorded)));
        // What tracemalloc keeps of each object is on the heap as well.
        let is_more = variable == "PYTHONTRACEMALLOC" && kept > expected;
        assert!(kept == expected || is_more, "{variable}={value}: {kept:?}, {expected:?}");
        for number in 10_000..10_200 {
            let (_, made) = live(&made_in(&recorded, &format!("made_{number}"), 3));
            assert!(made >= number, "{variable}={value}: made_{number} has {made} bytes");
        }
    }
}

#[test]
fn handlers_of_signals_may_come_while_python_changes_its_frames() {
    let bench = Workbench::new();
    let library = bench.build("handler.c", &[C, &["-shared", "-fPIC"]].concat(), &[]);
    let words = ["-S", &program("interrupted.py"), library.to_str().expect("a temporary path is text")];
    for (version, python) in interpreters() {
        let recorded = bench.record(&["--heap", "--rate", "10"], &python, &words);
        assert_eq!(recorded.code, Some(0), "{version}: {}", recorded.stderr);
        assert_eq!(recorded.stdout.trim(), "3980000", "{version}: the program's own answer");
    }
}

#[test]
fn sampled_objects_are_told_by_their_functions_and_add_up_within_their_interval() {
    let recorded = record("--heap=sampled:4096", &python(), &["plain"]);
    let freed = made_in(&recorded, "churn", 17);
    let expected = 500.0 * (2000.0 + empty_bytes(&recorded) as f64);
    let error = (freed.allocated_bytes as f64 - expected).abs();
    // Six deviations: once in a thousand million times.
    assert!(error < 6.0 * freed.allocated_variance.sqrt(), "{freed:?}, expected {expected}");
}

#[test]
fn workers_of_a_pool_are_in_one_profile_with_their_functions() {
    let program = program("workers.py");
    for method in ["fork", "spawn"] {
        let options = ["--heap", ALL, "--rate", "10"];
        let recorded = Workbench::new().record(&options, &python(), &["-S", &program, method]);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        assert_eq!(recorded.stdout.trim(), "2400000", "{method}: the program's own answer");
        let made = sum(&recorded, |frames| frames.contains(&("work", Some(8))));
        assert!(made.allocated_count >= 3000, "{method}: {made:?}");
        assert!(made.allocated_bytes >= 2_400_000, "{method}: {made:?}");
    }
}

#[test]
fn arrays_of_numpy_are_told_by_the_functions_that_made_them() {
    let Some(python) = std::env::var_os("CALOR_TEST_PYTHON").map(PathBuf::from) else {
        cannot(
            Need::Package,
            "numpy is installed by `cargo xtask test`, which says where in CALOR_TEST_PYTHON",
        );
        return;
    };
    let recorded = record("--heap", &python, &["arrays"]);
    recorded.expect_all_seen();
    let made = sum(&recorded, |frames| frames.contains(&("arrays", Some(70))));
    let (_, bytes) = live(&made);
    // Two arrays, of which the second may have been doubled in its place, and their heads.
    assert!((12_000_000..12_100_000).contains(&bytes), "{made:?}");
}
