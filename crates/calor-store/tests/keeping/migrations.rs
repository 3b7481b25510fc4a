//! Stores of every layout that was released are brought forward when they are opened, and keep what is in them.

#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::path::Path;
use std::sync::Barrier;

use calor_formats::parts::Window;
use calor_store::{
    Blocks, Dismissal, Encoded, Filter, Limits, Note, SavedRun, Scope, Series, Store, SumKind,
};
use rusqlite::Connection;

use super::workbench::{Workbench, profile, save};

const FIRST: &str = include_str!("../../../../tests/fixtures/store/version-1.sql");
const ALL_TABLES: &str = include_str!("../../../../tests/fixtures/store/version-1-all-tables.sql");

/// A folder with a store as an earlier version left it.
fn earlier(layout: &str) -> Workbench {
    let bench = Workbench::new();
    std::fs::create_dir(bench.path()).expect("a folder can be made");
    let connection = Connection::open(database(&bench)).expect("a database can be made");
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("it has a log");
    connection.execute_batch(layout).expect("the fixture can be read");
    bench
}

fn database(bench: &Workbench) -> std::path::PathBuf {
    bench.path().join("store.db")
}

fn version(path: &Path) -> i64 {
    let connection = Connection::open(path).expect("it is a database");
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("it has a version")
}

/// All runs, the first saved first.
fn runs(store: &Store) -> Vec<SavedRun> {
    let mut runs = store.runs(&Filter::default()).expect("runs can be listed");
    runs.reverse();
    runs
}

/// What every one of these stores has, whatever its layout was.
#[track_caller]
fn check_runs(store: &mut Store) {
    let runs = runs(store);
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["ezwyxn2v", "c92vn6x8", "pmbssjtr"]);
    assert_eq!(runs[1].labels["build"], "slow");
    assert_eq!(runs[2].settings["rate"], "999");
    assert_eq!(runs[0].revision.commit.as_deref(), Some("abc1231"));
    for (run, nanos) in runs.iter().zip(1001..) {
        assert_eq!(store.profile(&run.id).unwrap().duration_nanos(), nanos);
    }
    let baselines = store.baselines().unwrap();
    assert_eq!((baselines.len(), baselines[0].runs.len()), (1, 2));
    store.sum_up(&runs, || ()).unwrap();
    let parse = Scope { name: "parse".to_owned(), place: String::new() };
    let sums = store.sums(SumKind::Cpu, Some(&parse), &runs).unwrap();
    let totals: Vec<_> = sums[0].sums.iter().map(|sum| sum.map(|sum| sum.total)).collect();
    assert_eq!(totals, [Some(30), Some(60), Some(90)]);
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

/// What a store of this version can do.
fn check_new(store: &mut Store) {
    save(store, 7, Note::default());
    assert_eq!(store.n_runs().unwrap(), 4);
    let part = Encoded::of(profile(1)).unwrap();
    store.append(&Series::default(), Window::new(0, 1), &part, &Limits::default()).unwrap();
    store.dismiss(&Dismissal { rule: "NEW".to_owned(), ..Dismissal::default() }).unwrap();
    assert!(store.dismissals().unwrap().iter().any(|dismissal| dismissal.rule == "NEW"));
}

#[test]
fn a_store_of_the_first_layout_is_brought_forward_with_all_that_is_in_it() {
    let bench = earlier(FIRST);
    let mut store = Store::open(&bench.path()).unwrap();
    assert_eq!(store.sum_up(&runs(&store), || ()).unwrap().n_read, 3);
    assert_eq!((store.verifications().unwrap(), store.dismissals().unwrap()), (vec![], vec![]));
    check_runs(&mut store);
    check_new(&mut store);
    assert_eq!(version(&database(&bench)), 2);
}

#[test]
fn tables_that_were_made_when_they_were_needed_keep_their_rows() {
    let bench = earlier(ALL_TABLES);
    let mut store = Store::create(&bench.path()).unwrap();
    assert_eq!(store.sum_up(&runs(&store), || ()).unwrap().n_read, 0);
    assert_eq!(store.verifications().unwrap()[0].measured, 1.25);
    assert_eq!(store.dismissals().unwrap()[0].reason, "known");
    check_runs(&mut store);
    check_new(&mut store);
    drop(store);
    assert_eq!(Store::open(&bench.path()).unwrap().n_runs().unwrap(), 4);
}

#[test]
fn several_that_open_an_earlier_store_at_once_bring_it_forward_once() {
    for layout in [FIRST, ALL_TABLES] {
        let bench = earlier(layout);
        let start = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    let mut store = Store::open(&bench.path()).expect("it can be opened");
                    check_runs(&mut store);
                });
            }
        });
        check_new(&mut Store::open(&bench.path()).unwrap());
    }
}

#[test]
fn an_earlier_calor_that_has_the_store_open_goes_on() {
    let bench = earlier(ALL_TABLES);
    let before = Connection::open(database(&bench)).unwrap();
    let count = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        before.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!((count("run"), count("dismissal")), (3, 1));
    check_new(&mut Store::open(&bench.path()).unwrap());
    assert_eq!((count("run"), count("dismissal")), (4, 2));
    before.execute("DELETE FROM dismissal", []).unwrap();
    assert_eq!(Store::open(&bench.path()).unwrap().dismissals().unwrap(), []);
}

/// Whoever may not write reads an earlier store as if it had been brought forward, and leaves it as it is.
#[cfg(unix)]
#[test]
fn an_earlier_store_that_may_not_be_written_is_read_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    for (layout, n_dismissals) in [(FIRST, 0), (ALL_TABLES, 1)] {
        let bench = earlier(layout);
        // The log goes with the last connection, and what is left is one file.
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(&database(&bench), 0o444);
        mode(&bench.path(), 0o555);
        // Root may write whatever the mode says.
        let is_bound = std::fs::write(bench.path().join("probe"), "").is_err();
        let mut store = Store::open(&bench.path()).unwrap();
        check_runs(&mut store);
        assert_eq!(store.dismissals().unwrap().len(), n_dismissals);
        assert_eq!(store.series(&Default::default()).unwrap(), []);
        if is_bound {
            assert!(store.is_read_only());
            assert!(store.dismiss(&Dismissal::default()).is_err());
            assert!(store.set_baseline("x", &[runs(&store)[0].id.clone()], &Default::default()).is_err());
        }
        drop(store);
        assert_eq!(version(&database(&bench)), if is_bound { 1 } else { 2 });
        mode(&bench.path(), 0o755);
    }
}
