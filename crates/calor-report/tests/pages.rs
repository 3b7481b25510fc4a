//! Whole pages, as a reader sees them.

use calor_model::{FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, Span, StringId};
use calor_report::{Error, Grouping, Options, Order, ReportFormat, ThreadChoice, render};
use serde_json::Value;

mod rendered;
mod sketch;

use rendered::{of, page};

fn text(width: usize) -> Options {
    Options { width, ..Options::default() }
}

fn json(profile: &Profile, options: Options) -> Value {
    let page = page(profile, &Options { format: ReportFormat::Json, ..options });
    serde_json::from_str(&page).expect("the page is JSON")
}

/// The page without what stands inside elements of a kind, which has no place in a snapshot of its content.
fn without(page: &str, element: &str) -> String {
    let (mut left, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once(&format!("<{element}")) {
        let (tag, content) = after.split_once('>').expect("the tag ends");
        left += &format!("{before}<{element}{tag}>");
        rest = content.split_once(&format!("</{element}>")).expect("the element is closed").1;
    }
    left + rest
}

/// The page without the profile that it carries.
fn without_profile(page: &str) -> String {
    let (before, rest) = page.split_once("calor-profile 1 ").expect("a profile is carried");
    let (_, after) = rest.split_once("calor-profile end\n").expect("the profile ends");
    format!("{before}{after}")
}

fn codes(page: &Value) -> Vec<&str> {
    let warnings = page["warnings"].as_array().expect("warnings are a list");
    warnings.iter().filter_map(|warning| warning["code"].as_str()).collect()
}

#[test]
fn text_at_80_columns() {
    insta::assert_snapshot!(page(&sketch::transformer(), &text(80)));
}

#[test]
fn text_at_160_columns() {
    insta::assert_snapshot!(page(&sketch::transformer(), &text(160)));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(without_profile(&page(&sketch::transformer(), &of(ReportFormat::Markdown))));
}

#[test]
fn html() {
    let page = page(&sketch::transformer(), &of(ReportFormat::Html));
    let page = without(&without(&page, "style"), "script");
    // The graph is tested where it is made.
    let (before, graph) = page.split_once("<section class=\"flame\"").unwrap();
    let (_, after) = graph.split_once("</section>\n").unwrap();
    insta::assert_snapshot!(format!("{before}{after}"));
}

#[test]
fn json_page() {
    insta::assert_snapshot!(page(&sketch::transformer(), &of(ReportFormat::Json)));
}

#[test]
fn no_line_of_a_text_report_is_wider_than_the_terminal() {
    let profile = sketch::transformer();
    for width in [60, 80, 100, 120, 160, 240] {
        for line in page(&profile, &text(width)).lines() {
            let columns = line.chars().count();
            assert!(columns <= width, "{columns} columns instead of {width}: {line}");
        }
    }
}

/// Scopes on some paths, with or without what percentiles need.
fn scopes(paths: &[&[&str]], has_percentiles: bool) -> Profile {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    for (number, path) in paths.iter().enumerate() {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats { calls: 2, ..ScopeStats::default() };
        [3_000_000, 5_000_000].iter().for_each(|nanos| stats.timed.record(nanos + number as u64));
        if !has_percentiles {
            let timed = std::mem::take(&mut stats.timed);
            stats.timed.count = timed.count;
            stats.timed.total_nanos = timed.total_nanos;
            stats.timed.min_nanos = timed.min_nanos;
            stats.timed.max_nanos = timed.max_nanos;
            stats.timed.squared_deviations = timed.squared_deviations;
        }
        stats.total_nanos = stats.timed.total_nanos;
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile
}

/// The lines of the table of hot paths.
fn hot_paths(page: &str) -> Vec<&str> {
    page.lines().skip_while(|line| *line != "Hot paths").skip(2).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn columns_without_any_value_make_room_for_others() {
    let paths: [&[&str]; 2] = [&["run"], &["load"]];
    let without = page(&scopes(&paths, false), &text(100));
    let titles: Vec<&str> = hot_paths(&without)[0].split_whitespace().collect();
    for title in ["min", "max", "stddev"] {
        assert!(titles.contains(&title), "{without}");
    }
    assert!(!titles.contains(&"p50"), "{without}");
    assert!(page(&scopes(&paths, true), &text(160)).contains("p50"));
}

#[test]
fn rows_can_be_told_apart_in_a_narrow_terminal() {
    let layers = ["matmul up", "matmul down", "matmul output"];
    let paths: Vec<Vec<&str>> = ["small model", "medium model"]
        .iter()
        .flat_map(|model| ["prefill", "decode"].map(|phase| (*model, phase)))
        .flat_map(|(model, phase)| layers.map(|layer| vec!["run", model, phase, "layer", "block", layer]))
        .collect();
    let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
    let profile = scopes(&paths, true);
    for width in [80, 100] {
        let page = page(&profile, &text(width));
        let table = hot_paths(&page);
        let at = table[0].find("scope").expect("the table has a head");
        let column = table[0][..at].chars().count();
        let names: Vec<String> =
            table[1..=paths.len()].iter().map(|line| line.chars().skip(column).collect()).collect();
        let different: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(different.len(), paths.len(), "{page}");
    }
}

#[test]
fn functions_of_one_name_in_several_files_are_not_one_that_calls_itself() {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let name = profile.strings.intern("<module>");
    let mut stack = None;
    for file in ["a.py", "b.py", "b.py"] {
        let file = Some(profile.strings.intern(file));
        let frame = calor_model::Frame { file, ..calor_model::Frame::new(name, FrameKind::Python) };
        let frame = profile.frames.intern(frame);
        stack = Some(profile.stacks.intern(stack, frame));
    }
    let stats = ScopeStats { calls: 1, total_nanos: 1_000, ..ScopeStats::default() };
    let key = ScopeKey { stack: stack.expect("there is a path"), thread, labels: LabelTable::none() };
    profile.scopes.add(key, stats);
    let page = page(&profile, &text(120));
    assert!(page.contains("<module> › <module> ×2"), "{page}");
}

#[test]
fn colour_is_there_only_when_asked_for() {
    let profile = sketch::transformer();
    assert!(!page(&profile, &text(100)).contains('\x1b'));
    assert!(page(&profile, &Options { color: true, ..text(100) }).contains("\x1b["));
}

#[test]
fn an_empty_profile_is_reported_as_such_in_every_format() {
    let profile = Profile::default();
    for format in ReportFormat::ALL.into_iter().filter(|format| *format != ReportFormat::Csv) {
        assert!(page(&profile, &of(format)).contains("nothing was recorded"), "{format}");
    }
    // A table without rows says so by itself.
    assert_eq!(page(&profile, &of(ReportFormat::Csv)).lines().count(), 1);
    let page = json(&profile, Options::default());
    assert_eq!(page["summary"]["scopes"], Value::Null);
    assert_eq!(page["summary"]["allocated_bytes"], Value::Null);
    assert_eq!(page["run"], Value::Null);
    assert_eq!(codes(&page), ["heap_not_recorded", "nothing_recorded", "run_unknown"]);
}

#[test]
fn what_was_not_measured_is_null_and_has_a_reason() {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    profile.runs[0].cpu_nanos = None;
    profile.runs[0].host.cores = None;
    profile.runs[0].recorders = [calor_model::Recorder::Scopes].into();
    let page = json(&profile, Options::default());
    assert_eq!((&page["run"]["cpu_ns"], &page["summary"]["peak_bytes"]), (&Value::Null, &Value::Null));
    assert_eq!(
        codes(&page),
        ["cpu_time_not_measured", "heap_not_recorded", "nothing_recorded", "run_incomplete"]
    );
}

#[test]
fn names_of_the_program_cannot_write_markup_or_move_the_cursor() {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    let name = "<img src=x onerror=alert(1)>\x1b[2J|`*";
    let stack = profile.intern_named_path(&[name], FrameKind::Scope).unwrap();
    let thread = profile.intern_thread(1, 1, name);
    let mut stats = ScopeStats { calls: 1, total_nanos: 50, ..ScopeStats::default() };
    stats.timed.record(50);
    profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    for format in [ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Html] {
        let page = page(&profile, &of(format));
        assert!(!page.contains('\x1b'), "{format}");
        // Inside a fence Markdown shows markup as it is.
        let outside = page.split("```").step_by(2).collect::<String>();
        assert!(format == ReportFormat::Text || !outside.contains("<img"), "{format}");
    }
}

#[test]
fn samples_alone_are_reported_with_their_own_tree() {
    let whole = sketch::transformer();
    let profile = Profile { scopes: Profile::default().scopes, ..whole };
    let page = page(&profile, &text(100));
    assert!(page.contains("Hot paths by CPU samples") && page.contains("Call hierarchy"), "{page}");
    assert!(!page.contains("Most called"), "{page}");
    let page = json(&profile, Options::default());
    assert_eq!(page["summary"]["scopes"], Value::Null);
    assert_eq!(
        (&page["hot_paths"][0]["samples"], &page["hot_paths"][0]["kind"]),
        (&1450.into(), &"native".into())
    );
    assert_eq!(page["off_cpu"][0]["blocked_ns"], 120_000_000);
}

#[test]
fn an_html_page_asks_for_nothing_from_the_network() {
    let page = page(&sketch::transformer(), &of(ReportFormat::Html));
    for reference in ["http://", "https://", "src=", "url(", "@import", "<link"] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn what_is_long_is_folded_in_markdown_and_nothing_is_lost() {
    let page = page(&sketch::transformer(), &of(ReportFormat::Markdown));
    assert!(page.contains("<summary>5 more</summary>"), "{page}");
    let (_, hot) = page.split_once("## Hot paths\n").unwrap();
    let (hot, _) = hot.split_once("\n## ").unwrap();
    assert_eq!(hot.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| scope")).count(), 17);
}

#[test]
fn csv_lists_paths_in_the_order_of_the_report_with_all_columns() {
    let profile = sketch::transformer();
    let table = page(&profile, &of(ReportFormat::Csv));
    let lines: Vec<&str> = table.split_terminator("\r\n").collect();
    assert!(lines[0].starts_with("path,name,kind,") && lines[0].contains(",p99_ns,"), "{}", lines[0]);
    assert!(lines[1].starts_with("generate;forward;attention;matmul,matmul,scope,"), "{}", lines[1]);
    // All scopes and what was sampled.
    assert_eq!(lines.len(), 1 + 17 + 4);
    let by_calls = page(&profile, &Options { order: Order::Calls, top: Some(1), ..of(ReportFormat::Csv) });
    assert!(by_calls.lines().nth(1).unwrap().starts_with("generate;sample_token,"), "{by_calls}");
    let worker = ThreadChoice::Named("worker".to_owned());
    let worker = page(&profile, &Options { threads: worker, ..of(ReportFormat::Csv) });
    assert!(worker.contains("\nfetch_prompt,") && !worker.contains("generate"), "{worker}");
}

#[test]
fn what_a_table_of_paths_cannot_show_is_refused() {
    let profile = sketch::transformer();
    for options in [
        Options { subtract_overhead: true, ..of(ReportFormat::Csv) },
        Options { grouping: Grouping::Function, ..of(ReportFormat::Csv) },
    ] {
        let error = render(&profile, &options, &mut Vec::new()).unwrap_err();
        assert!(matches!(error, Error::NotInCsv { .. }), "{error}");
    }
}

#[test]
fn the_page_has_a_timeline_when_there_are_spans_and_says_what_it_leaves_out() {
    let mut profile = sketch::transformer();
    let none = page(&profile, &of(ReportFormat::Html));
    assert!(none.contains("id=\"flame\"") && !none.contains("id=\"timeline\""));
    let (key, _) = profile.scopes.iter().next().unwrap();
    let mut add = |from: u64, to: u64| {
        let spans = (from..to).map(|number| Span {
            start_nanos: number * 50_000,
            duration_nanos: 10_000 + number * 7_919 % 30_000,
            stack: key.stack,
        });
        profile.timeline.track_mut(key.thread).spans.extend(spans);
        page(&profile, &of(ReportFormat::Html))
    };
    let all = add(0, 500);
    assert!(all.contains("All 500 spans that were recorded."));
    assert_eq!(timeline(&all)["tracks"][0]["start"].as_array().unwrap().len(), 500);
    let many = add(500, 60_000);
    assert!(many.contains(" longest of 60,000 spans, those from "));
    let n_shown = timeline(&many)["tracks"][0]["start"].as_array().unwrap().len();
    assert!(
        many.contains(&format!("The {} longest", calor_analysis::quantity::count(n_shown as u64))),
        "{n_shown}"
    );
}

fn timeline(page: &str) -> Value {
    let (_, rest) = page.split_once("data-timeline=\"data\">").expect("the page has a timeline");
    serde_json::from_str(rest.split_once("</script>").expect("the data end").0).expect("the data are JSON")
}

#[test]
fn a_page_of_five_thousand_functions_and_many_spans_stays_below_two_megabytes() {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for number in 0..40_000_u64 {
        let names =
            [random(40), 40 + random(900), number % 5_000].map(|n| format!("crate::module::function_{n}"));
        let path = names.each_ref().map(String::as_str);
        let stack = profile.intern_named_path(&path, FrameKind::Scope).unwrap();
        let thread = profile.intern_thread(1, number % 8, "worker");
        let mut stats = ScopeStats { calls: 5, ..ScopeStats::default() };
        (0..5).for_each(|_| stats.timed.record(1_000 + random(1_000_000)));
        stats.total_nanos = stats.timed.total_nanos;
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        let span = Span { start_nanos: number * 100_000, duration_nanos: random(90_000), stack };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let page = page(&profile, &of(ReportFormat::Html));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let read = calor_formats::read(page.as_bytes()).expect("the page carries its profile");
    assert!(read.scopes.len() > 5_000, "{} scopes", read.scopes.len());
    assert!(
        read.warnings.iter().any(|warning| warning.code == "report_spans_left_out"),
        "{:?}",
        read.warnings
    );
}

#[test]
fn lists_in_json_are_cut_only_when_asked() {
    let profile = sketch::transformer();
    let all = json(&profile, Options::default())["hot_paths"].as_array().unwrap().len();
    assert_eq!(all, 17 + 3);
    let cut = json(&profile, Options { top: Some(2), ..Options::default() });
    assert_eq!(cut["hot_paths"].as_array().unwrap().len(), 2 + 2);
    assert_eq!(cut["allocators"].as_array().unwrap().len(), 2);
}

#[test]
fn shares_of_scopes_add_up_to_one() {
    let page = json(&sketch::transformer(), Options::default());
    let scopes = page["hot_paths"].as_array().unwrap().iter().filter(|path| path["kind"] == "scope");
    let sum: f64 = scopes.map(|path| path["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn order_and_grouping_are_obeyed() {
    let profile = sketch::transformer();
    let first = |order, grouping| {
        let page = json(&profile, Options { order, grouping, ..Options::default() });
        page["hot_paths"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(first(Order::Total, Grouping::Path), "generate");
    assert_eq!(first(Order::SelfTime, Grouping::Function), "matmul");
    assert_eq!(first(Order::Calls, Grouping::Path), "sample_token");
}

#[test]
fn one_thread_can_be_reported_and_an_unknown_one_is_an_error_that_names_the_known() {
    let profile = sketch::transformer();
    let threads =
        |name: &str| Options { threads: ThreadChoice::Named(name.to_owned()), ..Options::default() };
    let page = json(&profile, threads("worker"));
    assert_eq!(page["threads"].as_array().unwrap().len(), 1);
    assert_eq!(page["threads"][0]["tid"], 4712);
    assert_eq!(page["selection"], serde_json::json!({ "thread": "worker" }));
    // All allocations were made on the other thread.
    assert_eq!((&page["heap"]["allocated_bytes"], &page["allocators"]), (&0.into(), &serde_json::json!([])));
    let text = self::page(&profile, &threads("worker"));
    assert!(text.contains("Only what happened on threads named `worker`"), "{text}");
    let error = render(&profile, &threads("wroker"), &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "no thread is named `wroker`; the profile has `main`, `worker`");
}

#[test]
fn subtracting_overhead_makes_times_smaller_and_needs_a_measured_cost() {
    let mut profile = sketch::transformer();
    let total = |page: Value| page["summary"]["recorded_ns"].as_u64().unwrap();
    let options = Options { subtract_overhead: true, ..Options::default() };
    assert!(total(json(&profile, options.clone())) < total(json(&profile, Options::default())));
    profile.runs[0].cost = calor_model::Cost::default();
    let error = render(&profile, &options, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, Error::Analysis(calor_analysis::Error::CostUnknown)));
}

#[test]
fn a_cost_that_was_not_measured_is_estimated_and_the_page_says_so_once() {
    let mut profile = sketch::transformer();
    profile.runs[0].cost.own_cpu_nanos = None;
    let wire = json(&profile, Options::default());
    assert_eq!(wire["run"]["overhead"]["own_cpu_ns"], Value::Null);
    assert!(wire["run"]["overhead"]["estimated_cpu_ns"].as_u64() > Some(0));
    assert!(codes(&wire).contains(&"recording_cost_estimated"), "{:?}", codes(&wire));
    assert!(!codes(&wire).contains(&"recording_cost_unknown"), "{:?}", codes(&wire));
    let page = page(&profile, &text(160));
    assert!(page.contains("(estimated: timed calls times the cost of one)"), "{page}");
}

#[test]
fn an_estimate_is_marked_and_has_its_interval() {
    let profile = sketch::transformer();
    let page = json(&profile, Options::default());
    let path =
        page["hot_paths"].as_array().unwrap().iter().find(|path| path["name"] == "sample_token").unwrap();
    // 21 ms and 1.96 times the square root of 1.6e11.
    assert_eq!(path["total_interval_ns"], serde_json::json!([20_216_000, 21_784_000]));
    assert!(self::page(&profile, &text(200)).contains("~21.0 ms  784 µs"));
}

#[test]
fn figures_at_the_end_of_their_range_never_panic() {
    let mut profile = Profile { runs: vec![sketch::run(), sketch::run()], ..Profile::default() };
    for run in &mut profile.runs {
        run.duration_nanos = u64::MAX;
        run.cpu_nanos = Some(u64::MAX);
        run.started_at_unix_nanos = u64::MAX;
        run.cost = calor_model::Cost {
            own_cpu_nanos: Some(u64::MAX),
            per_scope_picos: Some(u64::MAX),
            inside_scope_picos: Some(u64::MAX),
            memory_bytes: Some(u64::MAX),
        };
    }
    for (path, open, variance) in [
        (&["a"][..], i64::MAX, f64::NAN),
        (&["a", "b"][..], i64::MIN, f64::INFINITY),
        (&["a", "c"][..], i64::MAX, -1.0),
    ] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
        for thread in 0..3 {
            let thread = profile.intern_thread(0, thread, "");
            let mut stats = ScopeStats {
                calls: u64::MAX,
                total_nanos: u64::MAX,
                total_variance: variance,
                open_calls: open,
                open_nanos: open,
                ..ScopeStats::default()
            };
            stats.timed.record(u64::MAX);
            stats.timed.total_nanos = u64::MAX;
            stats.timed.squared_deviations = variance;
            stats.work.flops = u64::MAX;
            stats.work.bytes = u64::MAX;
            stats.work.elements = u64::MAX;
            stats.work.add_counter(StringId::from_index(0), i64::MIN);
            stats.memory = Some(calor_model::ScopeMemory {
                allocated_bytes: u64::MAX,
                allocated_count: u64::MAX,
                ..calor_model::ScopeMemory::default()
            });
            profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        }
    }
    for format in ReportFormat::ALL {
        for subtract_overhead in [false, format != ReportFormat::Csv] {
            for width in [0, 1, 80] {
                assert!(
                    !page(&profile, &Options { format, subtract_overhead, width, ..Options::default() })
                        .is_empty()
                );
            }
        }
    }
}
