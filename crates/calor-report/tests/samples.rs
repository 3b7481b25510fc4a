//! What samples found, on pages: functions first, paths with recursion folded, a hierarchy whose lines are named by their
//! own frames, and counts that agree with each other.

use calor_model::{
    Cost, Frame, FrameKind, LabelTable, Profile, Recorder, Run, SampleKey, SampleKind, SampleWeight,
};
use calor_report::{
    AnnotationOptions, Grouping, Metric, Options, Order, ReportFormat, annotation_text, render,
};
use serde_json::Value;

type Path = &'static [&'static str];

/// A function that calls itself, and one with two callers.
const RECURSIVE: [(Path, u64); 6] = [
    (&["_start", "main", "fib", "fib"], 3),
    (&["_start", "main", "fib", "fib", "fib", "fib"], 4),
    (&["_start", "main", "fib", "fib", "fib", "fib", "add"], 1),
    (&["_start", "main", "load", "parse"], 20),
    (&["_start", "main", "store", "parse"], 10),
    (&["_start", "main", "store"], 2),
];

fn add(profile: &mut Profile, (pid, tid): (u32, u64), kind: SampleKind, path: &[&str], count: u64) {
    let thread = profile.intern_thread(pid, tid, "app");
    let names = path.iter().map(|name| (profile.strings.intern(name), *name == "[kernel]"));
    let frames: Vec<Frame> = names
        .map(|(name, is_kernel)| {
            Frame::new(name, if is_kernel { FrameKind::Kernel } else { FrameKind::Native })
        })
        .collect();
    let frames: Vec<_> = frames.into_iter().map(|frame| profile.frames.intern(frame)).collect();
    let stack = profile.stacks.intern_path(frames).expect("a path has a frame");
    let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
    profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
}

fn sampled(kind: SampleKind, rows: &[(Path, u64)]) -> Profile {
    let mut profile = Profile::default();
    rows.iter().for_each(|(path, count)| add(&mut profile, (7, 7), kind, path, *count));
    profile
}

fn page(profile: &Profile, format: ReportFormat, metric: Option<Metric>) -> String {
    let mut page = Vec::new();
    let options = Options { format, metric, width: 120, ..Options::default() };
    render(profile, &options, &mut page).expect("the report can be made");
    String::from_utf8(page).expect("a report is UTF-8")
}

/// The lines of a section of a text page, without the spaces around them.
fn section<'t>(text: &'t str, title: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| !line.is_empty()).map(str::trim).collect()
}

/// The lines of a section as what a row is about: the columns of numbers have none of these letters.
fn names<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().filter_map(|line| line.rsplit("  ").next()).collect()
}

#[test]
fn functions_go_before_paths_and_add_up_all_their_callers() {
    let profile = sampled(SampleKind::Cpu, &RECURSIVE);
    let text = page(&profile, ReportFormat::Text, None);
    let functions = section(&text, "Functions by CPU samples");
    assert!(functions[0].starts_with("4 functions by self time, all callers together: 100.0 % of 40.0 ms."));
    let starts = |name: &str, start: &str| {
        functions.iter().any(|line| line.starts_with(start) && line.ends_with(name))
    };
    assert!(starts("  parse", "30.0 ms  30.0 ms        75.0 %"), "{text}");
    assert!(starts("  fib", "8.00 ms  7.00 ms        17.5 %"), "{text}");
    for format in [ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Html] {
        let page = page(&profile, format, None);
        let at = |title: &str| page.find(title).unwrap_or_else(|| panic!("no {title} in {page}"));
        assert!(at("Functions by CPU samples") < at("Hot paths by CPU samples"));
    }
}

#[test]
fn functions_that_are_on_one_path_each_are_listed_once() {
    let profile = sampled(SampleKind::Cpu, &[(&["main", "load"], 2), (&["main", "store"], 1)]);
    let text = page(&profile, ReportFormat::Text, None);
    assert!(text.contains("Hot paths by CPU samples") && !text.contains("Functions by"), "{text}");
}

#[test]
fn recursion_is_one_hot_path_on_a_page_and_every_path_in_json() {
    let profile = sampled(SampleKind::Cpu, &RECURSIVE);
    let text = page(&profile, ReportFormat::Text, None);
    let paths = section(&text, "Hot paths by CPU samples");
    assert!(paths[0].starts_with("5 paths by self time: 100.0 %"), "{text}");
    let expected = [
        "_start › main › load › parse",
        "_start › main › store › parse",
        "_start › main › fib (recursive)",
        "_start › main › store",
        "_start › main › fib ×4 › add",
    ];
    assert_eq!(names(&paths[2..]), expected, "{text}");
    let json: Value = serde_json::from_str(&page(&profile, ReportFormat::Json, None)).expect("it is JSON");
    assert_eq!(json["hot_paths"].as_array().map(Vec::len), Some(6));
}

#[test]
fn lines_of_the_hierarchy_are_named_by_their_own_frames() {
    let profile = sampled(SampleKind::Cpu, &RECURSIVE);
    let text = page(&profile, ReportFormat::Text, None);
    let lines = section(&text, "Call hierarchy");
    assert_eq!(lines[0], "All 11 paths, callers included.");
    let expected = ["_start › main", "load › parse", "store", "parse", "fib ×2", "fib ×2", "add"];
    assert_eq!(names(&lines[2..]), expected, "{text}");
}

#[test]
fn a_wait_below_a_repeated_frame_keeps_the_function_that_waited() {
    let rows: [(Path, u64); 2] = [
        (&["_start", "main", "sock_wait", "__libc_recv", "__libc_recv", "[kernel]"], 3),
        (&["_start", "main", "poll_wait", "__poll", "[kernel]"], 1),
    ];
    let profile = sampled(SampleKind::OffCpu, &rows);
    let text = page(&profile, ReportFormat::Text, Some(Metric::OffCpu));
    let lines = section(&text, "Call hierarchy");
    assert!(lines[1].contains(" waits ") && !lines[1].contains("samples"), "{text}");
    let expected =
        ["_start › main", "sock_wait › __libc_recv ×2 › [kernel]", "poll_wait › __poll › [kernel]"];
    assert_eq!(names(&lines[2..]), expected, "{text}");
    let waits = section(&text, "Where threads wait");
    assert!(waits.iter().any(|line| line.ends_with("main › sock_wait")), "{text}");
}

#[test]
fn insights_count_the_paths_that_are_listed_and_name_what_they_are_a_share_of() {
    let paths: Vec<String> = (0..12).map(|number| format!("step {number}")).collect();
    for (kind, deeper, metric, of) in [
        (SampleKind::Cpu, SampleKind::Cpu, None, "samples"),
        (SampleKind::OffCpu, SampleKind::OffCpu, Some(Metric::OffCpu), "time waited"),
        (SampleKind::OffCpu, SampleKind::Cpu, Some(Metric::Wall), "time"),
    ] {
        let mut profile = Profile::default();
        for path in &paths {
            // `main` and `run` only lead to the others.
            add(&mut profile, (7, 7), kind, &["main", "run", path], 1);
            add(&mut profile, (7, 7), deeper, &["main", "run", path, path], 1);
        }
        let text = page(&profile, ReportFormat::Text, metric);
        let said = format!("The top 5 of 12 paths account for 41.7 % of the {of}");
        assert!(section(&text, "Insights").iter().any(|line| line.ends_with(&said)), "{text}");
        assert!(metric == Some(Metric::OffCpu) || text.contains("12 paths by self time"), "{text}");
    }
}

#[test]
fn threads_that_were_added_up_are_called_processes() {
    let mut profile = Profile::default();
    (1..=20).for_each(|pid| add(&mut profile, (pid, 0), SampleKind::Cpu, &["main"], 1));
    let text = page(&profile, ReportFormat::Text, None);
    assert!(section(&text, "Summary").contains(&"processes  20"), "{text}");
    let processes = section(&text, "Processes");
    assert_eq!(
        (processes[0], names(&processes[2..])),
        ("Processes of one name are added up.", vec!["app ×20"])
    );
    add(&mut profile, (1, 1), SampleKind::Cpu, &["main"], 1);
    let text = page(&profile, ReportFormat::Text, None);
    assert!(section(&text, "Summary").contains(&"threads    21"), "{text}");
}

#[test]
fn the_cost_of_recording_is_part_of_the_program_only_where_the_program_recorded_itself() {
    let cost = |recorder| {
        let mut profile = sampled(SampleKind::Cpu, &RECURSIVE);
        profile.runs.push(Run {
            cpu_nanos: Some(1_000_000_000),
            recorders: [recorder].into(),
            cost: Cost { own_cpu_nanos: Some(31_000_000), ..Cost::default() },
            ..Run::default()
        });
        let text = page(&profile, ReportFormat::Text, None);
        section(&text, "What recording cost").first().map(ToString::to_string)
    };
    let outside = "CPU time  31.0 ms beside the 1.00 s of CPU time that the program used: 3.1 % of it";
    assert_eq!(cost(Recorder::Cpu).as_deref(), Some(outside));
    let inside = "CPU time  31.0 ms, 3.1 % of the 1.00 s of CPU time that the program used, this included";
    assert_eq!(cost(Recorder::Scopes).as_deref(), Some(inside));
}

#[test]
fn python_functions_of_one_name_are_told_apart_by_their_files() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 7, "app");
    for (path, count) in [(["/app/main.py", "/app/ma.py"], 30), (["/app/main.py", "/app/mb.py"], 10)] {
        let mut stack = None;
        for (name, file) in ["<module>", "forward"].into_iter().zip(path) {
            let (name, file) = (profile.strings.intern(name), profile.strings.intern(file));
            let frame = Frame { file: Some(file), line: Some(3), ..Frame::new(name, FrameKind::Python) };
            let frame = profile.frames.intern(frame);
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let stack = stack.expect("a path has frames");
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    let annotation = calor_analysis::annotate(&profile, "forward", calor_analysis::Whereabouts::default())
        .expect("it has samples");
    let options =
        AnnotationOptions { lines: true, instructions: false, top: 9, context: 0, width: 100, color: false };
    let text = annotation_text(&profile, &annotation, &options, &|_, _| None, &[]);
    assert!(
        text.contains("added up 2 functions of that name") && text.contains("--file or --module"),
        "{text}"
    );
    let page = |format, grouping| {
        let mut page = Vec::new();
        let options = Options { format, grouping, width: 120, ..Options::default() };
        render(&profile, &options, &mut page).expect("the report can be made");
        String::from_utf8(page).expect("a report is UTF-8")
    };
    for grouping in [Grouping::Function, Grouping::Path] {
        for format in [ReportFormat::Text, ReportFormat::Markdown] {
            let page = page(format, grouping);
            assert!(page.contains("forward (ma.py)") && page.contains("forward (mb.py)"), "{page}");
            assert!(!page.contains("(main.py)"), "{page}");
        }
    }
    let json: Value =
        serde_json::from_str(&page(ReportFormat::Json, Grouping::Function)).expect("it is JSON");
    let rows: Vec<_> = json["hot_paths"].as_array().expect("a list").iter().collect();
    let told: Vec<_> = rows.iter().map(|row| (&row["name"], &row["file"], &row["samples"])).collect();
    let name = Value::from("forward");
    let expected = [("/app/ma.py".into(), 30.into()), ("/app/mb.py".into(), 10.into())];
    assert_eq!(told, expected.iter().map(|(file, samples)| (&name, file, samples)).collect::<Vec<_>>());
}

#[test]
fn by_total_time_functions_that_only_call_others_are_listed_with_the_share_of_their_total() {
    let profile = sampled(SampleKind::Cpu, &RECURSIVE);
    for (grouping, title) in
        [(Grouping::Function, "Hot paths by CPU samples"), (Grouping::Path, "Functions by CPU samples")]
    {
        let mut page = Vec::new();
        let options = Options { grouping, order: Order::Total, width: 120, ..Options::default() };
        render(&profile, &options, &mut page).expect("the report can be made");
        let page = String::from_utf8(page).expect("a report is UTF-8");
        let lines = section(&page, title);
        let row = |name: &str| -> Vec<&str> {
            let row = lines.iter().find(|line| line.split_whitespace().last() == Some(name));
            let row = row.unwrap_or_else(|| panic!("no {name} in {page}"));
            row.split("  ").map(str::trim).filter(|part| !part.is_empty()).take(3).collect()
        };
        assert_eq!(row("main"), ["40.0 ms", "0 ns", "100.0 %"], "{page}");
        assert_eq!(row("load"), ["20.0 ms", "0 ns", "50.0 %"], "{page}");
        assert_eq!(row("fib"), ["8.00 ms", "7.00 ms", "20.0 %"], "{page}");
        assert!(!lines.iter().any(|line| line.contains("95 %")), "{page}");
    }
}

#[test]
fn functions_have_their_file_and_line_beside_them_where_there_is_room() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let long = "a_function_with_a_name_that_leaves_no_room_for_anything_beside_it";
    for (name, kind, count) in
        [("step", FrameKind::Python, 30), ("dot", FrameKind::Native, 20), (long, FrameKind::Native, 10)]
    {
        let (name, file) = (profile.strings.intern(name), profile.strings.intern("/app/src/train.py"));
        let frame =
            profile.frames.intern(Frame { file: Some(file), line: Some(12), ..Frame::new(name, kind) });
        let stack = profile.stacks.intern(None, frame);
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    let page = |format| {
        let mut page = Vec::new();
        let options = Options { format, width: 80, ..Options::default() };
        render(&profile, &options, &mut page).expect("the report can be made");
        String::from_utf8(page).expect("a report is UTF-8")
    };
    let text = page(ReportFormat::Text);
    assert!(text.contains(" step  train.py:12\n") && text.contains(" dot  train.py:12\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(page(ReportFormat::Markdown).contains("| step (train.py:12) |"));
}

#[test]
fn what_stands_for_unknown_frames_is_not_said_to_call_itself() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let unknown = profile.strings.intern("(Python not verified)");
    let unknown = profile.frames.intern(Frame::new(unknown, FrameKind::Synthetic));
    let inner = profile.strings.intern("inner");
    let inner = profile.frames.intern(Frame::new(inner, FrameKind::Native));
    for (depth, count) in [(1, 5), (2, 7), (3, 9)] {
        let path = std::iter::repeat_n(unknown, depth).chain([inner]);
        let stack = profile.stacks.intern_path(path).expect("a path has a frame");
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    let page = page(&profile, ReportFormat::Text, None);
    assert!(page.contains("(Python not verified) › inner"), "{page}");
    assert!(!page.contains("recursive") && !page.contains('×'), "{page}");
}
