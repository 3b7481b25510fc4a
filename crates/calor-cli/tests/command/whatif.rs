//! `calor whatif`: a run whose answer is known, its pages, its refusals, and that its JSON is as its schema says.

use calor_model::{FrameKind, Link, LinkKind, Profile, Span};

use super::schema_check::problems;
use super::workbench::Workbench;

/// A main thread that loads for 2 ms, starts two workers (`encode` 10 ms, `hash` 7 ms), joins both and writes for 1 ms.
fn profile() -> Profile {
    let mut profile = Profile::default();
    let [main, first, second] =
        [(1, "main"), (2, "encoder"), (3, "hasher")].map(|(tid, name)| profile.intern_thread(1, tid, name));
    let ms = 1_000_000;
    for (thread, path, start, duration) in [
        (main, &["program", "load"][..], 0, 2),
        (first, &["encode"], 2, 10),
        (second, &["hash"], 2, 7),
        (main, &["program", "write"], 12, 1),
        (main, &["program"], 0, 13),
    ] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        let span = Span { start_nanos: start * ms, duration_nanos: duration * ms, stack };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let link = |kind, from, from_at: u64, to, since: u64, to_at: u64| Link {
        kind,
        object: 0,
        from,
        from_nanos: from_at * ms,
        to,
        since_nanos: since * ms,
        to_nanos: to_at * ms,
        held_nanos: 0,
    };
    profile.timeline.links = vec![
        link(LinkKind::Spawn, main, 2, first, 2, 2),
        link(LinkKind::Spawn, main, 2, second, 2, 2),
        link(LinkKind::Join, first, 12, main, 2, 12),
        link(LinkKind::Join, second, 9, main, 12, 12),
    ];
    profile
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile(), &mut bytes).expect("a profile can be written");
    bench.put("workers.calor", &bytes);
    bench
}

#[test]
fn a_faster_scope_gives_what_the_run_hangs_on_and_no_more() {
    let bench = bench();
    let page = bench.stdout(&["whatif", "workers.calor", "--speedup", "encode=2x"]);
    for expected in [
        "13.0 ms on 3 threads",
        "If encode 2 x as fast",
        "1.30 x as fast",
        "10.0 ms instead of 13.0 ms",
        "1.30 x, however fast it gets",
        "join 10.0 ms (1)",
    ] {
        assert!(page.contains(expected), "{expected}:\n{page}");
    }
    let page = bench.stdout(&["whatif", "workers.calor", "--speedup", "hash=2x"]);
    assert!(page.contains("1.00 x as fast") && page.contains("13.0 ms instead of 13.0 ms"), "{page}");
    let off = page.split("Off the critical path").nth(1).expect("there is work off the path");
    assert!(off.contains("hash") && off.contains("3.00 ms"), "{page}");
}

#[test]
fn the_json_is_as_its_schema_says_with_and_without_a_timeline() {
    let bench = bench();
    bench.put("samples.folded", b"main;work;inner 30\nmain;wait 12\n");
    let schema = bench.json(&["schema", "whatif/1"]);
    for arguments in [
        &["whatif", "workers.calor", "--format", "json"][..],
        &["whatif", "workers.calor", "--format", "json", "--speedup", "encode=inf", "--top", "1"],
        &["whatif", "profile.calor", "--format", "json"],
        &["whatif", "samples.folded", "--format", "json", "--speedup", "work=2x"],
    ] {
        let found = problems(&schema, &bench.json(arguments));
        assert!(found.is_empty(), "{arguments:?}: {found:#?}");
    }
    let told = bench.json(&["whatif", "workers.calor", "--format", "json"]);
    assert_eq!((&told["method"], &told["path"]["basis"]), (&"critical_path".into(), &"told".into()));
    assert_eq!((&told["whole_ns"], &told["path"]["path_ns"]), (&13_000_000.into(), &13_000_000.into()));
    let scope = |name: &str| {
        let scopes = told["scopes"].as_array().expect("scopes are a list");
        scopes.iter().find(|scope| scope["name"] == name).expect("it is among them").clone()
    };
    assert_eq!(
        (&scope("encode")["path_ns"], &scope("hash")["slack_ns"]),
        (&10_000_000.into(), &3_000_000.into())
    );
    assert_eq!(scope("hash")["overall"], 1.0);
}

#[test]
fn without_a_timeline_the_answer_is_a_share_and_says_so() {
    let bench = bench();
    bench.put("samples.folded", b"main;work;inner 30\nmain;wait 10\n");
    let page = bench.stdout(&["whatif", "samples.folded", "--speedup", "inner=2x"]);
    assert!(
        page.contains("Amdahl") && page.contains("1.60 x as fast") && page.contains("4 x, however"),
        "{page}"
    );
}

#[test]
fn a_page_for_a_forge_has_tables() {
    let bench = bench();
    bench.stdout(&["whatif", "workers.calor", "-o", "page.md"]);
    let page = String::from_utf8(bench.get("page.md")).expect("a page is UTF-8");
    assert!(page.contains("| encode |") || page.contains("`encode`"), "{page}");
}

#[test]
fn what_cannot_be_asked_is_answered_with_what_can() {
    let bench = bench();
    for (arguments, expected) in [
        (
            &["whatif", "workers.calor", "--speedup", "attention=2x"][..],
            "found `attention`; the longest there are: encode, program",
        ),
        (&["whatif", "workers.calor", "--speedup", "encode"], "such as attention=2x"),
        (&["whatif", "workers.calor", "--speedup", "encode=0"], "such as 2x, 1.5x or inf"),
        (&["whatif", "nothing.calor"], "no such file"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
}
