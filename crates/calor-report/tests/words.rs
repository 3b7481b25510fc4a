//! What a reader meets at the edges: one of a thing, nothing at all, a terminal that is narrow, a path that repeats
//! itself, a file that lost a part.

use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats, Span, Warning, Work};
use calor_report::{Carry, Options, ReportFormat};

mod rendered;
mod sketch;

use rendered::{of, page};

fn text(width: usize) -> Options {
    Options { width, ..Options::default() }
}

/// A profile in which each path was called so often, for so long each.
fn profile(paths: &[(&[&str], u64, u64)]) -> Profile {
    let mut profile = Profile { runs: vec![Run::default()], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    for (path, calls, nanos) in paths {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats { calls: *calls, total_nanos: calls * nanos, ..ScopeStats::default() };
        (0..*calls).for_each(|_| stats.timed.record(*nanos));
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile
}

/// The row of a text table's titles.
fn titles<'p>(page: &'p str, section: &str) -> Vec<&'p str> {
    let mut lines = page.lines().skip_while(|line| *line != section);
    lines
        .find(|line| line.trim_start().starts_with("total"))
        .expect("there are titles")
        .split_whitespace()
        .collect()
}

#[test]
fn one_of_a_thing_is_told_in_the_singular() {
    let mut one = profile(&[(&["run"], 1, 1_000)]);
    let thread = one.intern_thread(1, 1, "main");
    let stack = one.scopes.iter().next().expect("there is a scope").0.stack;
    one.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos: 1_000, stack });
    one.warn(Warning::counted("scopes_too_deep", "nested deeper than 128", 1));
    for format in [ReportFormat::Text, ReportFormat::Markdown] {
        let page = page(&one, &Options { carry: Carry::Nothing, ..of(format) });
        assert!(page.contains("1 call on 1 path"), "{page}");
        assert!(page.contains("1 event") && !page.contains("1 events"), "{page}");
        let words: Vec<&str> = page.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[0] == "1") {
            let word = pair[1].trim_end_matches(|c: char| c.is_ascii_punctuation());
            let is_plural = word.len() > 3 && word.ends_with('s') && word.chars().all(char::is_alphabetic);
            assert!(!is_plural, "{pair:?} in\n{page}");
        }
    }
}

#[test]
fn a_run_without_any_time_has_no_shares_and_no_minus_zero() {
    for profile in [profile(&[(&["run"], 0, 0)]), profile(&[(&["run"], 3, 0)]), Profile::default()] {
        for format in [ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Html] {
            let page = page(&profile, &of(format));
            assert!(!page.contains("-0.0"), "{page}");
        }
    }
}

#[test]
fn a_run_that_nothing_is_known_of_says_so_instead_of_an_empty_section() {
    let unknown = Profile { runs: vec![Run::default()], ..Profile::default() };
    let page = page(&unknown, &text(100));
    assert!(page.starts_with("System\n  - The profile says nothing of the program"), "{page}");
}

#[test]
fn an_empty_label_and_a_function_without_a_name_are_seen() {
    let mut odd = profile(&[(&["run", ""], 1, 1_000)]);
    odd.runs[0].labels.insert("stage".to_owned(), String::new());
    odd.runs[0].labels.insert(String::new(), "x".to_owned());
    let page = page(&odd, &text(100));
    assert!(page.contains("\"\"=x, stage=\"\"") && page.contains("run › (no name)"), "{page}");
}

#[test]
fn recursion_takes_the_room_of_one_name() {
    let path = ["solve"; 1].iter().chain(&["fib"; 11]).chain(&["leaf"]).copied().collect::<Vec<&str>>();
    let recursive = profile(&[(&path[..12], 4, 9_000), (&path, 90, 1_000)]);
    let page = page(&recursive, &text(80));
    assert!(page.contains("solve › fib ×11 › leaf") && page.contains("solve › fib ×11\n"), "{page}");
}

#[test]
fn calls_from_two_lines_of_a_caller_are_told_apart_by_their_place() {
    let mut two = Profile::default();
    let thread = two.intern_thread(1, 1, "main");
    let root = two.intern_named_path(&["run"], FrameKind::Scope);
    let (name, file) = (two.strings.intern("step"), two.strings.intern("src/deep/model.rs"));
    for line in [31, 47] {
        let frame = Frame { file: Some(file), line: Some(line), ..Frame::new(name, FrameKind::Scope) };
        let frame = two.frames.intern(frame);
        let stack = two.stacks.intern(root, frame);
        let stats = ScopeStats { calls: 1, total_nanos: 1_000, ..ScopeStats::default() };
        two.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    let page = page(&two, &text(100));
    assert!(page.contains("step (model.rs:31)") && page.contains("step (model.rs:47)"), "{page}");
}

#[test]
fn what_is_asked_for_most_stays_at_80_columns_and_all_at_120() {
    let deep: Vec<String> =
        (0..40).map(|level| format!("module_{level}::a_function_with_a_long_name")).collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
    let mut profile = profile(&[(&deep, 123_456, 81_234), (&["short"], 3, 1_000)]);
    for (_, stats) in profile.scopes.clone().iter() {
        let key = profile.scopes.iter().find(|(_, row)| *row == stats).expect("it is there").0;
        profile.scopes.row_mut(key).work = Work { flops: 7_000_000, bytes: 9_000, ..Work::default() };
    }
    let narrow = page(&profile, &text(80));
    let shown = titles(&narrow, "Hot paths");
    for title in ["total", "self", "calls", "mean", "p95", "GFLOP/s"] {
        assert!(shown.contains(&title), "{title} is not among {shown:?}");
    }
    assert!(narrow.contains("no room for") && narrow.contains("columns show all"), "{narrow}");
    let wide = page(&profile, &text(120));
    let all =
        ["total", "self", "calls", "mean", "min", "max", "p50", "p95", "p99", "stddev", "GFLOP/s", "GB/s"];
    let shown = titles(&wide, "Hot paths");
    for title in all {
        assert!(shown.contains(&title), "{title} is not among {shown:?}");
    }
}

#[test]
fn a_markdown_page_fits_a_comment_however_large_its_profile_and_says_what_it_left_out() {
    let names: Vec<String> = (0..3_000)
        .map(|leaf| {
            (0..9).map(|level| format!("{leaf}_module_{level}_{}", leaf * (level + 7) % 991)).collect()
        })
        .collect();
    let paths: Vec<[&str; 2]> = names.iter().map(|name| ["run", name.as_str()]).collect();
    let rows: Vec<(&[&str], u64, u64)> = paths
        .iter()
        .enumerate()
        .map(|(leaf, path)| (&path[..], 1 + leaf as u64 % 7, 1_000 * leaf as u64))
        .collect();
    let large = profile(&rows);
    let markdown = of(ReportFormat::Markdown);
    let fitting = page(&large, &markdown);
    assert!(fitting.chars().count() <= 60_000, "{} letters", fitting.chars().count());
    assert!(fitting.contains("the profile in it leaves out") && fitting.contains("--carry whole"));
    let recorded = |profile: &Profile| -> serde_json::Value {
        let page = page(profile, &of(ReportFormat::Json));
        serde_json::from_str::<serde_json::Value>(&page).expect("it is JSON")["summary"]["recorded_ns"]
            .clone()
    };
    let carried = calor_formats::read(fitting.as_bytes()).expect("it carries a profile");
    assert_eq!(recorded(&carried), recorded(&large));

    let whole = page(&large, &Options { carry: Carry::Whole, ..markdown.clone() });
    let carried = calor_formats::read(whole.as_bytes()).expect("it carries a profile");
    assert_eq!((carried.scopes.len(), carried.warnings.len()), (3_000, 0));
    let nothing = page(&large, &Options { carry: Carry::Nothing, ..markdown });
    assert!(nothing.len() < fitting.len() && !nothing.contains("calor-profile"));
}

#[test]
fn calls_that_no_path_holds_are_in_the_summary() {
    let mut deep = profile(&[(&["fib"], 1, 1_000)]);
    deep.warn(Warning::counted("scopes_too_deep", "nested deeper than 128", 4_000));
    let summary = page(&deep, &text(100));
    assert!(summary.contains("4,000 calls nested deeper than the recorder follows"), "{summary}");
    let json: serde_json::Value =
        serde_json::from_str(&page(&deep, &of(ReportFormat::Json))).expect("the page is JSON");
    assert_eq!(json["summary"]["calls_too_deep"], 4_000);
}

#[test]
fn a_call_whose_end_a_damaged_file_lost_is_not_said_to_be_open() {
    let mut torn = profile(&[(&["run"], 0, 0)]);
    let key = torn.scopes.iter().next().expect("there is a scope").0;
    torn.scopes.row_mut(key).open_calls = 1;
    let whole = page(&torn, &text(100));
    assert!(whole.contains("still open") && whole.contains("1 call had not ended; its time"), "{whole}");
    torn.warn(Warning::counted("chunk_damaged", "a chunk is damaged", 1));
    let damaged = page(&torn, &text(100));
    assert!(!damaged.contains("still open") && damaged.contains("end not known"), "{damaged}");
    let json: serde_json::Value =
        serde_json::from_str(&page(&torn, &of(ReportFormat::Json))).expect("the page is JSON");
    assert_eq!(json["summary"]["open_calls"], serde_json::Value::Null);
}

#[test]
fn advice_about_the_cost_of_recording_is_never_what_was_done_already() {
    let mut busy = sketch::transformer();
    let rows: Vec<ScopeKey> = busy.scopes.iter().map(|(key, _)| key).collect();
    let tick =
        rows.into_iter().find(|key| busy.stack_name(key.stack) == "sample_token").expect("it is there");
    busy.runs[0].cost.per_scope_picos = Some(200_000_000);
    let sentences = |profile: &Profile, subtract_overhead| {
        let page = page(profile, &Options { subtract_overhead, width: 300, ..Options::default() });
        let cost = page.lines().find(|line| line.contains("Recording `sample_token`"));
        cost.expect("it is costly").to_owned()
    };
    let counted = sentences(&busy, false);
    assert!(!counted.contains("time one call in N") && counted.contains("--subtract-overhead"), "{counted}");
    assert!(!sentences(&busy, true).contains("--subtract-overhead"));
    let row = busy.scopes.row_mut(tick);
    (row.calls, row.timed.count) = (50_000, 50_000);
    assert!(sentences(&busy, false).contains("time one call in N"));
}
