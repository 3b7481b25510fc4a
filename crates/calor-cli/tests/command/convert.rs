//! `calor convert`.

use calor_formats::Format;
use calor_model::{Frame, FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, Span, Warning};
use calor_workloads::Random;

use super::workbench::{Workbench, text};

/// The sum of the weights of folded lines, and how many lines there are.
fn folded(lines: &str) -> (u64, usize) {
    let weight = |line: &str| line.rsplit_once(' ').and_then(|(_, weight)| weight.parse::<u64>().ok());
    let weights = lines.lines().map(|line| weight(line).unwrap_or_else(|| panic!("no weight in {line:?}")));
    (weights.sum(), lines.lines().count())
}

#[test]
fn the_demos_profile_keeps_its_weights_through_every_format() {
    let bench = Workbench::new();
    let expected = folded(&bench.stdout(&["convert", "profile.calor", "--to", "folded"]));
    assert!(expected.0 > 0 && expected.1 > 10);
    let report = bench.json(&["report", "profile.calor", "--format", "json"]);
    let n_calls = report["summary"]["scopes"].as_u64().expect("scopes were recorded");
    let writable = Format::ALL.into_iter().filter(|format| format.can_write() || *format == Format::Json);
    for format in writable {
        let name = format!("out.{}", format.endings()[0]);
        let output = bench.run(&["convert", "profile.calor", &name]);
        assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stderr));
        if format.can_read() {
            assert_eq!(Format::detect(&bench.get(&name)), Some(format));
            let again = folded(&bench.stdout(&["convert", &name, "--to", "folded", "-o", "-"]));
            // Formats that tell when each call began and ended round each of them.
            let is_of_calls = matches!(format, Format::Speedscope | Format::Chrome | Format::Firefox);
            let room = if is_of_calls { n_calls } else { 0 };
            assert!(again.0.abs_diff(expected.0) <= room, "{format}: {again:?}, not {expected:?}");
            assert_eq!(again.1, expected.1, "{format}");
            // Every reading command takes every format.
            assert!(bench.stdout(&["report", &name]).contains("qkv"), "{format}");
            assert!(bench.stdout(&["flame", &name]).contains("qkv"), "{format}");
        }
    }
}

#[test]
fn a_format_is_found_by_its_name_and_written_to_standard_output() {
    let bench = Workbench::new();
    for (word, expected) in [
        ("folded", "model;decode;"),
        ("csv", "path,name,kind,"),
        ("speedscope", "speedscope"),
        ("chrome", "traceEvents"),
        ("json", "\"calor/report/1\""),
        ("collapsed", "model;decode;"),
    ] {
        for arguments in [&["--to", word][..], &["--to", word, "-o", "-"][..]] {
            let page = bench.stdout(&[&["convert", "profile.calor"][..], arguments].concat());
            assert!(page.contains(expected), "{word}: {page}");
        }
    }
    assert_eq!(bench.names(), ["profile.calor"]);
}

#[test]
fn converting_to_json_is_the_report_as_json() {
    let bench = Workbench::new();
    let report = bench.stdout(&["report", "profile.calor", "--format", "json"]);
    assert_eq!(bench.stdout(&["convert", "profile.calor", "--to", "json"]), report);
}

/// Scopes nested at random, each with more time than what it calls.
fn random_profile(random: &mut Random) -> Profile {
    let mut profile = Profile::default();
    for thread in 0..=random.below(2) {
        let thread = profile.intern_thread(1, u64::from(thread) + 1, &format!("worker {thread}"));
        for root in 0..=random.below(3) {
            let mut time = u64::from(random.below(1_000_000));
            let mut stack = None;
            for level in 0..=random.below(6) {
                let name = profile.strings.intern(&format!("scope {root} {level}"));
                let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
                let inner = profile.stacks.intern(stack, frame);
                let stats = ScopeStats { calls: 1, total_nanos: time, ..ScopeStats::default() };
                profile.scopes.add(ScopeKey { stack: inner, thread, labels: LabelTable::none() }, stats);
                stack = Some(inner);
                time -= u64::from(random.below(time as u32 + 1));
            }
        }
    }
    profile
}

#[test]
fn folded_weights_add_up_to_the_recorded_time_of_the_report() {
    let bench = Workbench::new();
    let mut names = vec!["profile.calor".to_owned()];
    let random = &mut Random::new(7);
    for number in 0..24 {
        let mut bytes = Vec::new();
        calor_formats::native::write(&random_profile(random), &mut bytes).expect("memory takes it");
        let name = format!("random-{number}.calor");
        bench.put(&name, &bytes);
        names.push(name);
    }
    for name in names {
        let report = bench.json(&["report", &name, "--format", "json"]);
        let (sum, _) = folded(&bench.stdout(&["convert", &name, "--to", "folded", "--metric", "scopes"]));
        assert_eq!(report["summary"]["recorded_ns"], sum, "{name}");
    }
}

#[test]
fn a_report_that_carries_its_profile_is_converted() {
    let bench = Workbench::new();
    let direct = bench.stdout(&["convert", "profile.calor", "--to", "folded"]);
    for name in ["report.html", "report.md"] {
        bench.stdout(&["report", "profile.calor", "-o", name]);
        assert_eq!(bench.stdout(&["convert", name, "--to", "folded"]), direct, "{name}");
    }
}

/// A profile of 100 ns in `run`, of which a span tells 40, and a warning that says why.
fn half_seen() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["run"], FrameKind::Scope).expect("a path of one");
    let key = ScopeKey { stack, thread, labels: LabelTable::none() };
    profile.scopes.add(key, ScopeStats { calls: 3, total_nanos: 100, ..ScopeStats::default() });
    profile.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos: 40, stack });
    profile.warn(Warning::counted("spans_overwritten", "older scopes are not on the timeline", 2));
    profile
}

#[test]
fn a_result_with_a_timeline_is_told_with_what_is_missing_from_it_and_others_are_not() {
    let bench = Workbench::new();
    let mut bytes = Vec::new();
    calor_formats::native::write(&half_seen(), &mut bytes).expect("memory takes it");
    bench.put("half.calor", &bytes);
    for format in ["chrome", "speedscope", "firefox"] {
        let said = text(&bench.run(&["convert", "half.calor", "--to", format]).stderr);
        assert!(
            said.contains("warning: spans_overwritten (2 times), see `calor report`\n"),
            "{format}: {said}"
        );
        assert!(
            said.contains("warning: 60.0 % of the time in scopes, 60 ns of 100 ns, has no span"),
            "{said}"
        );
    }
    for format in ["folded", "pprof", "csv", "calor", "json"] {
        let said = text(&bench.run(&["convert", "half.calor", "--to", format]).stderr);
        assert_eq!(said, "", "{format}");
    }
    let said = text(&bench.run(&["convert", "profile.calor", "--to", "chrome"]).stderr);
    assert!(!said.contains("has no span"), "{said}");
}

#[test]
fn a_file_of_folded_stacks_comes_with_the_unit_that_it_cannot_carry() {
    let bench = Workbench::new();
    let said = text(&bench.run(&["convert", "profile.calor", "out.folded"]).stderr);
    assert!(said.contains("note: folded stacks carry no unit: these are nanoseconds of scopes"), "{said}");
    // In a pipe they are not read again.
    assert_eq!(text(&bench.run(&["convert", "profile.calor", "--to", "folded"]).stderr), "");
}

#[test]
fn a_file_comes_with_one_line_of_what_its_format_cannot_hold() {
    let bench = Workbench::new();
    for (name, expected) in [
        ("out.pb.gz", "note: pprof holds no timeline, percentiles, work of scopes or host: left out\n"),
        ("out.json", "note: json holds no timeline, threads of each path or labels: left out\n"),
        ("out.csv", "note: csv holds no timeline, threads, labels or host: left out\n"),
        ("out.speedscope.json", "note: speedscope holds no labels, work of scopes or host: left out\n"),
        ("out.trace.json", "note: chrome holds no labels, work of scopes or host: left out\n"),
    ] {
        let said = text(&bench.run(&["convert", "profile.calor", name]).stderr);
        assert!(said.contains(expected), "{name}: {said}");
        let again = bench.run(&["--quiet", "convert", "profile.calor", name]);
        assert_eq!(text(&again.stderr), "");
    }
    let said = text(&bench.run(&["convert", "profile.calor", "out.calor"]).stderr);
    assert_eq!(said, "wrote out.calor\n");
}

#[test]
fn calls_and_times_are_the_same_through_every_format_that_holds_them() {
    let bench = Workbench::new();
    let figures = |name: &str| {
        let report = bench.json(&["report", name, "--format", "json"]);
        (report["summary"]["scopes"].clone(), report["summary"]["recorded_ns"].clone())
    };
    let expected = figures("profile.calor");
    let mut from = "profile.calor".to_owned();
    for name in ["a.pb.gz", "b.speedscope.json", "c.json", "d.speedscope.json", "e.trace.json", "f.calor"] {
        assert!(bench.run(&["convert", &from, name]).status.success());
        assert_eq!(figures(name), expected, "{from} to {name}");
        name.clone_into(&mut from);
    }
}

#[test]
fn calls_that_a_file_does_not_tell_are_not_shown_as_none() {
    let bench = Workbench::new();
    let document = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"calor 0.1.0 scopes",
        "shared":{"frames":[{"name":"run"}]},"profiles":[{"type":"sampled","name":"t","unit":"nanoseconds",
        "startValue":0,"endValue":5,"samples":[[0]],"weights":[5]}]}"#;
    bench.put("old.speedscope.json", document.as_bytes());
    let report = bench.json(&["report", "old.speedscope.json", "--format", "json"]);
    assert!(report["summary"]["scopes"].is_null() && report["hot_paths"][0]["calls"].is_null(), "{report}");
    assert_eq!(report["hot_paths"][0]["total_ns"], 5);
    assert!(bench.stdout(&["report", "old.speedscope.json"]).contains("calls not known, on 1 path"));
    // It stays so on the way.
    for name in ["a.trace.json", "b.json", "c.calor"] {
        assert!(bench.run(&["convert", "old.speedscope.json", name]).status.success());
        let report = bench.json(&["report", name, "--format", "json"]);
        assert!(
            report["summary"]["scopes"].is_null() && report["hot_paths"][0]["calls"].is_null(),
            "{name}: {report}"
        );
        assert_eq!(report["hot_paths"][0]["total_ns"], 5, "{name}");
    }
}

#[test]
fn a_metric_that_changes_nothing_is_told() {
    let bench = Workbench::new();
    let output = bench.run(&["convert", "profile.calor", "out.csv", "--metric", "scopes"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && said.starts_with("note: csv holds all there is"), "{said}");
}

#[test]
fn what_cannot_be_converted_is_refused_with_what_can() {
    let bench = Workbench::new();
    for (options, expected) in [
        (&[][..], "no format to write: name one with --to"),
        (&["-o", "-"][..], "no format to write: name one with --to"),
        (&["notes.xyz"][..], "notes.xyz: the ending names no format"),
        (&["out.html"][..], "`calor report IN -o OUT.html` writes one"),
        (&["out.md"][..], "`calor report IN -o OUT.md` writes one"),
        (&["--to", "markdown"][..], "`calor report IN -o OUT.md` writes one"),
        (&["--to", "html", "-o", "x"][..], "`calor report IN -o OUT.html` writes one"),
        (&["out.svg"][..], "`calor flame IN -o OUT.svg` writes one"),
        (&["out.perf"][..], "perf-script can be read but not written"),
        (&["--to", "perf-script"][..], "possible values: calor, pprof, folded"),
        (&["--to", "foldd"][..], "a similar value exists: 'folded'"),
        (&["--to", "folded", "--metric", "peak"][..], "the profile has no peak: it holds scopes"),
        (&["--to", "json", "--metric", "gpu"][..], "the profile has no gpu: it holds scopes"),
        (&["out.csv", "-o", "other.csv"][..], "cannot be used with"),
        (&["--list"][..], "cannot be used with"),
    ] {
        let message = bench.failure(&[&["convert", "profile.calor"][..], options].concat());
        assert!(message.contains(expected), "{message}");
    }
    assert!(bench.failure(&["convert"]).contains("<IN>"));
    assert_eq!(bench.names(), ["profile.calor"]);
}

#[test]
fn the_list_shows_every_format_and_fits_80_columns() {
    let list = Workbench::new().stdout(&["convert", "--list"]);
    for format in Format::ALL {
        let row = list.lines().find(|line| line.split_whitespace().next() == Some(format.word()));
        let row = row.unwrap_or_else(|| panic!("{format} is missing: {list}"));
        let reads = row.split_whitespace().nth(1) == Some("yes");
        assert_eq!(reads, format.can_read(), "{row}");
        assert!(format.endings().iter().all(|ending| row.contains(&format!(".{ending}"))), "{row}");
    }
    for report in ["html", "md"] {
        let row =
            list.lines().find(|line| line.starts_with(&format!("{report} "))).expect("reports are read too");
        assert!(row.contains(" yes ") && row.contains("calor report -o"), "{row}");
    }
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
}
