//! What the views show of a program that runs, and what keys do to them.

use crate::workbench::{Beside, Workbench, may_sample, spin};

#[test]
fn the_hottest_function_is_on_top_and_every_view_has_its_say() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let mut top = bench.top(&["--off-cpu", "--", spin()]);
    let text = top.wait_until("heavy on top", |text| {
        text.lines().nth(4).is_some_and(|line| line.contains("heavy")) && text.contains("light")
    });
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("calor top  ") && lines[0].ends_with("running"), "{text}");
    assert!(lines[1].starts_with("CPU ") && lines[1].contains(" of 499 Hz"), "{text}");
    // Behind the last one stands how many there are.
    let views = " 1 Functions  2 Threads  3 Python  4 Memory  5 Waits  6 Output  7 Notes";
    assert!(lines[2].starts_with(views), "{text}");
    assert!(lines[3].contains("self") && lines[3].contains("total") && lines[3].contains("trend"), "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    for (key, wanted) in [
        ("2", "spinner"),
        ("3", "no lines of Python were seen"),
        ("4", "resident"),
        ("5", "each"),
        ("6", "ready: spinning"),
        ("7", "otes"),
        ("h", "stand still; the recording goes on"),
        ("x1", "trend"),
    ] {
        top.press(key);
        top.wait_for(wanted);
    }
    top.press("\r");
    let text = top.wait_for("called by");
    assert!(text.contains("main"), "{text}");
}

#[test]
fn rows_are_filtered_and_sorted_while_the_view_stands_still() {
    if !may_sample() {
        return;
    }
    let (bench, beside) = (Workbench::new(), Beside::start());
    let mut top = bench.top(&["-p", &beside.pid()]);
    top.wait_until("both functions", |text| text.contains("heavy") && text.contains("light"));
    top.press(" ");
    top.wait_for("PAUSED");
    top.press("/LIGH\r");
    let text =
        top.wait_until("one function", |text| text.contains("filter: LIGH") && !text.contains("heavy"));
    assert!(text.contains("light"), "{text}");
    // Together with a letter it would be another key.
    top.press("\x1b");
    top.wait_for("heavy");
    top.press("s");
    top.wait_for(">total");
    top.press("r");
    top.wait_for("<total");
    top.press(" t");
    top.wait_until("all again", |text| text.contains("running") && text.contains("last 60 s"));
}

#[test]
fn another_size_is_taken_up_and_a_small_one_is_told() {
    if !may_sample() {
        return;
    }
    let (bench, beside) = (Workbench::new(), Beside::start());
    let top = bench.top(&["-p", &beside.pid()]);
    top.wait_for("heavy");
    top.resize(60, 15);
    let is_whole = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines.len() == 15 && lines[0].ends_with("running") && lines[4].contains("heavy")
    };
    top.wait_until("a picture of 60 columns", is_whole);
    top.resize(40, 10);
    top.wait_for("too small: 60x15 at least");
    top.resize(120, 40);
    top.wait_until("a large picture", |text| text.lines().count() == 40 && text.contains("heavy"));
}
