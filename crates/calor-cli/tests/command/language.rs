//! Views by language, and what is said of Python's lock.

use calor_model::{Frame, FrameKind, Profile, SampleKey, SampleKind, SampleWeight, Warning};

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// A thread, what it did, a path such as `n:main;p:run` of native, Python and kernel frames, its lock, milliseconds.
type Row = (&'static str, SampleKind, &'static str, &'static str, u64);

const ROWS: [Row; 6] = [
    ("main", SampleKind::Cpu, "n:_start;p:<module>;p:fit;n:array_matmul;n:dgemm", "free", 50),
    ("main", SampleKind::Cpu, "n:_start;p:<module>;p:fit", "held", 20),
    ("pool", SampleKind::Cpu, "n:clone3;p:work", "held", 10),
    ("pool", SampleKind::OffCpu, "n:clone3;p:work;n:take_gil;k:futex_wait", "waiting", 40),
    ("pool", SampleKind::OffCpu, "n:clone3;p:work;n:read;k:pipe_read", "free", 5),
    ("blas", SampleKind::Cpu, "n:clone3;n:blas_server", "", 20),
];

/// A folder with `mixed.calor` in it.
fn bench() -> Workbench {
    let mut profile = Profile::default();
    for (tid, (thread, kind, path, gil, millis)) in (1..).zip(ROWS) {
        let thread = profile.intern_thread(1, if thread == "pool" { 9 } else { tid }, thread);
        let mut stack = None;
        for part in path.split(';') {
            let (kind, name) = part.split_once(':').expect("a frame is a kind and a name");
            let name = profile.strings.intern(name);
            let kind = match kind {
                "p" => FrameKind::Python,
                "k" => FrameKind::Kernel,
                _ => FrameKind::Native,
            };
            // What the interpreter and the system do for Python is told by where it lies.
            let module = match part {
                "n:take_gil" => Some(profile.strings.intern("python3.11")),
                "n:read" => Some(profile.strings.intern("libc.so.6")),
                _ => None,
            };
            let frame = profile.frames.intern(Frame { module, ..Frame::new(name, kind) });
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let label = (profile.strings.intern("gil"), profile.strings.intern(gil));
        let labels = profile.labels.intern(if gil.is_empty() { &[] } else { std::slice::from_ref(&label) });
        let stack = stack.expect("a path has frames");
        let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: millis, nanos: millis * 1_000_000 });
    }
    profile.warn(Warning::counted("python_unverified", "frames changed while they were read", 3));
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("memory takes it");
    let bench = Workbench::new();
    bench.put("mixed.calor", &bytes);
    bench
}

#[test]
fn a_profile_is_converted_with_one_language_alone() {
    let bench = bench();
    let folded = |flag: &str| {
        bench.stdout(&["convert", "mixed.calor", "--metric", "cpu", "--to", "folded", flag, "-o", "-"])
    };
    let mut python: Vec<String> = folded("--python-only").lines().map(str::to_owned).collect();
    python.sort();
    assert_eq!(python, ["(not Python) 20000000", "<module>;fit 70000000", "work 10000000"]);
    let native = folded("--native-only");
    for line in [
        "_start;(Python interpreter);array_matmul;dgemm 50000000",
        "_start;(Python interpreter) 20000000",
        "clone3;blas_server 20000000",
    ] {
        assert!(native.lines().any(|found| found == line), "{native}");
    }
    let json = bench.json(&["convert", "mixed.calor", "--to", "json", "--python-only", "-o", "-"]);
    assert_eq!(json["selection"]["language"], "python");
}

#[test]
fn a_report_and_a_picture_show_one_language_alone() {
    let bench = bench();
    for (flag, shown, hidden) in
        [("--python-only", "(not Python)", "dgemm"), ("--native-only", "(Python interpreter)", "&lt;module")]
    {
        let picture = bench.stdout(&["flame", "mixed.calor", flag]);
        assert!(picture.contains(shown) && !picture.contains(hidden), "{picture}");
        let page = bench.stdout(&["report", "mixed.calor", flag]);
        assert!(page.contains(shown) && !page.contains(hidden), "{page}");
    }
    let page = bench.stdout(&["report", "mixed.calor", "--python-only", "--thread", "main"]);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Only what happened on threads named `main`;"), "{page}");
    assert!(words.contains("Only Python functions, each with the compiled code it called"), "{page}");
    assert!(!page.contains("pool"), "{page}");
}

#[test]
fn a_report_of_python_alone_still_knows_what_threads_wait_for() {
    let bench = bench();
    let report = bench.json(&["report", "mixed.calor", "--python-only", "--format", "json"]);
    let waits = report["off_cpu"].as_array().unwrap();
    let told: Vec<_> =
        waits.iter().map(|wait| (&wait["name"], &wait["path"], &wait["reason"], &wait["call"])).collect();
    let path = serde_json::json!(["work"]);
    let expected =
        [("work".into(), "lock".into(), "take_gil".into()), ("work".into(), "io".into(), "read".into())];
    let expected: Vec<_> = expected.iter().map(|(name, reason, call)| (name, &path, reason, call)).collect();
    assert_eq!(told, expected);
    assert_eq!((&waits[0]["blocked_ns"], &waits[0]["tid"]), (&40_000_000.into(), &9.into()));
    let page = bench.stdout(&["report", "mixed.calor", "--python-only"]);
    assert!(page.contains("lock: take_gil") && !page.contains("futex"), "{page}");
}

#[test]
fn a_profile_without_python_says_so() {
    let bench = bench();
    for command in [&["report"][..], &["flame"][..], &["convert", "--to", "folded"][..]] {
        let message = bench.failure(&[command, &["profile.calor", "--python-only"][..]].concat());
        assert!(message.starts_with("error: no Python frames in this profile: "), "{message}");
        let output = bench.run(&[command, &["profile.calor", "--native-only"][..]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("no Python frames in this profile: --native-only changes"));
        let both = bench.failure(&[command, &["mixed.calor", "--native-only", "--python-only"][..]].concat());
        assert!(both.contains("cannot be used with"), "{both}");
    }
}

#[test]
fn the_summary_tells_how_python_held_and_waited_for_its_lock() {
    let bench = bench();
    let report = bench.json(&["report", "mixed.calor", "--format", "json"]);
    let schema = bench.json(&["schema", "report"]);
    assert_eq!(problems(&schema, &report), Vec::<String>::new());
    let python = &report["summary"]["python"];
    assert_eq!((&python["samples"], &python["unverified"]), (&80.into(), &3.into()));
    assert_eq!((&python["held_share"], &python["gil_wait_ns"]), (&0.375.into(), &40_000_000.into()));
    let threads = report["threads"].as_array().unwrap();
    let pool = threads.iter().find(|thread| thread["name"] == "pool").unwrap();
    assert_eq!((&pool["gil_held_share"], &pool["gil_wait_ns"]), (&1.0.into(), &40_000_000.into()));
    let insights = report["insights"].to_string();
    assert!(insights.contains("1 thread waited for Python's global interpreter lock for 40.0 ms, 80.0 %"));

    let line = "80 samples, GIL held in 37.5 %, waited for it 40.0 ms; 3 samples not verified";
    for format in ["text", "md", "html"] {
        let page = bench.stdout(&["report", "mixed.calor", "--format", format]);
        assert!(page.contains(line) && page.contains("GIL held"), "{page}");
    }
    let of_native = bench.json(&["report", "profile.calor", "--format", "json"]);
    assert!(of_native["summary"].get("python").is_none());
}
