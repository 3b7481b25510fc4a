//! Pictures at the sizes terminals have, with names of every kind: no line breaks, and nothing needed is missing.

use std::sync::Arc;
use std::time::Duration;

use calor_analysis::WaitReason;
use calor_analysis::live::{
    LiveFunction, LiveFunctionTime, LiveLineTime, LivePart, LiveSpan, LiveThread, LiveThreadTime, LiveWait,
    LiveWaitTime, LiveWindow, ProcessMemory, PythonLine,
};
use calor_model::{FrameKind, Warning};
use calor_record::{Ended, Progress};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::top::theme::Theme;

const SIZES: [(u16, u16); 5] = [(80, 24), (60, 15), (61, 16), (120, 40), (200, 50)];

/// Ordinary names, and such as break a table: long ones, wide ones, empty ones.
const NAMES: [&str; 6] = [
    "hash_work",
    "core::iter::adapters::map::Map<I, F> as core::iter::traits::iterator::Iterator::fold_with_a_long_name",
    "f",
    "",
    "\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}",
    "_ZN4main17h0123456789abcdefE",
];

fn function(name: &str, kind: FrameKind) -> Arc<LiveFunction> {
    Arc::new(LiveFunction { name: name.to_owned(), module: format!("lib{name}.so"), kind })
}

fn window() -> LiveWindow {
    let second = Duration::from_secs(1);
    let mut window = LiveWindow::default();
    for part in 0..20_u64 {
        let mut digest = LivePart { cpu_nanos: 1_000_000_000, n_samples: 999, ..LivePart::default() };
        for (at, name) in (1..).zip(NAMES) {
            let kind = [FrameKind::Native, FrameKind::Python, FrameKind::Kernel][at % 3];
            let (function, thread) =
                (function(name, kind), LiveThread { pid: 7, tid: 1_000_000 + at as u64 });
            let own = (at as u64 * 37 + part * 11) % 90 * 1_000_000;
            let line = PythonLine {
                file: format!("/data/me/project/{name}/train.py"),
                number: at as u32 * 1_111,
                function: name.to_owned(),
            };
            let time = LiveThreadTime { running: own, waiting: 5, gil_held: own };
            digest.functions.push((Arc::clone(&function), LiveFunctionTime { own, total: own + 1 }));
            digest.calls.push(((None, Arc::clone(&function)), own + 1));
            digest.calls.push(((Some(Arc::clone(&function)), Arc::clone(&function)), own / 2));
            digest.lines.push((line, LiveLineTime { own, total: own + 1, native: own / 2 }));
            digest.threads.push((thread, time));
            digest.thread_names.push((thread, name.to_owned()));
            digest.spots.push(((thread, Arc::clone(&function)), own + 1));
            let place = LiveWait { function, reason: WaitReason::Lock };
            digest.waits.push((place, LiveWaitTime { nanos: own * 1_000, count: at as u64 }));
        }
        window.add(digest, second, 1_980_000_000, second);
        let process = |pid| ProcessMemory {
            pid,
            name: NAMES[pid as usize % NAMES.len()].to_owned(),
            resident_bytes: (part + 1) << 30,
            peak_bytes: 21 << 30,
            swapped_bytes: 0,
            n_threads: 3,
            faults: part * part * 1_000,
            major_faults: part,
        };
        window.add_memory((1..9).map(process).collect(), second * u32::try_from(part).expect("it is small"));
    }
    window.add_warnings(&[Warning::counted("a", "words ".repeat(60), 3), Warning::new("b", "w".repeat(300))]);
    window
}

fn facts() -> Facts {
    Facts {
        command: "python3 train.py --epochs 3 --data /a/very/long/path/that/does/not/fit --seed 17"
            .to_owned(),
        pid: 1_234_567,
        rate: 999,
        refresh: Duration::from_secs(1),
        progress: Progress { elapsed: Duration::from_secs(3_725), samples: 19_980, ..Progress::default() },
        ended: None,
        is_leaving: false,
    }
}

fn lines_of(buffer: &Buffer) -> Vec<String> {
    let Rect { width, height, .. } = buffer.area;
    let row = |y: u16| {
        let mut text = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            text.push_str(symbol);
            // A wide letter takes the cell behind it as well.
            x += u16::try_from(symbol.width().max(1)).expect("letters are narrow");
        }
        text
    };
    (0..height).map(row).collect()
}

fn shown(size: (u16, u16), state: &mut State, window: &LiveWindow, facts: &Facts) -> Vec<String> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
    let (theme, source) = (Theme::of_test(), Source::default());
    let output: Vec<String> = (0..90).map(|line| format!("step {line}: {}", NAMES[line % 6])).collect();
    let picture = Picture { window, facts, theme: &theme, output: &output, source: &source };
    draw(&mut buffer, state, &picture);
    lines_of(&buffer)
}

fn state(view: View) -> State {
    State { view, has_waits: true, has_output: true, ..State::default() }
}

#[test]
fn the_usual_picture_on_eighty_columns() {
    let second = Duration::from_secs(1);
    let mut window = LiveWindow::default();
    for part in 0..8_u64 {
        let digest = LivePart {
            cpu_nanos: 1_000,
            n_samples: 1_998,
            functions: vec![
                (function("main", FrameKind::Native), LiveFunctionTime { own: 0, total: 1_000 }),
                (function("gemm", FrameKind::Native), LiveFunctionTime { own: 500 + part * 10, total: 900 }),
                (function("sort", FrameKind::Native), LiveFunctionTime { own: 100 - part * 10, total: 100 }),
            ],
            ..LivePart::default()
        };
        window.add(digest, second, 1_980_000_000, second);
    }
    let lines = shown((80, 24), &mut state(View::Functions), &window, &facts());
    let expected = [
        "calor top  python3 train.py --epochs 3 --data /..  pid 1234567  1:02:05  running",
        "CPU 198 %  1,998/s of 999 Hz  0 lost  RSS -                            last 10 s",
        " 1 Functions  2 Threads  3 Python  4 Memory  5 Waits  6 Output  7 Notes",
        "  >self   total  trend       name                                    module",
        "  53.5%   90.0%  ****#### ^  gemm                                    libgemm.so",
        "   6.5%   10.0%  #*++=-:. v  sort                                    libsort.so",
        "   0.0%  100.0%              main                                    libmain.so",
    ];
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    assert_eq!(&lines[..7], &expected, "\n{}", lines.join("\n"));
    assert!(lines[7..23].iter().all(|line| line.is_empty()));
    assert_eq!(lines[23], "q quit  h help  space pause  s sort  / filter  t time  Enter look into  w save");
}

#[test]
fn no_view_breaks_a_line_at_any_size() {
    let window = window();
    for size in SIZES {
        for view in View::ALL {
            for has_panel in [false, true] {
                let mut state = State { has_panel: has_panel && view.is_list(), ..state(view) };
                let lines = shown(size, &mut state, &window, &facts());
                let text = format!("{view:?} at {size:?}:\n{}", lines.join("\n"));
                assert!(lines.iter().all(|line| line.width() == usize::from(size.0)), "{text}");
                assert!(lines[0].ends_with("running"), "{text}");
                assert!(lines[1].ends_with("last 10 s"), "{text}");
                assert!((1..=7).all(|number| lines[2].contains(&number.to_string())), "{text}");
                assert!(lines[2].contains(view.word()), "{text}");
                let words =
                    ["quit", "help", "pause", "sort", "filter", "time", "into", "save", "reverse", "view"];
                let last = lines.last().expect("there are lines").trim_end();
                assert!(words.iter().any(|word| last.ends_with(word)), "{text}");
            }
        }
    }
}

#[test]
fn the_columns_of_a_list_stand_below_each_other() {
    let window = window();
    for size in SIZES {
        for (view, ends) in [(View::Functions, [6, 14]), (View::Threads, [7, 15]), (View::Python, [6, 14])] {
            let lines = shown(size, &mut state(view), &window, &facts());
            for line in &lines[4..10] {
                let letters: Vec<char> = line.chars().collect();
                assert!(ends.iter().all(|end| letters[*end] == '%'), "{view:?} at {size:?}: {line}");
            }
        }
    }
}

#[test]
fn a_small_terminal_says_so_and_an_odd_one_does_no_harm() {
    let window = window();
    for size in [(59, 24), (80, 14), (10, 2), (1, 1), (3, 200)] {
        for mode in [Mode::Browse, Mode::Help, Mode::Filter] {
            let mut state = State { mode, ..state(View::Functions) };
            let lines = shown(size, &mut state, &window, &facts());
            assert!("too small: 60x15 at least".starts_with(lines[0].trim_end()), "{lines:?}");
        }
    }
}

#[test]
fn what_is_typed_is_shown_with_its_end_however_long_it_is() {
    let window = window();
    for size in SIZES {
        let long = "x".repeat(300) + "END";
        let mut typing = State { mode: Mode::FileName(long.clone()), ..state(View::Functions) };
        let lines = shown(size, &mut typing, &window, &facts());
        assert!(lines.last().is_some_and(|line| line.trim_end().ends_with("END")), "{lines:?}");
        let mut asking = State { mode: Mode::Overwrite(long.into()), ..state(View::Functions) };
        let lines = shown(size, &mut asking, &window, &facts());
        assert!(lines.last().is_some_and(|line| line.contains("is there: replace it? y/n")), "{lines:?}");
    }
}

#[test]
fn a_filter_that_holds_is_told_and_one_that_leaves_nothing_says_how_to_go_back() {
    let window = window();
    let mut state = State { filter: "HASH".to_owned(), ..state(View::Functions) };
    let lines = shown((80, 24), &mut state, &window, &facts());
    assert!(lines[4].contains("hash_work") && lines[5].trim().is_empty(), "{lines:?}");
    assert!(lines[23].starts_with("filter: HASH"), "{lines:?}");
    state.filter = "nothing like it".to_owned();
    let text = shown((80, 24), &mut state, &window, &facts()).join("\n");
    assert!(text.contains("none of 6 has \"nothing like it\" in it: Esc shows all"), "{text}");
}

#[test]
fn an_empty_view_says_why() {
    let second = Duration::from_secs(1);
    let mut window = LiveWindow::default();
    let text = |window: &LiveWindow, view| shown((80, 24), &mut state(view), window, &facts()).join("\n");
    assert!(text(&window, View::Functions).contains("waiting for the first samples"));
    window.add(LivePart::default(), second, 0, second);
    assert!(text(&window, View::Functions).contains("the program used no CPU"));
    assert!(text(&window, View::Python).contains("no lines of Python were seen: the program is not Python"));
    window.add_warnings(&[Warning::new("python_unknown", "Python 4.0 is not known")]);
    assert!(text(&window, View::Python).contains("no lines of Python were seen: Python 4.0 is not known"));
}

#[test]
fn the_header_says_what_happens_to_the_program() {
    let window = window();
    let first = |facts: &Facts, is_paused| {
        let mut state = State { is_paused, ..state(View::Functions) };
        shown((80, 24), &mut state, &window, facts).remove(0)
    };
    let mut facts = facts();
    assert!(first(&facts, true).ends_with("PAUSED"));
    facts.ended = Some(Ended::Gone);
    assert!(first(&facts, false).ends_with("ended"));
    facts.progress.lost = 1_234;
    let lines = shown((60, 15), &mut state(View::Functions), &window, &facts);
    assert!(lines[1].contains("1,234 LOST"), "{lines:?}");
}

#[test]
fn the_chosen_row_is_in_sight_and_stands_out() {
    let window = window();
    let mut state = State { has_panel: true, span: LiveSpan::Whole, ..state(View::Functions) };
    shown((60, 15), &mut state, &window, &facts());
    state.go_to_end();
    let lines = shown((60, 15), &mut state, &window, &facts());
    assert_eq!(state.selected, 5);
    assert!(state.first > 0, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("called by")), "{lines:?}");
}

#[test]
fn help_explains_every_key_and_fits_eighty_columns() {
    let mut state = State { mode: Mode::Help, ..state(View::Functions) };
    let text = shown((80, 24), &mut state, &window(), &facts())[3..].join("\n");
    for word in ["1-7", "Enter", "s, r", " / ", " t ", "space", " w ", "q, Esc", "trend", "native"] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
    assert!(!text.contains(".."), "nothing is cut off:\n{text}");
}
