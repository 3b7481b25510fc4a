//! Folders and files that are no store of ours, or one that cannot be used: each is told, and none is changed.

use std::fs;
use std::path::Path;

use calor_store::{Error, Filter, Note, Store};

use super::workbench::{Workbench, profile, save};

/// What both ways to open say, and that the file is as before.
#[track_caller]
fn check(folder: &Path, is_expected: impl Fn(&Error) -> bool) {
    let database = folder.join("store.db");
    let before = fs::read(&database).ok();
    for opened in [Store::open(folder), Store::create(folder)] {
        let error = opened.expect_err("it is refused");
        assert!(is_expected(&error), "{error}");
    }
    assert!(fs::read(&database).ok() == before, "the file was changed");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let bench = Workbench::new();
    fs::create_dir(bench.path()).unwrap();
    fs::write(bench.path().join("store.db"), "hello, this is a text file and no database at all".repeat(30))
        .unwrap();
    check(
        &bench.path(),
        |error| matches!(error, Error::NotAStore { found, .. } if found.contains("no database")),
    );
}

#[test]
fn a_database_of_another_program_is_refused() {
    let bench = Workbench::new();
    fs::create_dir(bench.path()).unwrap();
    let other = rusqlite::Connection::open(bench.path().join("store.db")).unwrap();
    other.execute_batch("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)").unwrap();
    drop(other);
    check(
        &bench.path(),
        |error| matches!(error, Error::NotAStore { found, .. } if found.contains("another program")),
    );
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let bench = Workbench::new();
    drop(bench.filled(1));
    let later = rusqlite::Connection::open(bench.path().join("store.db")).unwrap();
    later.pragma_update(None, "user_version", 7).unwrap();
    drop(later);
    check(&bench.path(), |error| matches!(error, Error::Newer { found: 7, supported: 2, .. }));
}

#[test]
fn a_folder_without_a_store_is_told_with_what_to_do() {
    let bench = Workbench::new();
    let error = Store::open(&bench.path()).unwrap_err();
    assert!(error.to_string().contains("calor record --save"), "{error}");
    assert!(!bench.path().exists(), "looking makes nothing");
    fs::create_dir(bench.path()).unwrap();
    fs::write(bench.path().join("store.db"), "").unwrap();
    assert!(matches!(Store::open(&bench.path()), Err(Error::NoStore { .. })));
    // An empty file is what a process leaves that was killed while it made the store.
    save(&mut bench.store(), 1, Note::default());
    assert_eq!(Store::open(&bench.path()).unwrap().n_runs().unwrap(), 1);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_told() {
    let bench = Workbench::new();
    fs::write(bench.path(), "a file").unwrap();
    check(&bench.path(), |error| matches!(error, Error::Folder { .. }));
    assert_eq!(fs::read_to_string(bench.path()).unwrap(), "a file");
}

#[test]
fn damage_is_told_and_never_taken_for_data() {
    let bench = Workbench::new();
    drop(bench.filled(60));
    let database = bench.path().join("store.db");
    let whole = fs::read(&database).unwrap();
    // Cut off, and overwritten page by page behind the first.
    let mut n_told = 0;
    let pages = (1..whole.len() / 4096).map(|page| {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        bytes
    });
    for bytes in pages.chain([whole[..whole.len() / 2].to_vec()]) {
        fs::write(&database, &bytes).unwrap();
        let told = match Store::open(&bench.path()) {
            Err(error) => matches!(error, Error::Damaged { .. } | Error::NotAStore { .. }),
            Ok(store) => {
                if let Ok(runs) = store.runs(&Filter::default()) {
                    // What is read is either whole or an error.
                    for run in runs {
                        let _ = store.profile(&run.id);
                    }
                }
                store.check().map_or(true, |problems| !problems.is_empty())
            }
        };
        n_told += usize::from(told);
    }
    let n_damaged = whole.len() / 4096;
    // A page that is free, or of which nothing is used, cannot be missed.
    assert!(n_told + 2 >= n_damaged, "{n_told} of {n_damaged}");
    fs::write(&database, &whole).unwrap();
    assert_eq!(Store::open(&bench.path()).unwrap().check().unwrap(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Workbench::new();
    let ids = bench.filled(2).1;
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(bench.path().join("store.db"), mode(0o444)).unwrap();
    fs::set_permissions(bench.path(), mode(0o555)).unwrap();
    // Who may do everything is not stopped by this.
    let is_stopped = fs::write(bench.path().join("probe"), "").is_err();
    let store = Store::open(&bench.path());
    let outcome = store.map(|mut store| {
        let runs = store.runs(&Filter::default()).unwrap().len();
        (
            runs,
            store.profile(&ids[0]).is_ok(),
            store.save(&profile(3), &Note::default()),
            store.is_read_only(),
        )
    });
    fs::set_permissions(bench.path(), mode(0o755)).unwrap();
    let (n_runs, is_read, saved, is_read_only) = outcome.unwrap();
    assert_eq!((n_runs, is_read), (2, true));
    if is_stopped {
        assert!(is_read_only && matches!(saved, Err(Error::ReadOnly { .. })), "{saved:?}");
    }
}
