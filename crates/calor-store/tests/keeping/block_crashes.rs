//! Processes that are killed while they append or seal, and several that do both at once. The other process is this test program
//! again, which is told by a variable that it is one.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use calor_formats::parts::Window;
use calor_store::{Appended, Blocks, Encoded, Limits, Series, SeriesFilter, Store};

use super::workbench::{Workbench, profile};

const FOLDER: &str = "CALOR_TEST_BLOCK_FOLDER";
const FIRST: &str = "CALOR_TEST_BLOCK_FIRST";
const PARTS: &str = "CALOR_TEST_BLOCK_PARTS";

/// Parts of a process are so far apart that many hours are sealed.
const APART_NANOS: u64 = 600_000_000_000;

fn series() -> Series {
    Series { service: "web".to_owned(), ..Series::default() }
}

fn append(store: &mut Store, number: u64) -> Appended {
    let part = Encoded::of(profile(number)).expect("it can be encoded");
    let window = Window::new(number * APART_NANOS, number * APART_NANOS + 1);
    store.append(&series(), window, &part, &Limits::default()).expect("it can be appended")
}

/// What the other process does: appends, says so, and seals now and then. In this one there is nothing to do.
#[test]
fn another_process_appends_what_it_is_told() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let number = |name| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let mut store = Store::create(folder.as_ref()).unwrap();
    for number in number(FIRST)..number(FIRST) + number(PARTS) {
        append(&mut store, number);
        println!("kept {number}");
        if number % 7 == 0 {
            store.seal(u64::MAX).unwrap();
        }
    }
}

fn other_process(bench: &Workbench, first: u64, n_parts: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("it is a file"));
    command.args(["--exact", "block_crashes::another_process_appends_what_it_is_told", "--nocapture"]);
    command.env(FOLDER, bench.path()).env(FIRST, first.to_string()).env(PARTS, n_parts.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("it starts")
}

/// The number that a line of the other process says is kept.
fn kept(line: &str) -> Option<u64> {
    line.split("kept ").nth(1)?.trim().parse().ok()
}

/// How often each part is in the store: samples of a part are as many as its number says.
fn sums(store: &Store) -> (u64, u64) {
    let merged = store.merged(&SeriesFilter::default(), Window::new(0, u64::MAX)).expect("it can be read");
    let samples = merged.profile.samples.iter().map(|(_, weight)| weight.count).sum();
    (samples, merged.profile.runs.len() as u64)
}

#[test]
fn a_process_that_is_killed_loses_no_part_that_it_was_told_is_kept() {
    let bench = Workbench::new();
    let mut store = bench.store();
    let mut next = 1;
    for n_until_killed in [3, 8, 15, 22] {
        let mut child = other_process(&bench, next, 1_000_000);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut last = lines.map_while(Result::ok).filter_map(|line| kept(&line));
        let last = last.by_ref().nth(n_until_killed).expect("it goes on until it is killed");
        child.kill().unwrap();
        child.wait().unwrap();
        // Whoever is not sure whether a part arrived sends it again: it counts once.
        for number in 1..=last + 2 {
            append(&mut store, number);
        }
        while append(&mut store, next) == Appended::Known {
            next += 1;
        }
        next += 1;
        store.seal(u64::MAX).unwrap();
        let expected = (1..next).sum::<u64>();
        assert_eq!(sums(&store), (expected, next - 1));
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn processes_that_append_and_seal_at_once_keep_every_part_once() {
    let bench = Workbench::new();
    let mut store = bench.store();
    // All of them append the same parts.
    let children: Vec<Child> = (0..3).map(|_| other_process(&bench, 1, 60)).collect();
    let expected = (1..=60).sum::<u64>();
    for child in children {
        let (samples, _) = sums(&store);
        assert!(samples <= expected, "{samples}: no part is seen twice at any moment");
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(sums(&store), (expected, 60));
    store.seal(u64::MAX).unwrap();
    let kept = store.series(&SeriesFilter::default()).unwrap();
    // Six parts are an hour.
    assert_eq!((kept[0].n_blocks, sums(&store)), (11, (expected, 60)));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}
