//! Processes that are killed in the midst of saves, and several that save at once. The other process is this test program
//! again, which is told by a variable that it is one.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use calor_store::{Error, Filter, Note, Store};

use super::workbench::{Workbench, large_profile, profile, save};

/// Where the other process saves, and from which number on.
const FOLDER: &str = "CALOR_TEST_FOLDER";
const FIRST: &str = "CALOR_TEST_FIRST";
const SAVES: &str = "CALOR_TEST_SAVES";

/// What the other process does; in this one there is nothing to do.
#[test]
fn another_process_saves_what_it_is_told() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let number = |name| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let mut store = Store::create(folder.as_ref()).unwrap();
    for number in number(FIRST)..number(FIRST) + number(SAVES) {
        let note = Note::default().label("number", &number.to_string());
        store.save(&large_profile(number, 3_000), &note).unwrap();
    }
}

fn other_process(bench: &Workbench, first: u64, n_saves: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("it is a file"));
    command.args(["--exact", "crashes::another_process_saves_what_it_is_told", "--nocapture"]);
    command.env(FOLDER, bench.path()).env(FIRST, first.to_string()).env(SAVES, n_saves.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("it starts")
}

/// Every run in the store is whole.
#[track_caller]
fn check_all(store: &Store) {
    assert_eq!(store.check().expect("it can be checked"), Vec::<String>::new());
    for run in store.runs(&Filter::default()).expect("the catalogue is read") {
        let number: u64 = run.labels["number"].parse().expect("it is a number");
        let read = store.profile(&run.id).expect("it is whole");
        assert_eq!(read.duration_nanos(), profile(number).duration_nanos());
    }
}

#[test]
fn a_process_that_is_killed_while_it_saves_loses_nothing_that_was_saved() {
    let bench = Workbench::new();
    let mut store = bench.store();
    let mut n_runs = 0;
    for round in 1..=5_u64 {
        let first = round * 1_000_000;
        let mut child = other_process(&bench, first, 1_000_000);
        let begin = Instant::now();
        let killed_after = n_runs + 3 * round;
        while store.n_runs().unwrap() < killed_after {
            assert!(begin.elapsed() < Duration::from_secs(120), "it does not save");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let n_left = store.n_runs().unwrap();
        assert!(n_left >= killed_after, "{n_left} of {killed_after}");
        n_runs = n_left;
        // Both whoever had it open and whoever comes later.
        check_all(&store);
        check_all(&Store::open(&bench.path()).unwrap());
        save(&mut store, round, Note::default().label("number", &round.to_string()));
        n_runs += 1;
    }
    assert_eq!(store.n_runs().unwrap(), n_runs);
}

/// What a machine leaves that stops: the log up to some byte.
#[test]
fn a_log_that_is_cut_anywhere_holds_every_save_before_the_cut() {
    let bench = Workbench::new();
    let mut store = bench.store();
    let mut lengths = Vec::new();
    let log = bench.path().join("store.db-wal");
    for number in 1..=8 {
        save(&mut store, number, Note::default().label("number", &number.to_string()));
        lengths.push(fs::metadata(&log).unwrap().len());
    }
    let (database, log) = (fs::read(bench.path().join("store.db")).unwrap(), fs::read(log).unwrap());
    assert_eq!(log.len() as u64, lengths[7], "all of it is still in the log");
    let copy = Workbench::new();
    fs::create_dir(copy.path()).unwrap();
    for cut in (0..=log.len()).step_by(1021).chain([log.len()]) {
        fs::write(copy.path().join("store.db"), &database).unwrap();
        fs::write(copy.path().join("store.db-wal"), &log[..cut]).unwrap();
        let n_whole = lengths.iter().filter(|length| **length <= cut as u64).count() as u64;
        match Store::open(&copy.path()) {
            // Not even the tables were in the log yet.
            Err(Error::NoStore { .. }) if n_whole == 0 => {}
            opened => {
                let opened = opened.unwrap();
                assert_eq!(opened.n_runs().unwrap(), n_whole, "cut at {cut}");
                check_all(&opened);
            }
        }
    }
}

#[test]
fn processes_that_save_at_once_wait_for_each_other() {
    let bench = Workbench::new();
    // Not even the store is there when they begin.
    let children: Vec<Child> = (0..4).map(|child| other_process(&bench, 1 + child * 1000, 25)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = Store::open(&bench.path()).unwrap();
    assert_eq!(store.n_runs().unwrap(), 100);
    check_all(&store);
}

#[test]
fn a_writer_whose_patience_ends_says_so_and_readers_do_not_wait() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(1);
    let other = rusqlite::Connection::open(bench.path().join("store.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.set_patience(Duration::from_millis(20)).unwrap();
    let error = store.save(&profile(2), &Note::default()).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    assert!(store.profile(&ids[0]).is_ok());
    other.execute_batch("COMMIT").unwrap();
    save(&mut store, 2, Note::default());
    assert_eq!(store.n_runs().unwrap(), 2);
}
