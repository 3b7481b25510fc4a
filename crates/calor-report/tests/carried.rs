//! A report is as good as the profile it came from: whatever is read back from a page gives the same facts.

use calor_model::{
    FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeMemory, ScopeStats,
    Span,
};
use calor_report::{Options, ReportFormat};
use proptest::prelude::*;

mod rendered;
mod sketch;

use rendered::{of, page};

/// The report for programs, which holds every figure to the last digit.
fn facts(profile: &Profile) -> String {
    page(profile, &of(ReportFormat::Json))
}

fn read_back(page: &str) -> Profile {
    calor_formats::read(page.as_bytes()).expect("the page carries its profile")
}

#[test]
fn every_fact_of_a_profile_comes_back_from_its_pages() {
    let profile = sketch::transformer();
    for format in [ReportFormat::Markdown, ReportFormat::Html] {
        let page = page(&profile, &of(format));
        assert_eq!(facts(&read_back(&page)), facts(&profile), "{format}");
        // And again: a report of a report is the same report.
        assert_eq!(self::page(&read_back(&page), &of(format)).len(), page.len(), "{format}");
    }
}

#[test]
fn a_report_of_a_part_carries_the_whole_profile() {
    let profile = sketch::transformer();
    let threads = calor_report::ThreadChoice::Named("worker".to_owned());
    let page = page(&profile, &Options { threads, top: Some(1), ..of(ReportFormat::Html) });
    assert_eq!(facts(&read_back(&page)), facts(&profile));
}

#[test]
fn a_page_that_was_cut_off_is_refused_and_says_why() {
    let page = page(&sketch::transformer(), &of(ReportFormat::Html));
    let end = page.find("calor-profile end").expect("a profile is carried");
    let error = calor_formats::read(&page.as_bytes()[..end - 10]).unwrap_err().to_string();
    assert!(error.contains("the profile inside the report is cut off"), "{error}");
}

#[test]
fn tables_of_a_profile_that_was_made_smaller_say_so_and_list_nothing_without_a_name() {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    for number in 0..60_000_u64 {
        let names = [number % 211, number % 503, number % 1_009, number % 997].map(|name| format!("f{name}"));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let stack = profile.intern_named_path(&names, FrameKind::Native).expect("a path has a frame");
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000_000 });
    }
    let small = read_back(&page(&profile, &of(ReportFormat::Markdown)));
    let grouping = calor_report::Grouping::Function;
    let text = page(&small, &Options { grouping, ..of(ReportFormat::Text) });
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains("This profile was made smaller for its page: what a function took"), "{text}");
    assert!(unwrapped.contains("figures of functions can be too small, see the summary"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&facts(&small)).expect("JSON");
    let hot = json["hot_paths"].as_array().expect("a list");
    assert!(!hot.is_empty() && hot.iter().all(|entry| entry["name"] != calor_model::LEFT_OUT));
    let whole = page(&profile, &Options { grouping, ..of(ReportFormat::Text) });
    assert!(!whole.contains("made smaller"), "{whole}");
}

/// A scope: its path by small numbers, its thread, and how long its calls took.
type Drawn = (Vec<u8>, u8, Vec<u64>);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let path = prop::collection::vec(0..6_u8, 1..5);
    let durations = prop::collection::vec(0..10_000_000_000_u64, 0..12);
    prop::collection::vec((path, 0..3_u8, durations), 0..40)
}

fn profile(scopes: &[Drawn]) -> Profile {
    let mut profile = Profile { runs: vec![sketch::run()], ..Profile::default() };
    for (path, thread, durations) in scopes {
        let names: Vec<String> = path.iter().map(|number| format!("<f{number}> -- \u{1f525}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let stack = profile.intern_named_path(&names, FrameKind::Scope).expect("a path has a frame");
        let thread = profile.intern_thread(1, u64::from(*thread), "worker");
        let labels = LabelTable::none();
        let mut stats = ScopeStats { calls: durations.len() as u64, ..ScopeStats::default() };
        for (number, nanos) in durations.iter().enumerate() {
            stats.timed.record(*nanos);
            let span = Span { start_nanos: number as u64 * 1_000, duration_nanos: *nanos, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        stats.total_nanos = stats.timed.total_nanos;
        stats.memory = Some(ScopeMemory { allocated_bytes: stats.calls * 64, ..ScopeMemory::default() });
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: durations.first().copied() };
        profile.samples.add(key, SampleWeight { count: 3, nanos: 3_000_000 });
    }
    profile
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_totals_and_percentiles_come_back(scopes in drawn(), is_html in any::<bool>()) {
        let profile = profile(&scopes);
        let format = if is_html { ReportFormat::Html } else { ReportFormat::Markdown };
        let read = read_back(&page(&profile, &of(format)));
        prop_assert_eq!(facts(&read), facts(&profile));
        prop_assert_eq!(read.timeline.n_spans(), profile.timeline.n_spans());
    }
}
