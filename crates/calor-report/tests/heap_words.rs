//! What pages about the heap say beside their figures: what was counted, how surely, and what it does not mean.

mod heap_sketch;

use calor_analysis::{HeapGroup, HeapOrder, HeapSide, Suppressions, ThreadChoice};
use calor_model::{
    Frame, FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, LabelTable,
    Profile, Recorder, Run, ScopeKey, ScopeMemory, ScopeStats, Warning,
};
use calor_report::{HeapFormat, HeapOptions, HeapQuestion, render_heap, render_heap_difference};
use heap_sketch::server;

fn page(profile: &Profile, options: &HeapOptions) -> String {
    let mut page = Vec::new();
    render_heap(profile, options, &mut page).expect("a heap was watched");
    String::from_utf8(page).expect("pages are text")
}

fn asked(question: HeapQuestion, width: usize) -> HeapOptions {
    HeapOptions { question, width, ..HeapOptions::default() }
}

/// A page as one line of words, however it was broken.
fn words(profile: &Profile, question: HeapQuestion) -> String {
    page(profile, &asked(question, 100)).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn difference(before: &Profile, after: &Profile, order: HeapOrder, format: HeapFormat) -> String {
    let mut page = Vec::new();
    let sides = [before, after].map(|profile| HeapSide::Run(profile, order));
    let options = HeapOptions { format, width: 100, ..HeapOptions::default() };
    render_heap_difference(sides[0], sides[1], "Held", &options, &mut page).expect("both have a heap");
    let page = String::from_utf8(page).expect("pages are text");
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heap of places: a function, its line, and what was allocated and is live.
fn places(mode: HeapMode, thread: &str, rows: &[(&str, u32, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 0, thread);
    for (index, &(name, line, bytes)) in rows.iter().enumerate() {
        let mut stack = None;
        for (name, line) in [("main", 5), (name, line)] {
            let (name, file) =
                (profile.strings.intern(name), profile.strings.intern("/src/deep/down/store.rs"));
            let frame = Frame { file: Some(file), line: Some(line), ..Frame::new(name, FrameKind::Native) };
            let frame = profile.frames.intern(frame);
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let stack = stack.expect("there are two frames");
        let mut site = HeapSite {
            allocated_bytes: bytes,
            allocated_count: 1 + index as u64,
            peak_bytes: bytes,
            peak_count: 1,
            ..HeapSite::default()
        };
        if mode == HeapMode::Sampled {
            site.samples = 3;
            // So that 95 % lie within 1 MiB.
            site.live_variance = (f64::from(1 << 20) / 1.96).powi(2);
        }
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
    }
    let all = rows.iter().map(|row| row.2).sum();
    let leaked = Some(HeapBlocks { count: 1, bytes: all });
    profile.heap.summary = Some(HeapSummary { leaked, ..HeapSummary::new(mode, all, Some(0)) });
    profile
}

#[test]
fn the_first_screen_has_totals_peak_what_is_left_holders_and_allocators_and_says_where_more_is() {
    for mode in [HeapMode::Exact, HeapMode::Sampled] {
        let page = page(&server(mode), &asked(HeapQuestion::Overview, 80));
        // With the prompt behind it, that is the smallest terminal.
        assert!(page.lines().count() <= 23, "{} lines:\n{page}", page.lines().count());
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
        let after = |title: &str| -> Vec<&str> {
            let rows = page.lines().skip_while(|line| !line.starts_with(title)).skip(2);
            rows.take_while(|line| !line.is_empty()).collect()
        };
        let (holders, allocators) = (after("Held when the heap was largest"), after("Top allocators"));
        assert_eq!((holders.len(), allocators.len()), (5, 3), "{page}");
        assert!(holders[0].contains("server::model::load  model.rs:88"), "{page}");
        for told in
            ["allocated ", "peak ", "575 MiB", "at 2 min 00 s", "not freed ", "when the program ended"]
        {
            assert!(page.contains(told), "{told}: {page}");
        }
        assert!(page.contains("growing    `server::session::remember` by 1.18 MiB/s, steadily"), "{page}");
        for option in
            ["--peak", "--allocated", "--leaks", "--temporary", "--growth", "--sizes", "--tree", "--all"]
        {
            assert!(page.contains(option), "{option}: {page}");
        }
    }
}

#[test]
fn everything_has_all_lists_and_the_chart() {
    let page = page(&server(HeapMode::Exact), &asked(HeapQuestion::Everything, 100));
    for title in [
        "Heap",
        "Heap over time",
        "Top allocators",
        "Held when the heap was largest",
        "Not freed at the end",
        "Temporary",
        "Growing",
        "Sizes of allocations",
        "Lifetimes of freed blocks",
        "What was not seen",
    ] {
        assert!(page.lines().any(|line| line == title), "{title}: {page}");
    }
}

#[test]
fn temporary_is_by_the_order_of_events_and_not_by_time() {
    let list = words(&server(HeapMode::Exact), HeapQuestion::Temporary);
    assert!(
        list.contains(
            "Allocations that the next event of their thread on the heap freed, however much later"
        )
    );
    let short = words(&server(HeapMode::Exact), HeapQuestion::Overview);
    assert!(short.contains("28,895,712 blocks (92.1 %), freed by the next event"), "{short}");
}

#[test]
fn growth_over_a_short_time_is_told_with_what_it_may_be() {
    let mut profile = places(HeapMode::Exact, "main", &[("keep", 9, 1 << 20)]);
    let stack = profile.heap.iter().next().expect("there is a row").0.stack;
    for tenth in 0..100_u64 {
        let mut snapshot = HeapSnapshot::new(tenth * 100_000_000);
        snapshot.add(stack, HeapBlocks { count: tenth, bytes: tenth << 20 });
        profile.heap.snapshots.add(snapshot);
    }
    let page = words(&profile, HeapQuestion::Growth);
    assert!(
        page.contains("1 place grows steadily") && page.contains("So short a time may be a start"),
        "{page}"
    );
    assert!(!words(&server(HeapMode::Exact), HeapQuestion::Growth).contains("So short a time"));
}

#[test]
fn a_line_stays_where_callers_and_files_have_to_be_cut() {
    let long = "store::segments::compaction::merge_sorted_runs_into";
    let profile = places(HeapMode::Exact, "main", &[("load", 12, 5 << 20), (long, 3_456, 1 << 20)]);
    for width in [60, 80, 100, 140] {
        let page = page(&profile, &asked(HeapQuestion::Peak, width));
        for line in [":12", ":3456"] {
            assert!(page.lines().any(|row| row.ends_with(line)), "{line} at {width}:\n{page}");
        }
        assert!(page.lines().all(|row| row.chars().count() <= width), "{page}");
    }
    let narrow = page(&profile, &asked(HeapQuestion::Peak, 80));
    assert!(narrow.contains("main › load  store.rs:12"), "{narrow}");
    let markdown = HeapOptions { format: HeapFormat::Markdown, ..asked(HeapQuestion::Peak, 80) };
    assert!(page(&profile, &markdown).contains("(store.rs:3456)"));
}

#[test]
fn lifetimes_are_estimates_although_all_else_is_exact() {
    let mut profile = server(HeapMode::Exact);
    profile.heap.histograms.are_lifetimes_sampled = true;
    let page = words(&profile, HeapQuestion::Sizes);
    let (sizes, lifetimes) = page.split_once("Lifetimes of freed blocks").expect("both are there");
    assert!(lifetimes.contains("Of sampled blocks alone") && lifetimes.contains('~'), "{page}");
    assert!(lifetimes.contains("although the rest is exact") && !sizes.contains('~'), "{page}");
}

#[test]
fn the_chart_has_the_peak_although_nobody_looked_at_that_moment() {
    let mut profile = server(HeapMode::Exact);
    let summary = profile.heap.summary.as_mut().expect("a heap was watched");
    (summary.peak_bytes, summary.peak_at_nanos) = (700 << 20, Some(61_500_000_000));
    let page = words(&profile, HeapQuestion::Everything);
    assert!(page.contains("most 700 MiB, last 575 MiB"), "{page}");
    assert!(page.contains("and the heap also at its peak"), "{page}");
    // Of several processes the peak is that of one, and less than all held together.
    let summary = profile.heap.summary.as_mut().expect("a heap was watched");
    summary.peak_bytes = 300 << 20;
    let page = words(&profile, HeapQuestion::Everything);
    assert!(page.contains("most 575 MiB") && !page.contains("also at its peak"), "{page}");
}

#[test]
fn the_chart_ends_with_what_a_program_held_at_its_end() {
    let mut profile =
        places(HeapMode::Exact, "(all threads)", &[("load", 12, 5 << 20), ("keep", 40, 1 << 20)]);
    for (at, live) in [(0, 1 << 20), (1_000_000_000, 9 << 19)] {
        profile.push_heap_point(at, Some(live), Some(20 << 20));
    }
    profile.runs.push(Run { duration_nanos: 2_000_000_000, ..Run::default() });
    let ended = words(&profile, HeapQuestion::Everything);
    assert!(ended.contains("most 6.00 MiB, last 6.00 MiB"), "{ended}");
    profile.heap.summary.as_mut().expect("a heap was watched").leaked = None;
    let killed = words(&profile, HeapQuestion::Everything);
    assert!(killed.contains("last 4.50 MiB"), "{killed}");
}

#[test]
fn memory_beyond_the_heap_names_calors_own_tables_and_mappings_are_counted() {
    let page = words(&server(HeapMode::Exact), HeapQuestion::Everything);
    assert!(page.contains("every allocation and mapping (mmap): figures are exact"), "{page}");
    assert!(page.contains("what the allocator keeps, and Calor's own tables"), "{page}");
}

#[test]
fn what_a_process_held_that_became_another_program_is_not_called_leaked() {
    let mut profile =
        places(HeapMode::Exact, "(all threads)", &[("load", 12, 5 << 20), ("keep", 40, 1 << 20)]);
    profile.heap.summary.as_mut().expect("a heap was watched").leaked =
        Some(HeapBlocks { count: 1, bytes: 1 << 20 });
    let short = words(&profile, HeapQuestion::Overview);
    assert!(
        short.contains(
            "1.00 MiB when processes ended, 5.00 MiB by others, which became another program (exec)"
        )
    );
    let json = HeapOptions { format: HeapFormat::Json, ..HeapOptions::default() };
    let json: serde_json::Value = serde_json::from_str(&page(&profile, &json)).expect("it is JSON");
    assert_eq!(
        (&json["heap"]["leaked_bytes"], &json["heap"]["not_leaked_bytes"]),
        (&(1 << 20).into(), &(5 << 20).into())
    );
    let list = words(&profile, HeapQuestion::Leaks);
    assert!(list.contains("Not all of it is leaked: 5.00 MiB were held by processes that became"), "{list}");
}

#[test]
fn threads_cannot_be_chosen_where_counts_are_of_all_of_them() {
    let profile = places(HeapMode::Exact, "(all threads)", &[("load", 12, 5 << 20)]);
    for name in ["worker", "(all threads)"] {
        let threads = ThreadChoice::Named(name.to_owned());
        let options = HeapOptions { threads, ..HeapOptions::default() };
        let error = render_heap(&profile, &options, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("by call path and not by thread") && error.contains("--tree"), "{error}");
    }
}

#[test]
fn a_heap_without_allocations_says_so_and_one_that_could_not_be_watched_says_why() {
    let mut profile = Profile::default();
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 0, None));
    let page = words(&profile, HeapQuestion::Overview);
    assert!(page.contains("nothing was allocated while it was watched") && !page.contains("0 B"), "{page}");
    let mut profile = Profile::default();
    profile.warn(Warning::new("heap_not_watched", "it is linked statically"));
    let error = render_heap(&profile, &HeapOptions::default(), &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(error, "the profile has no heap: it is linked statically");
}

#[test]
fn what_was_not_seen_of_the_heap_is_on_the_first_screen() {
    let mut profile = server(HeapMode::Exact);
    profile.warn(Warning::new("symbols_missing", "libfoo.so: no names"));
    assert!(!words(&profile, HeapQuestion::Overview).contains("What was not seen"));
    profile.warn(Warning::new("heap_peak_of_one", "3 processes were watched"));
    let page = words(&profile, HeapQuestion::Overview);
    assert!(page.contains("3 processes were watched") && page.contains("1 warning of other kinds"), "{page}");
    assert!(page.contains("575 MiB at 2 min 00 s, of the largest process"), "{page}");
}

#[test]
fn lines_of_one_function_are_compared_each_with_itself() {
    let exact = |rows: &[(&str, u32, u64)]| places(HeapMode::Exact, "main", rows);
    let before = exact(&[("load", 12, 5 << 20), ("load", 40, 1 << 20)]);
    let after = exact(&[("load", 14, 5 << 20), ("load", 42, 4 << 20)]);
    let page = difference(&before, &after, HeapOrder::Live, HeapFormat::Text);
    assert!(page.contains("+3.00 MiB 0 1.00 MiB 4.00 MiB grown main › load store.rs:42"), "{page}");
    assert!(!page.contains("store.rs:14"), "{page}");
    let three = exact(&[("load", 14, 5 << 20), ("load", 42, 4 << 20), ("load", 50, 1 << 20)]);
    let page = difference(&before, &three, HeapOrder::Live, HeapFormat::Text);
    assert!(page.contains("grown main › load (several lines)"), "{page}");
}

#[test]
fn an_exact_heap_beside_a_sampled_one_is_warned_of_and_what_may_be_chance_is_uncertain() {
    let before = places(HeapMode::Exact, "main", &[("load", 12, 8 << 20), ("keep", 40, 1 << 20)]);
    let after = places(HeapMode::Sampled, "main", &[("load", 12, 11 << 20), ("keep", 40, 3 << 19)]);
    let page = difference(&before, &after, HeapOrder::Live, HeapFormat::Text);
    assert!(page.contains("Every allocation was counted before, and after samples were taken"), "{page}");
    assert!(page.contains("1 of 2 differences are uncertain"), "{page}");
    assert!(page.contains("~+3.00 MiB 1.00 MiB ~0 8.00 MiB ~11.0 MiB grown main › load"), "{page}");
    assert!(page.contains("~+512 KiB 1.00 MiB ~0 1.00 MiB ~1.50 MiB uncertain main › keep"), "{page}");
    let json = difference(&before, &after, HeapOrder::Live, HeapFormat::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["warnings"][0]["code"], "heap_modes_differ");
    assert_eq!((&json["before"]["mode"], &json["after"]["mode"]), (&"exact".into(), &"sampled".into()));
    assert_eq!(
        (&json["changes"][0]["certain"], &json["changes"][1]["certain"]),
        (&true.into(), &false.into())
    );
    assert_eq!(json["changes"][0]["interval"][0], 2 << 20);
    let same = difference(&before, &before, HeapOrder::Live, HeapFormat::Text);
    assert!(!same.contains("samples") && same.contains("No place differs"), "{same}");
}

#[test]
fn a_question_asked_alone_says_how_sure_it_is_and_what_was_not_seen() {
    let mut profile = server(HeapMode::Exact);
    profile.warn(Warning::new("heap_own_allocator", "an allocator is linked into the program"));
    let tree = HeapOptions { is_tree: true, ..asked(HeapQuestion::Peak, 100) };
    let mut pages = vec![page(&profile, &tree)];
    for question in [
        HeapQuestion::Allocated,
        HeapQuestion::Peak,
        HeapQuestion::Leaks,
        HeapQuestion::Temporary,
        HeapQuestion::Growth,
        HeapQuestion::Sizes,
    ] {
        pages.push(page(&profile, &asked(question, 100)));
    }
    for page in pages {
        assert!(page.starts_with("Heap, every allocation and mapping (mmap): figures are exact\n"), "{page}");
        assert!(page.contains("What was not seen\n  - an allocator is linked into the program"), "{page}");
    }
    let sampled = page(&server(HeapMode::Sampled), &asked(HeapQuestion::Peak, 100));
    assert!(sampled.starts_with("Heap, by samples every 512 KiB in the mean: estimates"), "{sampled}");
}

#[test]
fn a_comparison_says_what_was_not_seen_of_either_side() {
    let mut before = server(HeapMode::Exact);
    before.warn(Warning::new("file_truncated", "the file ends in the middle"));
    let after = server(HeapMode::Exact);
    let page = difference(&before, &after, HeapOrder::Live, HeapFormat::Text);
    assert!(page.contains("What was not seen before - the file ends in the middle"), "{page}");
    assert!(!page.contains("What was not seen after"), "{page}");
    let same = difference(&before, &before, HeapOrder::Live, HeapFormat::Text);
    assert!(same.contains("What was not seen - the file ends in the middle"), "{same}");
}

#[test]
fn a_file_that_is_cut_off_is_not_called_exact_and_says_so_on_top() {
    for code in ["file_truncated", "recording_cut_off", "chunk_damaged"] {
        let mut profile = server(HeapMode::Exact);
        profile.warn(Warning::new("symbols_missing", "libfoo.so: no names"));
        profile.warn(Warning::new(code, "the file ends in the middle"));
        for question in [HeapQuestion::Overview, HeapQuestion::Peak, HeapQuestion::Everything] {
            let page = words(&profile, question);
            assert!(
                !page.contains("exact") && page.contains("mapping (mmap), but the recording is cut off"),
                "{page}"
            );
            let (before, _) = page.split_once("allocated in").expect("there is a list");
            assert!(before.contains("the file ends in the middle"), "{page}");
        }
    }
}

#[test]
fn what_was_watched_is_what_the_recorder_says() {
    let watched = |recorders: &[Recorder]| {
        let mut profile = places(HeapMode::Exact, "main", &[("load", 12, 5 << 20)]);
        let recorders = recorders.iter().copied().collect();
        profile.runs.push(Run { recorders, ..Run::default() });
        page(&profile, &asked(HeapQuestion::Overview, 100)).lines().next().unwrap_or_default().to_owned()
    };
    let of_sdk = watched(&[Recorder::Scopes, Recorder::Heap]);
    assert_eq!(of_sdk, "Heap, every allocation by calor::Alloc: figures are exact");
    let from_outside = watched(&[Recorder::Cpu, Recorder::Heap]);
    assert_eq!(from_outside, "Heap, every allocation and mapping (mmap): figures are exact");
    assert_eq!(watched(&[Recorder::Heap]), "Heap, every allocation: figures are exact");
}

/// One line that is called in so many ways: `left` and `right` call each other.
fn recursive(n_paths: usize) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 0, "(all threads)");
    let mut native = |name: &str| {
        let (name, file) = (profile.strings.intern(name), profile.strings.intern("recur.c"));
        let frame = Frame { file: Some(file), line: Some(4), ..Frame::new(name, FrameKind::Native) };
        profile.frames.intern(frame)
    };
    let [main, left, right, make] = ["main", "left", "right", "make"].map(&mut native);
    for number in 0..n_paths {
        let turns = (0..10).map(|bit| if number >> bit & 1 == 0 { left } else { right });
        let path: Vec<_> = [main].into_iter().chain(turns).chain([make]).collect();
        let stack = profile.stacks.intern_path(path).expect("a path has a frame");
        let site = HeapSite {
            allocated_bytes: 1000,
            allocated_count: 1,
            peak_bytes: 1000,
            peak_count: 1,
            ..HeapSite::default()
        };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
    }
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 1000 * n_paths as u64, Some(0)));
    profile
}

#[test]
fn a_line_is_one_row_however_it_was_called_and_its_paths_can_be_listed() {
    let profile = recursive(1024);
    for width in [80, 120] {
        for question in [HeapQuestion::Overview, HeapQuestion::Allocated, HeapQuestion::Peak] {
            let page = page(&profile, &asked(question, width));
            let rows: Vec<&str> = page.lines().filter(|line| line.contains("recur.c:4")).collect();
            assert!(
                rows.iter()
                    .all(|row| row.contains("100.0 %") && row.contains(" 1,024 ") && row.contains(" 20 ")),
                "{page}"
            );
            assert_eq!(rows.len(), if question == HeapQuestion::Overview { 2 } else { 1 }, "{page}");
        }
    }
    let by = |group| page(&profile, &HeapOptions { group, ..asked(HeapQuestion::Allocated, 100) });
    let paths = by(HeapGroup::Path);
    assert_eq!(paths.lines().filter(|line| line.contains("recur.c:4")).count(), 20, "{paths}");
    let function = by(HeapGroup::Function);
    assert!(
        function.lines().any(|row| row.ends_with("make")) && !function.contains("recur.c:4"),
        "{function}"
    );
}

#[test]
fn the_peak_of_samples_is_counted_and_what_they_do_not_tell_is_said() {
    let mut profile = places(HeapMode::Sampled, "main", &[("load", 12, 8 << 20)]);
    let rows: Vec<_> = profile.heap.iter().map(|(key, site)| (key, *site)).collect();
    let summary = HeapSummary {
        sampling_bytes: Some(512 << 10),
        leaked: Some(HeapBlocks::default()),
        ..HeapSummary::new(HeapMode::Sampled, 9 << 20, Some(0))
    };
    profile.heap = Default::default();
    profile.heap.summary = Some(summary);
    for (key, site) in rows {
        let freed = HeapSite {
            freed_bytes: site.allocated_bytes,
            freed_count: site.allocated_count,
            peak_variance: site.live_variance,
            live_variance: 0.0,
            ..site
        };
        profile.heap.add(key, &freed);
    }
    let page = words(&profile, HeapQuestion::Overview);
    assert!(page.contains("~9.00 MiB at 0 ns, counted; by the samples ~8.00 MiB ± 12 %"), "{page}");
    assert!(page.contains("not freed ~0 B in ~0 blocks (at most 1.50 MiB, with 95 % certainty)"), "{page}");
    profile.heap.histograms.lifetimes.record(10, HeapBlocks { count: 1, bytes: 1 });
    let sizes = words(&profile, HeapQuestion::Sizes);
    assert!(sizes.contains("Sizes of allocations - Samples do not tell"), "{sizes}");
}

#[test]
fn patterns_that_suppress_nothing_are_named() {
    let suppressions = Suppressions::parse("leak:model::load\nleak:no_such_function").expect("two patterns");
    let leaks = HeapOptions { suppressions, ..asked(HeapQuestion::Leaks, 100) };
    let text = page(&server(HeapMode::Exact), &leaks).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Suppressed nothing: `no_such_function`."), "{text}");
    let json = HeapOptions { format: HeapFormat::Json, ..leaks };
    let json: serde_json::Value = serde_json::from_str(&page(&server(HeapMode::Exact), &json)).expect("JSON");
    assert_eq!(json["heap"]["unused_suppressions"][0], "no_such_function");
}

#[test]
fn an_allocator_that_only_sums_is_not_told_to_be_installed() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["run"], FrameKind::Scope).expect("a path");
    let memory = Some(ScopeMemory { allocated_bytes: 5, allocated_count: 1, ..ScopeMemory::default() });
    let stats = ScopeStats { calls: 1, memory, ..ScopeStats::default() };
    profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    let error = render_heap(&profile, &HeapOptions::default(), &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("calor::Alloc::sums") && error.contains("calor::Alloc::system"), "{error}");
}

#[test]
fn lists_of_places_have_the_whole_card_in_a_browser() {
    let html = HeapOptions { format: HeapFormat::Html, ..asked(HeapQuestion::Allocated, 80) };
    let page = page(&server(HeapMode::Exact), &html);
    assert!(page.contains("<table class=\"sortable\">"), "{page}");
}
