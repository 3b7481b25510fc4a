//! Rows in every order, with the shares they should have.

use std::time::Duration;

use calor_model::FrameKind;

use super::*;
use crate::live::amount::{LiveFunctionTime, LiveThreadTime};
use crate::live::digest::LivePart;

fn function(name: &str) -> Arc<LiveFunction> {
    Arc::new(LiveFunction { name: name.to_owned(), module: "app".to_owned(), kind: FrameKind::Native })
}

/// One part a second, each given by the own time of its functions in milliseconds.
fn window(parts: &[&[(&str, u64)]]) -> LiveWindow {
    let second = Duration::from_secs(1);
    let mut window = LiveWindow::default();
    for part in parts {
        let mut digest = LivePart::default();
        for (name, millis) in *part {
            let own = millis * 1_000_000;
            digest.cpu_nanos += own;
            digest.functions.push((function(name), LiveFunctionTime { own, total: own }));
            digest.calls.push(((None, function(name)), own));
        }
        window.add(digest, second, 0, second);
    }
    window
}

const CHOICE: LiveQuestion<'_> = LiveQuestion {
    list: LiveList::Functions,
    span: LiveSpan::Short,
    order: LiveOrder::Own,
    is_reversed: false,
    filter: "",
};

fn shown(window: &LiveWindow, choice: &LiveQuestion<'_>) -> Vec<(String, u32)> {
    let rows = window.rows(choice).0;
    rows.into_iter().map(|row| (row.name, (row.own * 100.0).round() as u32)).collect()
}

fn names(window: &LiveWindow, choice: &LiveQuestion<'_>) -> Vec<String> {
    shown(window, choice).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn shares_are_of_the_time_that_is_shown() {
    let old: &[(&str, u64)] = &[("old", 500)];
    let mut parts = vec![old; 20];
    parts.extend(vec![&[("new", 100), ("other", 300)][..]; 10]);
    let window = window(&parts);
    assert_eq!(shown(&window, &CHOICE), [("other".to_owned(), 75), ("new".to_owned(), 25)]);
    let whole = LiveQuestion { span: LiveSpan::Whole, ..CHOICE };
    assert_eq!(shown(&window, &whole)[0], ("old".to_owned(), 71));
}

#[test]
fn rows_can_be_in_every_order_and_its_reverse() {
    let mut parts = vec![&[("b", 50), ("c", 40), ("a", 10)][..]; 10];
    parts.extend([&[("a", 90), ("b", 5), ("c", 5)][..]; 3]);
    let window = window(&parts);
    let by = |order, is_reversed| {
        names(&window, &LiveQuestion { span: LiveSpan::Whole, order, is_reversed, ..CHOICE }).concat()
    };
    assert_eq!((by(LiveOrder::Own, false).as_str(), by(LiveOrder::Own, true).as_str()), ("bca", "acb"));
    assert_eq!(by(LiveOrder::Trend, false), "acb", "a rose, b fell most");
    assert_eq!((by(LiveOrder::Name, false).as_str(), by(LiveOrder::Name, true).as_str()), ("abc", "cba"));
}

#[test]
fn a_program_that_has_just_begun_has_no_trend() {
    let window = window(&[&[("a", 90)], &[("b", 10)]]);
    assert!(window.rows(&CHOICE).0.iter().all(|row| row.trend == 0.0));
}

#[test]
fn a_filter_asks_for_part_of_a_name_or_place_whatever_the_case() {
    let window = window(&[&[("Gemm", 5), ("sort", 4)]]);
    let filtered = |filter| names(&window, &LiveQuestion { filter, ..CHOICE });
    assert_eq!(filtered("gEM"), ["Gemm"]);
    assert_eq!(filtered("APP").len(), 2, "the module counts");
    assert_eq!(window.rows(&LiveQuestion { filter: "none", ..CHOICE }), (Vec::new(), 2));
}

#[test]
fn a_thread_is_shown_with_what_it_does_most() {
    let (busy, idle) = (LiveThread { pid: 1, tid: 2 }, LiveThread { pid: 1, tid: 3 });
    let second = Duration::from_secs(1);
    let digest = LivePart {
        threads: vec![
            (
                busy,
                LiveThreadTime { running: 900_000_000, waiting: 100_000_000, ..LiveThreadTime::default() },
            ),
            (idle, LiveThreadTime { waiting: 1_000_000_000, ..LiveThreadTime::default() }),
        ],
        spots: vec![((busy, function("gemm")), 700_000_000), ((busy, function("sort")), 200_000_000)],
        thread_names: vec![(busy, "worker".to_owned())],
        ..LivePart::default()
    };
    let mut window = LiveWindow::default();
    window.add(digest, second, 0, second);
    let (rows, _) = window.rows(&LiveQuestion { list: LiveList::Threads, ..CHOICE });
    assert_eq!((rows[0].name.as_str(), rows[0].place.as_str()), ("worker", "gemm"));
    assert!((rows[0].own - 0.9).abs() < 1e-9 && (rows[1].total - 1.0).abs() < 1e-9);
    let hottest = window.work_of(LiveSpan::Short, busy);
    assert_eq!(hottest.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["gemm", "sort"]);
    assert!((hottest[0].0 - 7.0 / 9.0).abs() < 1e-9);
}

#[test]
fn callers_and_callees_are_shares_of_the_functions_own_total() {
    let second = Duration::from_secs(1);
    let [main, work, leaf] = ["main", "work", "leaf"].map(function);
    let time = |own, total| LiveFunctionTime { own, total };
    let digest = LivePart {
        cpu_nanos: 100,
        functions: vec![
            (Arc::clone(&main), time(0, 100)),
            (Arc::clone(&work), time(20, 80)),
            (Arc::clone(&leaf), time(80, 80)),
        ],
        calls: vec![
            ((None, Arc::clone(&main)), 100),
            ((Some(Arc::clone(&main)), Arc::clone(&work)), 80),
            ((Some(Arc::clone(&work)), Arc::clone(&leaf)), 60),
            ((Some(main), leaf), 20),
        ],
        ..LivePart::default()
    };
    let mut window = LiveWindow::default();
    window.add(digest, second, 0, second);
    let (callers, callees) = window.calls_of(LiveSpan::Whole, &work);
    assert_eq!((callers, callees), (vec![(1.0, "main".to_owned())], vec![(0.75, "leaf".to_owned())]));
}

#[test]
fn history_is_one_share_a_part_with_the_newest_last() {
    let window = window(&[&[("a", 10)], &[("a", 10), ("b", 10)], &[("b", 10)]]);
    assert_eq!(window.history(&function("a"), 2), [0.5, 0.0]);
}

#[test]
fn an_arrow_needs_more_than_chance() {
    let second = Duration::from_secs(1);
    let is_turning = |now_millis: u64, n_samples: u64| {
        let mut window = LiveWindow::default();
        for part in 0..13 {
            let own = if part < 10 { 500 } else { now_millis };
            let functions = [("a", own), ("b", 1_000 - own)];
            let functions =
                functions.map(|(name, own)| (function(name), LiveFunctionTime { own, total: own }));
            let digest =
                LivePart { cpu_nanos: 1_000, n_samples, functions: functions.into(), ..LivePart::default() };
            window.add(digest, second, 0, second);
        }
        window.rows(&CHOICE).0.iter().all(|row| row.is_turning)
    };
    assert!(is_turning(550, 2_000), "five in a hundred of 6,000 samples");
    assert!(!is_turning(550, 100), "the same of 300");
    assert!(!is_turning(505, 2_000_000), "sure but too small to matter");
}

#[test]
fn time_on_no_line_of_python_has_a_row_so_that_all_add_up() {
    let lines = |millis: &[u64]| {
        let mut digest = LivePart { cpu_nanos: 100_000_000, ..LivePart::default() };
        for (number, own) in (1_u32..).zip(millis.iter().map(|millis| millis * 1_000_000)) {
            let line = PythonLine { file: "/src/train.py".to_owned(), number, function: "step".to_owned() };
            digest.lines.push((line, LiveLineTime { own, total: own, native: 0 }));
        }
        let mut window = LiveWindow::default();
        window.add(digest, Duration::from_secs(1), 0, Duration::from_secs(1));
        shown(&window, &LiveQuestion { list: LiveList::Lines, ..CHOICE })
    };
    let row = |name: &str, percent| (name.to_owned(), percent);
    let expected =
        [row("/src/train.py:2", 50), row("(not Python, or not verified)", 30), row("/src/train.py:1", 20)];
    assert_eq!(lines(&[20, 50]), expected);
    assert_eq!(lines(&[100]), [row("/src/train.py:1", 100)], "there is no rest");
    assert_eq!(lines(&[]), [], "the program is not of Python");
}
