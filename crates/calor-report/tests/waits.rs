//! Where threads wait, in every format, and reports of one metric alone.

use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};
use calor_report::{Metric, Options, ReportFormat, render};
use serde_json::Value;

/// A thread and its number, what was seen of it, where, how often and how long.
type Seen = (&'static str, u64, SampleKind, &'static [&'static str], u64, u64);

/// Two threads that run, wait for a lock they share, sleep and read.
fn profile() -> Profile {
    let mut profile = Profile::default();
    let rows: [Seen; 5] = [
        ("main", 7, SampleKind::Cpu, &["app::run"], 90, 90_000_000),
        ("worker", 8, SampleKind::Cpu, &["app::run", "app::hold"], 10, 10_000_000),
        (
            "main",
            7,
            SampleKind::OffCpu,
            &["app::run", "app::hold", "pthread_mutex_lock", "[kernel]"],
            2,
            400_000_000,
        ),
        (
            "worker",
            8,
            SampleKind::OffCpu,
            &["app::run", "app::hold", "pthread_mutex_lock", "[kernel]"],
            1,
            500_000_000,
        ),
        (
            "main",
            7,
            SampleKind::OffCpu,
            &["app::run", "app::load", "__GI___libc_read", "[kernel]"],
            4,
            100_000_000,
        ),
    ];
    for (thread, tid, kind, path, count, nanos) in rows {
        let thread = profile.intern_thread(7, tid, thread);
        let mut stack = None;
        for name in path {
            let frame_kind = if *name == "[kernel]" { FrameKind::Kernel } else { FrameKind::Native };
            let is_library = name.starts_with("pthread") || name.starts_with("__GI");
            let module = is_library.then(|| profile.strings.intern("/usr/lib/libc.so.6"));
            let name = profile.strings.intern(name);
            let frame = profile.frames.intern(Frame { module, ..Frame::new(name, frame_kind) });
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let stack = stack.expect("a path has a frame");
        let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos });
    }
    profile
}

fn page(profile: &Profile, format: ReportFormat, metric: Option<Metric>) -> String {
    let mut page = Vec::new();
    let options = Options { format, metric, width: 120, ..Options::default() };
    render(profile, &options, &mut page).expect("the report can be made");
    String::from_utf8(page).expect("a report is UTF-8")
}

fn json(metric: Option<Metric>) -> Value {
    serde_json::from_str(&page(&profile(), ReportFormat::Json, metric)).expect("the page is JSON")
}

#[test]
fn waiting_is_told_by_function_reason_and_thread_on_every_page() {
    for (format, lock, read) in [
        (ReportFormat::Text, "lock: pthread_mutex_lock  2 threads", "io: read                  main (7)"),
        (ReportFormat::Markdown, "| lock: pthread\\_mutex\\_lock | 2 threads |", "| io: read | main (7) |"),
        (
            ReportFormat::Html,
            "<td class=\"words\">lock: pthread_mutex_lock</td><td class=\"words\">2 threads</td>",
            "<td class=\"words\">io: read</td><td class=\"words\">main (7)</td>",
        ),
    ] {
        let page = page(&profile(), format, None);
        assert!(page.contains("Where threads wait"), "{page}");
        assert!(page.contains(lock) && page.contains(read), "{page}");
    }
    let mut running = profile();
    running.samples = running.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu).fold(
        calor_model::SampleTable::default(),
        |mut table, (key, weight)| {
            table.add(key, weight);
            table
        },
    );
    assert!(!page(&running, ReportFormat::Text, None).contains("Where threads wait"));
}

#[test]
fn json_has_blocked_time_by_stack_with_reason_call_and_the_only_thread() {
    let page = json(None);
    let [lock, read] = &page["off_cpu"].as_array().expect("a list")[..] else { panic!("two paths") };
    assert_eq!(
        (&lock["name"], &lock["reason"], &lock["call"], &lock["tid"], &lock["threads"]),
        (&"app::hold".into(), &"lock".into(), &"pthread_mutex_lock".into(), &Value::Null, &2.into())
    );
    assert_eq!((&lock["blocked_ns"], &lock["count"]), (&900_000_000.into(), &3.into()));
    assert_eq!(
        (&read["reason"], &read["tid"], &read["path"][3]),
        (&"io".into(), &7.into(), &"[kernel]".into())
    );
    let summary = &page["summary"];
    assert_eq!(
        (&summary["samples"], &summary["waits"], &summary["blocked_ns"], &summary["samples_lost"]),
        (&100.into(), &7.into(), &1_000_000_000.into(), &0.into())
    );
    let thread = &page["threads"][0];
    assert_eq!((&thread["cpu_ns"], &thread["blocked_ns"]), (&90_000_000.into(), &500_000_000.into()));
}

#[test]
fn wall_time_is_running_and_waiting_in_one_list() {
    let page = json(Some(Metric::Wall));
    assert_eq!(page["selection"]["metric"], "wall");
    let total: u64 = page["hot_paths"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["self_ns"].as_u64().unwrap())
        .sum();
    assert_eq!(total, 1_100_000_000);
    assert!(page["hot_paths"][0].get("share_interval").is_none(), "waiting was not counted in samples");
    let text = self::page(&profile(), ReportFormat::Text, Some(Metric::Wall));
    assert!(text.contains("Hot paths by wall time") && text.contains("By wall time."), "{text}");
}

#[test]
fn one_metric_is_reported_alone() {
    let cpu = json(Some(Metric::Cpu));
    assert!(cpu.get("off_cpu").is_none());
    assert_eq!(cpu["hot_paths"].as_array().map(Vec::len), Some(2));
    assert!(cpu["hot_paths"][0]["share_interval"][0].as_f64().unwrap() < 0.9);
    let waited = json(Some(Metric::OffCpu));
    assert_eq!(
        (waited["hot_paths"].as_array().map(Vec::len), waited["off_cpu"].as_array().map(Vec::len)),
        (Some(0), Some(2))
    );
    let text = page(&profile(), ReportFormat::Text, Some(Metric::OffCpu));
    assert!(text.contains("By time waited.") && !text.contains("Hot paths"), "{text}");
}

#[test]
fn a_metric_without_a_list_or_without_samples_is_refused_by_name() {
    let refused = |metric| {
        let options = Options { metric: Some(metric), ..Options::default() };
        render(&profile(), &options, &mut Vec::new()).expect_err("it is refused").to_string()
    };
    assert!(refused(Metric::Allocated).contains("calor flame --metric allocated"));
    assert_eq!(refused(Metric::Scopes), "the profile has no scopes: it holds cpu, wall, off_cpu");
}

#[test]
fn many_threads_of_one_name_share_a_line() {
    let mut profile = Profile::default();
    let stack = profile.intern_named_path(&["main"], FrameKind::Native).expect("a path has a frame");
    for tid in 1..=20 {
        let thread = profile.intern_thread(tid as u32, tid, if tid == 1 { "sh" } else { "sed" });
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000_000 });
    }
    let text = page(&profile, ReportFormat::Text, None);
    assert!(text.contains("sed ×19") && text.contains("sh (1)"), "{text}");
    assert!(text.contains("Threads of one name are added up."), "{text}");
}
