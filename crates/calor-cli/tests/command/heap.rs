//! `calor heap`: its examples, its refusals, and that its JSON is as its schemas say.

use calor_model::{FrameKind, HeapKey, HeapMode, HeapSite, HeapSummary, Profile, Warning};

use super::heap_sketch::server;
use super::schema_check::problems;
use super::workbench::Workbench;

fn put(bench: &Workbench, name: &str, profile: &Profile) {
    let mut bytes = Vec::new();
    calor_formats::native::write(profile, &mut bytes).expect("memory takes it");
    bench.put(name, &bytes);
}

/// The heap of a run whose recorder did not tell threads apart.
fn of_all_threads() -> Profile {
    let mut profile = server(HeapMode::Exact);
    let thread = profile.intern_thread(4711, 0, "(all threads)");
    let rows: Vec<_> = profile.heap.iter().map(|(key, site)| (HeapKey { thread, ..key }, *site)).collect();
    let summary = profile.heap.summary;
    profile.heap = Default::default();
    profile.heap.summary = summary;
    rows.iter().for_each(|(key, site)| profile.heap.add(*key, site));
    profile
}

/// A folder with the heap of a run in `profile.calor`, and of two more in `before.calor` and `after.calor`.
fn bench() -> Workbench {
    let bench = Workbench::new();
    for (name, mode) in [
        ("profile.calor", HeapMode::Exact),
        ("before.calor", HeapMode::Exact),
        ("after.calor", HeapMode::Sampled),
    ] {
        put(&bench, name, &server(mode));
    }
    bench.put("known.txt", b"# loaded once\nleak:model::load\n");
    bench
}

#[test]
fn every_example_of_its_help_works() {
    let bench = bench();
    let page = bench.stdout(&["heap", "--help"]);
    let (_, rest) = page.split_once("Examples:\n").expect("there are examples");
    let examples: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
    assert!(examples.len() >= 6, "{page}");
    for example in examples {
        let command = example.trim().split("   ").next().and_then(|line| line.split(" | ").next());
        let words: Vec<&str> = command.expect("a line has a command").split_whitespace().skip(1).collect();
        assert_eq!(bench.stdout(&words).is_empty(), words.contains(&"-o"), "{example}");
    }
}

#[test]
fn the_ending_of_a_file_says_what_is_written_to_it() {
    let bench = bench();
    for (name, begins_with) in [
        ("heap.html", "<!doctype html>"),
        ("heap.json", "{"),
        ("heap.md", "## Heap"),
        ("heap.csv", "path,name,kind"),
        ("heap.txt", "Heap, every allocation"),
        ("heap", "Heap, every allocation"),
    ] {
        bench.stdout(&["heap", "profile.calor", "-o", name]);
        let written = String::from_utf8_lossy(&bench.get(name)).into_owned();
        assert!(written.starts_with(begins_with), "{name}: {}", &written[..60]);
    }
    // What is asked for counts before the name.
    bench.stdout(&["heap", "profile.calor", "--format", "json", "-o", "odd.html"]);
    assert!(bench.get("odd.html").starts_with(b"{"));
    let page = String::from_utf8_lossy(&bench.get("heap.html")).into_owned();
    for id in ["heap", "heap-time", "heap-allocated", "heap-peak", "heap-leaks", "heap-growth", "heap-sizes"]
    {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    let n_rows = String::from_utf8_lossy(&bench.get("heap.csv")).lines().count() - 1;
    let json = bench.json(&["heap", "profile.calor", "--format", "json"]);
    assert_eq!(json["allocators"].as_array().map(Vec::len), Some(n_rows));
    bench.stdout(&["heap", "--diff", "before.calor", "after.calor", "-o", "diff.html"]);
    assert!(bench.get("diff.html").starts_with(b"<!doctype html>"));
}

#[test]
fn what_a_program_mapped_itself_can_be_seen_alone() {
    let bench = bench();
    let mut profile = server(HeapMode::Exact);
    let path = profile.intern_named_path(&["main", "arena", "mmap"], FrameKind::Native).expect("a path");
    let key = profile.heap.iter().map(|(key, _)| HeapKey { stack: path, ..key }).next().expect("a row");
    let site = HeapSite {
        allocated_bytes: 64 << 20,
        allocated_count: 2,
        peak_bytes: 32 << 20,
        peak_count: 1,
        ..HeapSite::default()
    };
    profile.heap.add(key, &site);
    put(&bench, "mapped.calor", &profile);
    let page = bench.stdout(&["heap", "mapped.calor"]);
    assert!(
        page.contains("64.0 MiB of all that in 2 mappings of its own (mmap), 32.0 MiB of the peak"),
        "{page}"
    );
    let only = bench.stdout(&["heap", "mapped.calor", "--peak", "--only", "mmap"]);
    assert!(only.contains("arena") && only.contains("100.0 %") && !only.contains("model"), "{only}");
    let others = bench.stdout(&["heap", "mapped.calor", "--peak", "--only", "malloc"]);
    assert!(others.contains("model") && !others.contains("arena"), "{others}");
    let json = bench.json(&["heap", "mapped.calor", "--format", "json"]);
    assert_eq!(json["heap"]["mapped"]["peak_bytes"], 32 << 20);
    assert!(problems(&bench.json(&["schema", "heap/1"]), &json).is_empty());
    assert!(bench.json(&["heap", "profile.calor", "--format", "json"])["heap"]["mapped"].is_null());
}

#[test]
fn a_picture_of_a_heap_warns_of_the_heap_alone() {
    let bench = bench();
    let mut profile = server(HeapMode::Exact);
    profile.warn(Warning::counted("samples_lost", "samples of the processor were lost", 7));
    profile.warn(Warning::new("heap_untracked", "memory grew without an allocation"));
    put(&bench, "warned.calor", &profile);
    let said = |arguments: &[&str]| String::from_utf8_lossy(&bench.run(arguments).stderr).into_owned();
    let of_heap = said(&["flame", "warned.calor", "--metric", "peak", "-o", "peak.svg"]);
    assert!(of_heap.contains("heap_untracked") && !of_heap.contains("samples_lost"), "{of_heap}");
}

#[test]
fn json_is_as_the_schemas_say() {
    let bench = bench();
    for (name, arguments) in [
        ("heap/1", &["heap", "profile.calor", "--format", "json"][..]),
        ("heap/1", &["heap", "after.calor", "--format", "json", "--suppressions", "known.txt", "--top", "2"]),
        (
            "heap_diff/1",
            &["heap", "--diff", "before.calor", "after.calor", "--allocated", "--format", "json"],
        ),
        ("heap_diff/1", &["heap", "--diff", "profile.calor", "--to", "1min", "--format", "json"]),
        ("report/1", &["report", "profile.calor", "--format", "json"]),
        ("report/1", &["report", "after.calor", "--format", "json"]),
        ("report/1", &["convert", "after.calor", "--to", "json"]),
    ] {
        let found = problems(&bench.json(&["schema", name]), &bench.json(arguments));
        assert!(found.is_empty(), "{arguments:?}: {found:#?}");
    }
}

#[test]
fn suppressions_are_taken_from_a_file_and_a_line_that_is_none_is_refused() {
    let bench = bench();
    let page = bench.stdout(&["heap", "profile.calor", "--leaks", "--suppressions", "known.txt"]);
    assert!(page.contains("Suppressed: `model::load` 240 MiB in 40 blocks on 1 path."), "{page}");
    bench.put("wrong.txt", b"leak:fine\nmodel::load\n");
    let message = bench.failure(&["heap", "profile.calor", "--leaks", "--suppressions", "wrong.txt"]);
    assert!(message.contains("wrong.txt") && message.contains("line 2"), "{message}");
    assert!(message.contains("expected `leak:PATTERN`"), "{message}");
    let message = bench.failure(&["heap", "profile.calor", "--leaks", "--suppressions", "none.txt"]);
    assert!(message.contains("no file of suppressions none.txt: write one with lines such as"), "{message}");
    bench.put("binary.txt", b"leak:\xff\xfe\n");
    let message = bench.failure(&["heap", "profile.calor", "--leaks", "--suppressions", "binary.txt"]);
    assert!(message.contains("binary.txt is not text") && message.contains("`leak:init_once`"), "{message}");
    let table = ["heap", "profile.calor", "--leaks", "--format", "csv"];
    let [all, known] = [&table[..], &[&table[..], &["--suppressions", "known.txt"]].concat()]
        .map(|arguments| bench.stdout(arguments).lines().count());
    assert_eq!(known + 1, all);
}

#[test]
fn what_cannot_be_compared_or_is_not_there_is_refused_with_what_to_do() {
    let bench = bench();
    bench.put("few.folded", b"main;work 5\n");
    put(&bench, "static.calor", &{
        let mut profile = Profile::default();
        profile.warn(Warning::new("heap_not_watched", "it is linked statically"));
        profile
    });
    put(&bench, "whole.calor", &of_all_threads());
    for (arguments, expected) in [
        (&["heap", "few.folded"][..], "record one with `calor record --heap -- CMD`"),
        (&["heap", "before.calor", "after.calor"], "compared with --diff"),
        (&["heap", "--diff", "before.calor", "after.calor", "--from", "1s"], "moments of one profile"),
        (&["heap", "--diff", "profile.calor", "--peak"], "leave --allocated, --peak and --temporary out"),
        (
            &["heap", "--diff", "profile.calor", "--from", "7s", "--to", "8s"],
            "there are 31 snapshots from 0 ns to 2 min 00 s",
        ),
        (
            &["heap", "--diff", "profile.calor", "--from", "1min", "--to", "10s"],
            "--from 1 min 00 s is later than --to 10.0 s: change them over",
        ),
        (&["heap", "missing.calor"], "missing.calor: no such file"),
        (&["heap", "known.txt"], "not a profile"),
        (&["heap", "whole.calor", "--thread", "main"], "kept by call path and not by thread"),
        (&["heap", "static.calor"], "the profile has no heap: it is linked statically"),
        (&["heap", "--diff", "few.folded"], "cannot compare few.folded: the profile has no heap"),
        (
            &["heap", "--diff", "before.calor", "static.calor"],
            "cannot compare static.calor: the profile has no heap",
        ),
        (&["heap", "--diff", "whole.calor"], "the profile has 0 snapshots, and two are compared"),
        (&["heap", "profile.calor", "--from", "5s"], "--diff"),
        (&["heap", "profile.calor", "--thread", "worker"], "no thread is named `worker`"),
        (&["heap", "profile.calor", "--peak", "--leaks"], "cannot be used with"),
        (&["heap", "profile.calor", "--suppressions", "known.txt"], "add --leaks or --all"),
        (&["heap", "profile.calor", "--peak", "--suppressions", "known.txt"], "add --leaks or --all"),
        (&["heap", "profile.calor", "--group", "line", "--format", "json"], "leave --group out"),
        (&["heap", "profile.calor", "--group", "path", "--tree"], "cannot be used with"),
        (&["heap", "profile.calor", "--top", "0"], "expected a whole number from 1 on"),
        (&["heap", "profile.calor", "-o", "profile.calor"], "name another one"),
        (
            &["heap", "profile.calor", "--only", "mmap"],
            "add --allocated, --peak, --leaks, --temporary or --tree",
        ),
        (&["heap", "profile.calor", "-o", "peak.svg"], "`calor flame FILE --metric peak -o OUT` draws svg"),
        (&["heap", "profile.calor", "-o", "heap.pb.gz"], "`calor convert` writes profiles"),
        (&["heap", "profile.calor", "-o", "heap.docx"], "a txt, md, json, html or csv file, not .docx"),
        (&["heap", "profile.calor", "--growth", "-o", "growth.csv"], "a row for each call path"),
        (&["heap", "--diff", "before.calor", "after.calor", "--format", "csv"], "a row for each call path"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_heap_in_which_nothing_was_allocated_has_a_page() {
    let bench = bench();
    let mut profile = Profile::default();
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 0, None));
    put(&bench, "idle.calor", &profile);
    for question in ["--all", "--allocated", "--peak", "--leaks", "--temporary", "--growth", "--sizes"] {
        assert!(!bench.stdout(&["heap", "idle.calor", question]).is_empty(), "{question}");
    }
    let page = bench.stdout(&["heap", "idle.calor"]);
    assert!(page.contains("nothing was allocated while it was watched"), "{page}");
    assert_eq!(bench.json(&["heap", "idle.calor", "--format", "json"])["heap"]["allocated_bytes"], 0);
}

#[test]
fn a_report_of_some_threads_says_that_its_heap_is_of_all() {
    let bench = bench();
    put(&bench, "whole.calor", &of_all_threads());
    let page = bench.stdout(&["report", "whole.calor", "--thread", "main"]);
    assert!(page.contains("kept by call path and not by thread: these are of all threads"), "{page}");
    assert!(page.contains("9.22 GiB in 31,382,440 allocations"), "{page}");
}

#[test]
fn figures_of_the_heap_are_metrics_of_pictures_and_other_formats() {
    let bench = bench();
    let folded =
        bench.stdout(&["convert", "profile.calor", "--metric", "temporary", "--to", "folded", "-o", "-"]);
    assert!(folded.lines().any(|line| line.contains("log_line ")), "{folded}");
    for metric in ["allocated", "live", "peak", "temporary"] {
        let picture = bench.stdout(&["flame", "profile.calor", "--metric", metric]);
        assert!(picture.contains("<svg"), "{metric}");
    }
    bench.stdout(&["convert", "profile.calor", "heap.pb.gz"]);
    let (ours, theirs) = (
        bench.json(&["heap", "profile.calor", "--format", "json"]),
        bench.json(&["heap", "heap.pb.gz", "--format", "json"]),
    );
    for field in ["mode", "allocated_bytes", "allocated_count", "live_bytes", "live_count", "temporary_bytes"]
    {
        assert_eq!(ours["heap"][field], theirs["heap"][field], "{field}");
    }
    bench.stdout(&["convert", "after.calor", "after.json"]);
    let again = bench.json(&["heap", "after.json", "--format", "json"]);
    let before = bench.json(&["heap", "after.calor", "--format", "json"]);
    for field in ["mode", "allocated_bytes", "live_bytes", "live_count", "leaked_bytes", "sampling_bytes"] {
        assert_eq!(before["heap"][field], again["heap"][field], "{field}");
    }
}
