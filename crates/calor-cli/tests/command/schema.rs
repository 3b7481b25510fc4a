//! `calor schema`: the schemas describe what the commands really print.

use serde_json::{Value, json};

use super::schema_check::problems;
use super::workbench::Workbench;

#[test]
fn schemas_are_listed_and_found_by_every_spelling_of_their_name() {
    let bench = Workbench::new();
    let list = bench.stdout(&["schema"]);
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let schema = bench.json(&["schema", name]);
        assert_eq!(schema["properties"]["schema"]["const"], format!("calor/{name}"));
        let word = name.split('/').next().expect("there is a first part");
        assert_eq!(bench.json(&["schema", word]), schema);
        assert_eq!(bench.json(&["schema", &format!("calor/{name}")]), schema);
    }
    assert!(list.contains("report/1") && list.contains("doctor/1"), "{list}");
    let message = bench.failure(&["schema", "reprot"]);
    assert!(message.contains("unknown schema `reprot`: expected one of report/1, "), "{message}");
}

#[test]
fn every_json_output_is_as_its_schema_says() {
    let bench = Workbench::new();
    bench.stdout(&["convert", "profile.calor", "cpu.pb.gz"]);
    bench.put("samples.folded", b"main;work;inner 30\nmain;wait 12\n");
    bench.put("everything.calor", &everything());
    for (name, arguments) in [
        ("report/1", &["report", "profile.calor", "--format", "json"][..]),
        (
            "report/1",
            &["report", "profile.calor", "--format", "json", "--context", "decode", "--thread", "worker 1"],
        ),
        (
            "report/1",
            &["report", "profile.calor", "--format", "json", "--subtract-overhead", "--group", "function"],
        ),
        ("report/1", &["report", "cpu.pb.gz", "--format", "json"]),
        ("report/1", &["report", "samples.folded", "--format", "json"]),
        ("report/1", &["report", "everything.calor", "--format", "json"]),
        ("report/1", &["report", "everything.calor", "--format", "json", "--metric", "wall"]),
        (
            "report/1",
            &["report", "everything.calor", "--format", "json", "--metric", "off_cpu", "--top", "1"],
        ),
        ("report/1", &["convert", "profile.calor", "--to", "json"]),
        ("doctor/1", &["doctor", "--format", "json"]),
        ("machine/1", &["machine", "--format", "json"]),
        ("roofline/1", &["roofline", "profile.calor", "--format", "json"]),
        ("roofline/1", &["roofline", "everything.calor", "--format", "json", "--dtype", "f64"]),
    ] {
        let schema = bench.json(&["schema", name]);
        let found = problems(&schema, &bench.json(arguments));
        assert!(found.is_empty(), "{arguments:?}: {found:#?}");
    }
}

/// A profile with samples of every kind, a heap, counted work and an async scope.
fn everything() -> Vec<u8> {
    use calor_model::{
        Frame, FrameKind, HeapKey, HeapMode, HeapSite, HeapSummary, LabelTable, Profile, Run, SampleKey,
        SampleKind, SampleWeight, ScopeKey, ScopeMemory, ScopeStats, Warning,
    };
    let mut profile = Profile { runs: vec![Run::default()], ..Profile::default() };
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    let name = profile.strings.intern("work");
    let mut frame = Frame::new(name, FrameKind::Native);
    frame.file = Some(profile.strings.intern("work.rs"));
    frame.line = Some(7);
    let frame = profile.frames.intern(frame);
    let stack = profile.stacks.intern(None, frame);
    for kind in [SampleKind::Cpu, SampleKind::OffCpu, SampleKind::Wall] {
        let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 3, nanos: 3_000 });
    }
    let site = HeapSite { allocated_bytes: 64, allocated_count: 2, peak_bytes: 32, ..HeapSite::default() };
    profile.heap.add(HeapKey { stack, thread, labels }, &site);
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 32, Some(5)));
    let name = profile.strings.intern("poll");
    let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
    let stack = profile.stacks.intern(None, frame);
    let mut stats = ScopeStats { calls: 4, total_nanos: 400, ..ScopeStats::default() };
    stats.work.elements = 100;
    stats.work.flops = 1_000;
    stats.open_calls = 1;
    stats.memory = Some(ScopeMemory { allocated_bytes: 90, freed_bytes: 100, ..ScopeMemory::default() });
    stats.future.get_or_insert_default().wall.record(900);
    profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    profile.warn(Warning::counted("samples_lost", "some samples were lost", 2));
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("memory takes it");
    bytes
}

#[test]
fn what_breaks_the_promise_is_noticed() {
    let bench = Workbench::new();
    let schema = bench.json(&["schema", "report"]);
    let page = bench.json(&["report", "profile.calor", "--format", "json"]);
    let broken = |change: fn(&mut Value)| {
        let mut page = page.clone();
        change(&mut page);
        problems(&schema, &page)
    };
    assert!(broken(|_| {}).is_empty());
    for (change, expected) in [
        (as_change(|page| page["schema"] = json!("calor/report/2")), "$.schema: expected \"calor/report/1\""),
        (
            as_change(|page| page["hot_paths"][0]["self_ns"] = json!(1.5)),
            "$.hot_paths[0].self_ns: expected integer",
        ),
        (
            as_change(|page| page["hot_paths"][1]["kind"] = json!("rust")),
            "$.hot_paths[1].kind: expected one of",
        ),
        (as_change(|page| page["summary"]["threads"] = json!(-1)), "$.summary.threads: expected at least 0"),
        (as_change(|page| page["run"] = json!("none")), "$.run: fits none of the choices"),
        (as_change(|page| page["novelty"] = json!(1)), "$.novelty: not described"),
        (
            as_change(|page| drop(page.as_object_mut().and_then(|page| page.remove("threads")))),
            "$.threads: required but missing",
        ),
    ] {
        let found = broken(change);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{expected}: {found:?}");
    }
}

fn as_change(change: fn(&mut Value)) -> fn(&mut Value) {
    change
}
