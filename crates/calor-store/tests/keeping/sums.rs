//! What scopes took, run by run, without a look at their profiles.

use std::os::unix::fs::PermissionsExt;

use calor_model::{FrameKind, LabelTable, Profile, Run, RunId, SampleKey, SampleKind, SampleWeight};
use calor_store::{Error, Filter, Note, SavedRun, Scope, Store, Sum, SumKind};
use rusqlite::Connection;

use super::workbench::Workbench;

/// A run in which `main` calls `parse`, which takes so long of its own, after 10 of its caller's.
fn run(number: u64, parse_nanos: u64) -> Profile {
    let mut run = Run { id: RunId(number.into()), ..Run::default() };
    run.canary.first_nanos = Some(100 * number);
    let mut profile = Profile { runs: vec![run], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    for (path, nanos) in [(&["main"][..], 10), (&["main", "parse"], parse_nanos)] {
        let stack = profile.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos });
    }
    profile
}

fn filled(bench: &Workbench) -> Store {
    let mut store = bench.store();
    for number in 1..=3 {
        store.save(&run(number, 30 * number), &Note::default()).expect("a run can be saved");
    }
    store
}

/// All runs, the first saved first.
fn runs(store: &Store) -> Vec<SavedRun> {
    let mut runs = store.runs(&Filter::default()).expect("runs can be listed");
    runs.reverse();
    runs
}

fn totals(store: &Store, runs: &[SavedRun], name: &str) -> Vec<Option<u64>> {
    let scope = Scope { name: name.to_owned(), place: String::new() };
    let found = store.sums(SumKind::Cpu, Some(&scope), runs).expect("sums can be read");
    found.iter().flat_map(|series| &series.sums).map(|sum| sum.map(|sum| sum.total)).collect()
}

#[test]
fn a_save_keeps_what_each_function_and_the_whole_took() {
    let bench = Workbench::new();
    let mut store = filled(&bench);
    let runs = runs(&store);
    assert_eq!(store.sum_up(&runs, || ()).unwrap().n_read, 0, "nothing is left to do");
    assert_eq!(totals(&store, &runs, "parse"), [Some(30), Some(60), Some(90)]);
    assert_eq!(totals(&store, &runs, "main"), [Some(40), Some(70), Some(100)]);
    assert_eq!(totals(&store, &runs, ""), [Some(40), Some(70), Some(100)]);
    assert_eq!(store.canaries(&runs).unwrap(), [Some(100), Some(200), Some(300)]);
    let all = store.sums(SumKind::Cpu, None, &runs[1..2]).unwrap();
    let names: Vec<(&str, Option<Sum>)> =
        all.iter().map(|series| (series.scope.name.as_str(), series.sums[0])).collect();
    let sum = |own, total| Some(Sum { calls: None, own, total });
    assert_eq!(names, [("", sum(70, 70)), ("main", sum(10, 70)), ("parse", sum(60, 60))]);
    assert!(store.sums(SumKind::Scopes, None, &runs).unwrap().is_empty());
    store.remove(&[runs[0].id.clone()]).unwrap();
    assert_eq!(totals(&store, &runs, "parse"), [None, Some(60), Some(90)]);
    assert!(store.check().unwrap().is_empty());
}

/// Makes of a store what the first version left.
fn without_sums(bench: &Workbench) {
    let connection = Connection::open(bench.path().join("store.db")).expect("it is a database");
    let later = [
        "sum",
        "summed",
        "scope",
        "verification",
        "dismissal",
        "part",
        "block_piece",
        "block",
        "series_label",
        "series",
        "room",
    ];
    let drops: String = later.iter().map(|table| format!("DROP TABLE {table};")).collect();
    connection.execute_batch(&drops).expect("tables can be dropped");
    connection.pragma_update(None, "user_version", 1).expect("the version can be set");
}

#[test]
fn runs_of_a_store_without_sums_are_added_up_when_they_are_asked_for() {
    let bench = Workbench::new();
    drop(filled(&bench));
    without_sums(&bench);
    let mut store = Store::open(&bench.path()).unwrap();
    let runs = runs(&store);
    assert!(totals(&store, &runs, "parse").is_empty() && store.canaries(&runs).unwrap() == [None; 3]);
    let mut n_done = 0;
    assert_eq!(store.sum_up(&runs[..2], || n_done += 1).unwrap().n_read, 2);
    assert_eq!(n_done, 2);
    assert_eq!(totals(&store, &runs, "parse"), [Some(30), Some(60), None]);
    drop(store);
    let mut store = Store::open(&bench.path()).unwrap();
    assert_eq!(store.sum_up(&runs, || ()).unwrap().n_read, 1, "what was done stays done");
    assert_eq!(totals(&store, &runs, "main"), [Some(40), Some(70), Some(100)]);
}

#[test]
fn a_store_that_may_not_be_written_is_added_up_for_the_moment() {
    let bench = Workbench::new();
    drop(filled(&bench));
    without_sums(&bench);
    let file = bench.path().join("store.db");
    for (path, mode) in [(&file, 0o444), (&bench.path(), 0o555)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut store = Store::open(&bench.path()).unwrap();
    let runs = runs(&store);
    // Root may write whatever the mode says.
    let is_bound = store.is_read_only();
    assert_eq!(store.sum_up(&runs, || ()).unwrap().n_read, 3);
    assert_eq!(totals(&store, &runs, "parse"), [Some(30), Some(60), Some(90)]);
    drop(store);
    let mut again = Store::open(&bench.path()).unwrap();
    assert_eq!(again.sum_up(&runs, || ()).unwrap().n_read, if is_bound { 3 } else { 0 });
    std::fs::set_permissions(bench.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_run_that_cannot_be_read_does_not_keep_others_from_being_added_up() {
    let bench = Workbench::new();
    let mut store = filled(&bench);
    let runs = runs(&store);
    store.remove(&[runs[2].id.clone()]).unwrap();
    drop(store);
    without_sums(&bench);
    let connection = Connection::open(bench.path().join("store.db")).expect("it is a database");
    let damage =
        "UPDATE piece SET bytes = zeroblob(length(bytes)) WHERE run = (SELECT number FROM run WHERE id = ?1)";
    assert_eq!(connection.execute(damage, [runs[0].id.as_str()]).unwrap(), 1);
    drop(connection);
    let mut store = Store::open(&bench.path()).unwrap();
    let mut n_done = 0;
    let found = store.sum_up(&runs, || n_done += 1).unwrap();
    let unread: Vec<_> = found.unread.iter().map(|(id, _)| id).collect();
    assert_eq!((found.n_read, unread, n_done), (1, vec![&runs[0].id, &runs[2].id], 3));
    assert!(matches!(&found.unread[0].1, Error::Profile(_) | Error::Damaged { .. }), "{found:?}");
    assert!(matches!(&found.unread[1].1, Error::UnknownRun { .. }), "{found:?}");
    assert_eq!(totals(&store, &runs, "parse"), [None, Some(60), None]);
}
