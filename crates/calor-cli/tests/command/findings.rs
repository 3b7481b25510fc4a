//! `calor findings`: what is told of a profile that was made by hand, and what users may change about it.

use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight};

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// A second of a program that copies for four tenths of it.
pub(super) fn copies() -> Vec<u8> {
    let mut profile =
        Profile { runs: vec![Run { duration_nanos: 1_000_000_000, ..Run::default() }], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let [main, load, copy, libc, app, file] =
        ["app::main", "app::load", "__memmove_avx_unaligned_erms", "libc.so.6", "app", "src/load.rs"]
            .map(|text| profile.strings.intern(text));
    let own = |name, line| Frame {
        module: Some(app),
        file: Some(file),
        line: Some(line),
        ..Frame::new(name, FrameKind::Native)
    };
    let frames =
        [own(main, 3), own(load, 7), Frame { module: Some(libc), ..Frame::new(copy, FrameKind::Native) }];
    let frames = frames.map(|frame| profile.frames.intern(frame));
    for (depth, count) in [(2, 600), (3, 400)] {
        let stack = profile.stacks.intern_path(frames[..depth].iter().copied()).expect("a path has a frame");
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("memory takes it");
    bytes
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.put("copies.calor", &copies());
    bench
}

const RULE: &str = r#"
[[rule]]
id = "OWN-HOT-LOAD"
for_each = "function"
when = "ends_with(name, 'load') && share > least"
title = "{name} takes {share:%}"
why = "It loads."
fix = "Load less."
params = { least = 0.3 }
gain = { local_low = 1.5, local_high = 3, reason = "if it loads less" }
suppresses = ["CPU-MEMORY-COPIES"]
"#;

#[test]
fn a_finding_is_told_with_its_line_gain_and_fix() {
    let bench = bench();
    let page = bench.stdout(&["findings", "copies.calor"]);
    for part in [
        "`app::load` spends 40 % of the program's time copying memory",
        "at src/load.rs:7 in app::load",
        "faster, the whole program, if 40 % to all of these copies can go",
        "see `calor findings --explain CPU-MEMORY-COPIES`",
        "calor record --heap -- PROGRAM",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let page = bench.stdout(&["findings", "--explain", "cpu-memory-copies"]);
    assert!(page.starts_with("# CPU-MEMORY-COPIES\n") && page.contains("## Not found"), "{page}");
    bench.stdout(&["findings", "copies.calor", "-o", "page.md"]);
    assert!(text(&bench.get("page.md")).contains("| 1 | "));
    bench.stdout(&["findings", "copies.calor", "-o", "page.html"]);
    let page = text(&bench.get("page.html"));
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"finding-1\" open"), "{page}");
}

#[test]
fn json_is_as_its_schema_says() {
    let bench = bench();
    let schema = bench.json(&["schema", "findings"]);
    for file in ["copies.calor", "profile.calor"] {
        let page = bench.json(&["findings", file, "--format", "json", "--all"]);
        let found = problems(&schema, &page);
        assert!(found.is_empty(), "{file}: {found:#?}");
    }
    let page = bench.json(&["findings", "copies.calor", "--format", "json", "--rule", "CPU-MEMORY-COPIES"]);
    let finding = &page["findings"][0];
    assert_eq!((&finding["where"]["file"], &finding["where"]["line"]), (&"src/load.rs".into(), &7.into()));
    let (low, high) = (finding["gain"]["low"].as_f64(), finding["gain"]["high"].as_f64());
    assert!(low > Some(1.1) && high < Some(2.0) && low < high, "{finding}");
}

#[test]
fn a_suppressed_finding_is_counted_with_its_reason_and_no_failure() {
    let bench = bench();
    let fails = |more: &[&str]| {
        let arguments = [&["findings", "copies.calor", "--rule", "CPU-MEMORY-COPIES"], more].concat();
        bench.run(&arguments).status.code()
    };
    assert_eq!((fails(&["--fail-on", "medium"]), fails(&["--fail-on", "critical"])), (Some(1), Some(0)));
    assert_eq!(fails(&["--fail-on", "low", "--suppress", "CPU-MEMORY-COPIES=known"]), Some(0));
    bench.put("calor.toml", b"[findings.suppress]\nCPU-MEMORY-COPIES = 'copied once'\n");
    assert_eq!(fails(&["--fail-on", "low"]), Some(0));
    let page = bench.stdout(&["findings", "copies.calor"]);
    assert!(page.contains("CPU-MEMORY-COPIES in app::load is suppressed: copied once"), "{page}");
}

#[test]
fn broken_settings_are_told_by_a_report_and_refused_where_they_say_what_is_asked_for() {
    let bench = bench();
    bench.put("calor.toml", b"[findings]\nsupress = 1\n");
    let output = bench.run(&["report", "copies.calor"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && text(&output.stdout).contains("app::load"), "{said}");
    assert_eq!((said.matches("warning: ").count(), said.matches("calor.toml").count()), (1, 1), "{said}");
    assert!(said.contains("\n2 | supress = 1\n"), "{said}");
    assert!(bench.failure(&["findings", "copies.calor"]).contains("calor.toml"));
}

#[test]
fn a_dismissed_finding_is_remembered_and_told_again_when_asked_for() {
    let bench = bench();
    let first = |more: &[&str]| {
        let page = bench.json(&[&["findings", "copies.calor", "--format", "json"], more].concat());
        let rules = page["findings"].as_array().expect("a list").iter();
        let n_copies = rules.filter(|one| one["rule"] == "CPU-MEMORY-COPIES").count();
        (n_copies, page["suppressed"].clone())
    };
    assert_eq!(first(&[]).0, 1);
    let (n_copies, suppressed) = first(&["--dismiss", "cpu-memory-copies", "--reason", "copied once"]);
    assert_eq!((n_copies, &suppressed[0]["by"]), (0, &"user".into()));
    let reason = suppressed[0]["reason"].as_str().expect("a text");
    assert!(reason.starts_with("dismissed on 20") && reason.ends_with(": copied once"), "{reason}");
    // The next look, a report and a verification know of it.
    assert_eq!(first(&[]).0, 0);
    assert!(!bench.stdout(&["report", "copies.calor"]).contains("copying memory"));
    let message = bench.failure(&["verify", "copies.calor", "true", "true"]);
    assert!(message.contains("there are no findings"), "{message}");
    bench.stdout(&["findings", "--undismiss", "CPU-MEMORY-COPIES@app::load"]);
    assert_eq!(first(&[]).0, 1);
    for (arguments, expected) in [
        (&["findings", "--undismiss", "CPU-MEMORY-COPIES"][..], "nothing of CPU-MEMORY-COPIES was dismissed"),
        (&["findings", "--undismiss", "2"], "expected RULE or RULE@FUNCTION"),
        (&["findings", "copies.calor", "--dismiss", "9", "--reason", "x"], "the number of a finding, 1 to"),
        (&["findings", "copies.calor", "--dismiss", "1", "--reason", " "], "expected a reason"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn rules_of_users_are_asked_and_may_be_causes_of_others() {
    let bench = bench();
    bench.put("own.toml", RULE.as_bytes());
    let page = bench.json(&["findings", "copies.calor", "--rules", "own.toml", "--format", "json"]);
    assert_eq!(page["findings"][0]["title"], "app::load takes 60 %");
    let suppressed = page["suppressed"].as_array().expect("a list");
    assert!(
        suppressed.iter().any(|one| one["rule"] == "CPU-MEMORY-COPIES" && one["by"] == "OWN-HOT-LOAD"),
        "{suppressed:?}"
    );
    bench.put("calor.toml", b"[findings]\nrules = ['own.toml']\n");
    assert!(bench.stdout(&["findings", "--list"]).contains("OWN-HOT-LOAD"));
    bench.put("own.toml", RULE.replace("share > least", "shar > least").as_bytes());
    let message = bench.failure(&["findings", "copies.calor"]);
    for part in ["own.toml", "`OWN-HOT-LOAD`, `when`, column 28", "did you mean `share`?"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_report_asks_the_rules_of_the_project_too() {
    let bench = bench();
    bench.put("own.toml", RULE.as_bytes());
    assert!(!bench.stdout(&["report", "copies.calor"]).contains("app::load takes 60 %"));
    bench.put("calor.toml", b"[findings]\nrules = ['own.toml']\n");
    for format in ["text", "md", "html"] {
        let page = bench.stdout(&["report", "copies.calor", "--format", format]);
        assert!(page.contains("app::load takes 60 %"), "{format}: {page}");
        assert!(!page.contains("copying memory"), "{format}: it is a symptom of that");
    }
    bench.put("own.toml", b"[[rule]]\nid = 'OWN'\n");
    let output = bench.run(&["report", "copies.calor"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && text(&output.stdout).contains("copying memory"), "{said}");
    assert!(
        said.contains("warning: rules of your own are not asked: ") && said.contains("own.toml"),
        "{said}"
    );
}

#[test]
fn a_file_like_settings_that_nobody_reads_is_named_once() {
    let bench = bench();
    bench.put("calor.toml", b"[store]\npath = '.calor'\n");
    std::fs::create_dir(bench.path(".calor")).expect("a folder can be made");
    bench.put(".calor/config.json", b"{}");
    let said = text(&bench.run(&["findings", "copies.calor"]).stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(said.matches("config.json: settings are in calor.toml").count(), 1, "{said}");
    assert!(!text(&bench.run(&["schema", "findings"]).stderr).contains("config.json"), "it asks for none");
}

#[test]
fn what_is_misspelt_is_told() {
    let bench = bench();
    for (arguments, expected) in [
        (&["findings", "copies.calor", "--rule", "CPU-MEMORY-COPYS"][..], "did you mean CPU-MEMORY-COPIES?"),
        (
            &["findings", "copies.calor", "--suppress", "CPU-MEMORI-COPIES=x"],
            "did you mean CPU-MEMORY-COPIES?",
        ),
        (&["findings", "copies.calor", "--rules", "none.toml"], "cannot read the rules"),
        (&["findings", "none.calor"], "no such file"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
    let message = text(&bench.run(&["findings", "copies.calor", "--suppress", "CPU-MEMORY-COPIES"]).stderr);
    assert!(message.contains("the reason"), "{message}");
}
