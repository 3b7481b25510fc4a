//! Ways through the keys.

use calor_analysis::live::{LiveOrder, LiveRow, LiveRowKey, LiveSpan, LiveThread};

use super::*;

fn state() -> State {
    let mut state = State { file_name: "calor-top-7.calor".to_owned(), ..State::default() };
    state.settle_count(100, 10);
    state
}

/// Presses keys one after the other: a word for a key that has one, otherwise each letter for itself.
fn press_all(state: &mut State, keys: &[&str]) -> Option<Request> {
    let mut last = None;
    for key in keys {
        let codes = match *key {
            "enter" => vec![KeyCode::Enter],
            "esc" => vec![KeyCode::Esc],
            "tab" => vec![KeyCode::Tab],
            "backtab" => vec![KeyCode::BackTab],
            "down" => vec![KeyCode::Down],
            "up" => vec![KeyCode::Up],
            "pagedown" => vec![KeyCode::PageDown],
            "home" => vec![KeyCode::Home],
            "end" => vec![KeyCode::End],
            "backspace" => vec![KeyCode::Backspace],
            letters => letters.chars().map(KeyCode::Char).collect(),
        };
        for code in codes {
            last = press(state, KeyEvent::from(code));
        }
    }
    last
}

fn row(tid: u64) -> LiveRow {
    let key = LiveRowKey::Thread(LiveThread { pid: 1, tid });
    LiveRow {
        key,
        own: 0.0,
        total: 0.0,
        aside: 0.0,
        trend: 0.0,
        is_turning: false,
        name: String::new(),
        place: String::new(),
    }
}

#[test]
fn there_are_several_ways_out_and_control_c_works_while_something_is_typed() {
    for keys in [&["q"][..], &["esc"]] {
        assert_eq!(press_all(&mut state(), keys), Some(Request::Leave), "{keys:?}");
    }
    for before in ["", "/", "w", "h"] {
        let mut state = state();
        press_all(&mut state, &[before]);
        let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(press(&mut state, key), Some(Request::Leave), "after {before:?}");
    }
}

#[test]
fn escape_closes_what_is_open_before_it_leaves() {
    let mut state = state();
    press_all(&mut state, &["/", "gemm", "enter", "enter"]);
    assert!(state.has_panel && state.filter == "gemm");
    assert_eq!(press_all(&mut state, &["esc"]), None);
    assert!(!state.has_panel && state.filter == "gemm");
    assert_eq!(press_all(&mut state, &["esc"]), None);
    assert!(state.filter.is_empty());
    assert_eq!(press_all(&mut state, &["esc"]), Some(Request::Leave));
}

#[test]
fn letters_of_a_filter_are_no_orders_and_it_holds_while_it_is_typed() {
    let mut state = state();
    assert_eq!(press_all(&mut state, &["/", "sqr", "backspace", "w p"]), None);
    assert_eq!((state.filter.as_str(), &state.mode), ("sqw p", &Mode::Filter));
    press_all(&mut state, &["enter"]);
    assert_eq!((state.filter.as_str(), &state.mode), ("sqw p", &Mode::Browse));
    press_all(&mut state, &["/", "esc"]);
    assert_eq!((state.filter.as_str(), &state.mode), ("", &Mode::Browse));
}

#[test]
fn each_view_has_orders_of_its_own() {
    let mut state = state();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(state.sort());
        press_all(&mut state, &["s"]);
    }
    assert_eq!(seen, [LiveOrder::Own, LiveOrder::Total, LiveOrder::Trend, LiveOrder::Name, LiveOrder::Own]);
    assert_eq!(state.sort(), LiveOrder::Total);
    press_all(&mut state, &["2"]);
    assert_eq!((state.view, state.sort()), (View::Threads, LiveOrder::Own));
    press_all(&mut state, &["4", "s"]);
    assert_eq!(state.sort(), LiveOrder::Own, "nothing to sort is no harm");
    press_all(&mut state, &["1", "r"]);
    assert!(state.sort() == LiveOrder::Total && state.is_reversed);
}

#[test]
fn views_that_have_nothing_are_passed_over_and_asking_for_one_says_why() {
    let mut state = state();
    press_all(&mut state, &["5"]);
    assert_eq!(state.view, View::Functions);
    assert!(state.message.as_deref().is_some_and(|message| message.contains("--off-cpu")));
    let mut seen = Vec::new();
    for _ in 0..6 {
        press_all(&mut state, &["tab"]);
        seen.push(state.view);
    }
    let round = [View::Threads, View::Python, View::Memory, View::Notes, View::Functions, View::Threads];
    assert_eq!(seen, round);
    press_all(&mut state, &["backtab"]);
    assert_eq!(state.view, View::Functions);
    state.has_waits = true;
    press_all(&mut state, &["5"]);
    assert_eq!((state.view, state.message), (View::Waits, None));
}

#[test]
fn the_chosen_row_is_always_there_and_on_the_page() {
    let mut state = state();
    press_all(&mut state, &["up"]);
    assert_eq!(state.selected, 0);
    for (keys, selected) in [("pagedown", 9), ("down", 10), ("end", 99), ("down", 99), ("home", 0)] {
        press_all(&mut state, &[keys]);
        state.settle_count(100, 10);
        assert_eq!(state.selected, selected, "{keys}");
        assert!((state.first..state.first + 10).contains(&selected), "{keys}: from {}", state.first);
    }
    press_all(&mut state, &["end"]);
    state.settle_count(3, 10);
    assert_eq!((state.selected, state.first), (2, 0), "rows went away");
    state.settle_count(0, 10);
    assert_eq!(state.selected, 0);
}

#[test]
fn a_row_that_was_chosen_stays_chosen_when_others_overtake_it() {
    let mut state = state();
    state.settle(&[row(1), row(2), row(3)], 10);
    press_all(&mut state, &["down"]);
    state.settle(&[row(1), row(2), row(3)], 10);
    assert_eq!(state.selected, 1);
    state.settle(&[row(9), row(1), row(3), row(2)], 10);
    assert_eq!(state.selected, 3);
    state.settle(&[row(9), row(1)], 10);
    assert_eq!(state.selected, 1, "it is gone, and another one takes its place");
    press_all(&mut state, &["home"]);
    state.settle(&[row(1), row(9)], 10);
    state.settle(&[row(9), row(1)], 10);
    assert_eq!(state.selected, 0, "the first row is whatever is first");
}

#[test]
fn a_profile_is_saved_under_the_name_that_is_offered_or_typed() {
    let mut state = state();
    let saved = press_all(&mut state, &["w", "enter"]);
    assert_eq!(saved, Some(Request::Save("calor-top-7.calor".into())));
    press_all(&mut state, &["w"]);
    press(&mut state, KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    assert_eq!(press_all(&mut state, &["q.calor", "enter"]), Some(Request::Save("q.calor".into())));
    assert_eq!(press_all(&mut state, &["w", "esc"]), None);
    assert_eq!((state.mode.clone(), state.message.as_deref()), (Mode::Browse, Some("not saved")));
}

#[test]
fn a_file_that_is_there_is_replaced_only_on_a_yes() {
    for (key, expected) in [("y", Some(Request::Replace("a.calor".into()))), ("n", None), ("enter", None)] {
        let mut state = State { mode: Mode::Overwrite("a.calor".into()), ..state() };
        assert_eq!(press_all(&mut state, &[key]), expected, "{key}");
        assert_eq!(state.mode, Mode::Browse);
    }
}

#[test]
fn other_keys_do_what_the_help_says() {
    let mut state = state();
    assert_eq!(press_all(&mut state, &[" "]), Some(Request::Pause));
    press_all(&mut state, &["t"]);
    assert_eq!(state.span, LiveSpan::Long);
    press_all(&mut state, &["?"]);
    assert_eq!(state.mode, Mode::Help);
    assert_eq!(press_all(&mut state, &["x"]), None, "any other key closes the help");
    assert_eq!(state.mode, Mode::Browse);
    assert_eq!(press_all(&mut state, &["?", "q"]), Some(Request::Leave), "as everywhere");
    press_all(&mut state, &["4", "enter"]);
    assert!(!state.has_panel, "memory has nothing to look into");
}
