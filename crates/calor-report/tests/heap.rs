//! Pages about the heap: what they say of exact and of sampled figures, and that odd ones do no harm.

mod heap_sketch;

use calor_analysis::{HeapGroup, HeapOrder, HeapSide, Suppressions};
use calor_model::{
    FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, LabelTable, Profile,
    ScopeKey, ScopeMemory, ScopeStats,
};
use calor_report::{
    HeapFormat, HeapOptions, HeapQuestion, Options, ReportFormat, render, render_heap, render_heap_difference,
};
use heap_sketch::server;
use proptest::prelude::*;
use serde_json::Value;

const QUESTIONS: [HeapQuestion; 8] = [
    HeapQuestion::Overview,
    HeapQuestion::Everything,
    HeapQuestion::Allocated,
    HeapQuestion::Peak,
    HeapQuestion::Leaks,
    HeapQuestion::Temporary,
    HeapQuestion::Growth,
    HeapQuestion::Sizes,
];

fn options(question: HeapQuestion) -> HeapOptions {
    HeapOptions { question, width: 100, ..HeapOptions::default() }
}

fn heap_page(profile: &Profile, options: &HeapOptions) -> String {
    let mut page = Vec::new();
    render_heap(profile, options, &mut page).expect("a heap was watched");
    String::from_utf8(page).expect("pages are text")
}

fn report(profile: &Profile, format: ReportFormat) -> String {
    let mut page = Vec::new();
    render(profile, &Options { format, ..Options::default() }, &mut page).expect("a report can be made");
    String::from_utf8(page).expect("pages are text")
}

fn json(profile: &Profile) -> Value {
    let options = HeapOptions { format: HeapFormat::Json, ..HeapOptions::default() };
    serde_json::from_str(&heap_page(profile, &options)).expect("it is JSON")
}

#[test]
fn exact_figures_say_so_and_estimates_say_how_far_they_may_be_off() {
    let exact = heap_page(&server(HeapMode::Exact), &options(HeapQuestion::Overview));
    assert!(exact.contains("figures are exact") && !exact.contains('±') && !exact.contains('~'), "{exact}");
    let sampled = heap_page(&server(HeapMode::Sampled), &options(HeapQuestion::Overview));
    assert!(sampled.contains("every 512 KiB in the mean"), "{sampled}");
    assert!(sampled.contains("allocated  ~9.22 GiB ± 1.0 % in"), "{sampled}");
    for (mode, is_estimated) in [(HeapMode::Exact, false), (HeapMode::Sampled, true)] {
        let text = report(&server(mode), ReportFormat::Text);
        assert_eq!(text.contains("± 1.0 %"), is_estimated, "{text}");
    }
}

#[test]
fn each_question_has_its_answer_on_top() {
    let profile = server(HeapMode::Exact);
    for (question, first) in [
        (HeapQuestion::Allocated, "numpy.concatenate"),
        (HeapQuestion::Peak, "server::model::load"),
        (HeapQuestion::Leaks, "server::model::load"),
        (HeapQuestion::Temporary, "server::json::parse"),
        (HeapQuestion::Growth, "server::session::remember"),
        (HeapQuestion::Sizes, "64 B to 128 B"),
    ] {
        let page = heap_page(&profile, &HeapOptions { width: 140, ..options(question) });
        let row =
            page.lines().skip_while(|line| !line.contains("held by") && !line.contains("  % of")).nth(1);
        assert!(row.is_some_and(|row| row.contains(first)), "{question:?}: {page}");
    }
}

#[test]
fn whole_paths_are_listed_where_they_are_asked_for() {
    let profile = server(HeapMode::Exact);
    let whole = HeapOptions { group: HeapGroup::WholePath, ..options(HeapQuestion::Temporary) };
    assert!(heap_page(&profile, &whole).contains("push_str"));
    assert!(!heap_page(&profile, &options(HeapQuestion::Temporary)).contains("push_str"));
}

#[test]
fn a_call_tree_has_what_functions_hold_with_all_that_they_called() {
    let tree = HeapOptions { is_tree: true, ..options(HeapQuestion::Peak) };
    let page = heap_page(&server(HeapMode::Exact), &tree);
    let rows: Vec<String> =
        page.lines().skip(4).map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(rows[0], "82.8 % 476 MiB 0 B 0 server::main");
    assert_eq!(rows[1], "41.8 % 240 MiB 240 MiB 40 server::model::load");
    assert_eq!(rows[2], "41.1 % 236 MiB 0 B 0 server::handle");
}

#[test]
fn what_grows_lastingly_is_told_from_what_was_loaded_once() {
    let page = heap_page(&server(HeapMode::Exact), &options(HeapQuestion::Growth));
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("1 place grows steadily, 2 grew only at first"), "{page}");
    assert!(page.contains("remember") && !page.contains("cache::insert"), "{page}");
    let mut few = server(HeapMode::Exact);
    few.heap.snapshots = Default::default();
    let page = heap_page(&few, &options(HeapQuestion::Growth));
    assert!(page.contains("Not enough data: 0 snapshots over 0 ns (8 over 3.00 s needed)."), "{page}");
}

#[test]
fn suppressed_leaks_are_not_listed_but_told() {
    let suppressions = Suppressions::parse("leak:^server::model\nleak:app/batch.py").unwrap();
    let page =
        heap_page(&server(HeapMode::Exact), &HeapOptions { suppressions, ..options(HeapQuestion::Leaks) });
    assert!(page.contains("Suppressed: `^server::model` 240 MiB in 40 blocks on 1 path;"), "{page}");
    let rows = page.lines().skip_while(|line| !line.contains("% of bytes")).collect::<Vec<_>>().join("\n");
    assert!(!rows.contains("model::load") && !rows.contains("concatenate"), "{page}");
}

#[test]
fn what_a_program_holds_that_did_not_end_is_not_called_leaked() {
    let mut profile = server(HeapMode::Exact);
    profile.heap.summary.as_mut().unwrap().leaked = None;
    let page = heap_page(&profile, &options(HeapQuestion::Leaks));
    assert!(page.contains("\nNot freed\n") && page.contains("was not seen to end by itself"), "{page}");
    assert!(json(&profile)["heap"]["leaks"].is_null());
}

#[test]
fn what_samples_do_not_tell_is_not_zero() {
    let mut profile = server(HeapMode::Sampled);
    let mut heap = calor_model::HeapTable::default();
    heap.summary = profile.heap.summary;
    for (key, site) in profile.heap.iter() {
        heap.add(key, &HeapSite { temporary_count: 0, temporary_bytes: 0, ..*site });
    }
    profile.heap = heap;
    let page = heap_page(&profile, &options(HeapQuestion::Temporary));
    assert!(page.contains("Samples do not tell") && page.contains("--heap=exact"), "{page}");
    let page = json(&profile);
    for field in ["temporary_bytes", "temporary_count"] {
        assert!(page["heap"].get(field).is_none() && page["allocators"][0].get(field).is_none(), "{field}");
    }
}

#[test]
fn the_figures_for_programs_add_up_and_lie_in_their_intervals() {
    for mode in [HeapMode::Exact, HeapMode::Sampled] {
        let page = json(&server(mode));
        let heap = &page["heap"];
        let sum = |list: &Value, field: &str| -> u64 {
            list.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
        };
        for field in ["allocated_bytes", "allocated_count", "live_bytes", "peak_bytes", "temporary_bytes"] {
            assert_eq!(heap[field].as_u64(), Some(sum(&page["allocators"], field)), "{field}");
        }
        assert_eq!(heap["leaked_bytes"].as_u64(), Some(sum(&heap["leaks"], "bytes")));
        assert_eq!(heap["allocated_count"].as_u64(), Some(sum(&heap["sizes"], "count")));
        assert_eq!(heap["freed_bytes"].as_u64(), Some(sum(&heap["lifetimes"], "bytes")));
        assert_eq!(heap["growth"]["paths"][0]["name"], "server::session::remember");
        assert_eq!(heap["growth"]["paths"][0]["lasting"], true);
        assert_eq!(heap["growth"]["paths"][0]["trend"], "steady");
        let python = &page["allocators"][0]["python"];
        assert_eq!((&python["function"], &python["line"]), (&"Batcher.collect".into(), &77.into()));
        assert!(page["allocators"][1].get("python").is_none());
        assert_eq!(heap["timeline"]["live"].as_array().unwrap().len(), 121);
        assert_eq!(heap["mode"], if mode == HeapMode::Exact { "exact" } else { "sampled" });
        assert_eq!(heap["interval"].is_null(), mode == HeapMode::Exact);
        if let Some(interval) = heap["interval"].as_array() {
            let [low, high] = [0, 1].map(|end| interval[end].as_u64().unwrap());
            assert!((low..=high).contains(&heap["allocated_bytes"].as_u64().unwrap()));
        }
        let of_report: Value = serde_json::from_str(&report(&server(mode), ReportFormat::Json)).unwrap();
        assert_eq!(of_report["heap"], *heap);
        assert_eq!(of_report["allocators"], page["allocators"]);
    }
}

#[test]
fn the_page_for_the_browser_draws_heap_and_memory_over_time_and_has_all_lists() {
    let page = report(&server(HeapMode::Sampled), ReportFormat::Html);
    assert_eq!(page.matches("<path class=\"series").count(), 2);
    assert!(page.contains("aria-label=\"heap and memory (RSS) from 0 ns to 2 min 00 s\""));
    for id in ["heap", "heap-time", "heap-growth", "heap-leaks", "heap-peak", "heap-temporary", "heap-sizes"]
    {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
        assert!(page.contains(&format!("<a href=\"#{id}\"")), "{id}");
    }
    assert!(page.contains("<b>server::session::remember</b><i><bdi>session.rs:131</bdi></i>"));
    for metric in ["\"allocated\"", "\"peak\"", "\"live\"", "\"temporary\""] {
        assert!(page.contains(metric), "{metric}");
    }
}

#[test]
fn a_report_in_a_page_keeps_the_heap_it_carries() {
    for format in [ReportFormat::Html, ReportFormat::Markdown] {
        let page = report(&server(HeapMode::Sampled), format);
        let carried = calor_formats::read(page.as_bytes()).unwrap();
        assert_eq!(json(&carried)["heap"], json(&server(HeapMode::Sampled))["heap"], "{format}");
    }
}

#[test]
fn scopes_show_what_they_allocated_freed_kept_and_held_at_most() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (name, allocated_bytes, freed_bytes) in [("load", 8 << 20, 2 << 20), ("drop_all", 0, 4 << 20)] {
        let stack = profile.intern_named_path(&["run", name], FrameKind::Scope).unwrap();
        let memory = ScopeMemory {
            allocated_bytes,
            allocated_count: allocated_bytes >> 10,
            freed_bytes,
            freed_count: 7,
            peak_bytes: allocated_bytes / 2,
        };
        let stats = ScopeStats { calls: 4, memory: Some(memory), ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    let text = report(&profile, ReportFormat::Text);
    let (_, section) = text.split_once("Memory of scopes\n").expect("there is a section");
    assert!(
        section.starts_with("  2 scopes by bytes allocated. A scope counts what its own thread did"),
        "{section}"
    );
    let rows = section.lines().filter(|row| row.contains(" › ")).take(2);
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows[0].join(" "), "8.00 MiB 8,192 2.00 MiB 2.00 MiB +6.00 MiB 4.00 MiB run › load");
    assert_eq!(rows[1].join(" "), "0 B 0 0 B 4.00 MiB -4.00 MiB 0 B run › drop_all");
    let page: Value = serde_json::from_str(&report(&profile, ReportFormat::Json)).unwrap();
    assert_eq!(page["scope_memory"][1]["live_bytes"], -(4 << 20));
    assert_eq!(page["scope_memory"][0]["peak_bytes"], 4 << 20);
}

#[test]
fn what_stands_out_of_a_heap_is_said_in_sentences() {
    let page = report(&server(HeapMode::Exact), ReportFormat::Text);
    for sentence in [
        "`server::session::remember` holds 1.18 MiB more every second, up to 142 MiB in the end",
        "`server::json::parse` makes 24,024,000 allocations that the next event on the heap frees, 76.6 % of all",
    ] {
        let words: Vec<&str> = page.split_whitespace().collect();
        assert!(words.join(" ").contains(sentence), "{page}");
    }
    assert!(!page.contains("beyond the heap in the end"), "{page}");
}

#[test]
fn a_profile_without_a_heap_is_refused_with_what_to_do() {
    let error = render_heap(&Profile::default(), &HeapOptions::default(), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("calor record --heap"), "{error}");
}

#[test]
fn two_runs_are_compared_by_paths() {
    let (before, after) = (server(HeapMode::Exact), server(HeapMode::Sampled));
    let mut page = Vec::new();
    let sides = [&before, &after].map(|profile| HeapSide::Run(profile, HeapOrder::Peak));
    let text = options(HeapQuestion::Overview);
    render_heap_difference(sides[0], sides[1], "Held", &text, &mut page).unwrap();
    assert!(String::from_utf8(page).unwrap().contains("No place differs."));
    let first = before.heap.snapshots.iter().next().unwrap();
    let (mut page, snapshot) = (Vec::new(), HeapSide::Snapshot(&before, first));
    render_heap_difference(snapshot, sides[1], "Held", &text, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("+240MiB") && page.contains("new"), "{page}");
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(u64::MAX), 0..1000_u64, any::<u64>()]
}

fn variance() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(f64::INFINITY), Just(f64::MAX), 0.0..1e12, Just(-1.0)]
}

type Row = ((u64, u64, u64, u64), (u64, u64, u64, u64), (f64, f64, f64), u64);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let figures = || (number(), number(), number(), number());
    prop::collection::vec((figures(), figures(), (variance(), variance(), variance()), number()), 0..12)
}

fn odd(rows: &[Row]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (index, (first, second, variances, at_nanos)) in rows.iter().enumerate() {
        let name = ["<b>bold</b>", "`tick|s`", "\u{1b}[31mred", ""][index % 4];
        let path = [name, "g"];
        let stack =
            profile.intern_named_path(&path[..=index % 2], FrameKind::Native).expect("a path has a frame");
        let site = HeapSite {
            allocated_bytes: first.0,
            allocated_count: first.1,
            freed_bytes: first.2,
            freed_count: first.3,
            peak_bytes: second.0,
            peak_count: second.1,
            temporary_count: second.2,
            temporary_bytes: second.3,
            samples: first.1,
            allocated_variance: variances.0,
            live_variance: variances.1,
            peak_variance: variances.2,
        };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        let blocks = HeapBlocks { count: first.1, bytes: second.0 };
        profile.heap.histograms.sizes.record(*at_nanos, blocks);
        profile.heap.histograms.lifetimes.record(first.0, blocks);
        let mut snapshot = HeapSnapshot::new(*at_nanos);
        snapshot.add(stack, blocks);
        profile.heap.snapshots.add(snapshot);
        profile.push_heap_point(*at_nanos, Some(first.0), Some(second.0));
        let leaked = (index % 2 == 0).then_some(blocks);
        let summary = HeapSummary::new(HeapMode::Sampled, first.2, Some(*at_nanos));
        profile.heap.summary = Some(HeapSummary { leaked, sampling_bytes: Some(first.3), ..summary });
    }
    profile.heap.summary.get_or_insert(HeapSummary::new(HeapMode::Exact, 0, None));
    profile
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn odd_figures_and_names_are_drawn_without_harm(rows in rows()) {
        let profile = odd(&rows);
        for question in QUESTIONS {
            for (format, width) in [(HeapFormat::Text, 40), (HeapFormat::Text, 100), (HeapFormat::Markdown, 100)] {
                let page = heap_page(&profile, &HeapOptions { format, width, ..options(question) });
                prop_assert!(!page.contains("<b>bold") || format == HeapFormat::Text, "{page}");
                prop_assert!(!page.contains('\u{1b}'), "{page}");
            }
        }
        json(&profile);
        let page = report(&profile, ReportFormat::Html);
        prop_assert!(!page.contains("<b>bold"));
        let chart = page.split_once("<figure>").and_then(|(_, rest)| rest.split_once("</figure>"));
        prop_assert!(chart.is_none_or(|(chart, _)| !chart.contains("NaN") && !chart.contains("inf")));
        let [a, b] = [HeapOrder::Live, HeapOrder::Peak].map(|order| HeapSide::Run(&profile, order));
        render_heap_difference(a, b, "Held", &options(HeapQuestion::Overview), &mut Vec::new()).unwrap();
    }
}
