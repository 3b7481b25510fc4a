//! A saved profile is read as it was, and the catalogue knows of it what lists show.

use calor_formats::native;
use calor_model::Profile;
use calor_store::{Filter, Machine, Note, Revision, Store, Totals};

use super::workbench::{Workbench, large_profile, profile, save};

fn encoded(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).expect("memory takes it");
    bytes
}

#[test]
fn a_saved_profile_is_read_byte_for_byte() {
    let bench = Workbench::new();
    let (_, ids) = bench.filled(3);
    let store = Store::open(&bench.path()).unwrap();
    for (number, id) in (1..).zip(&ids) {
        assert_eq!(store.bytes(id).unwrap(), encoded(&profile(number)));
        assert_eq!(store.profile(id).unwrap().duration_nanos(), 1000 + number);
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_profile_of_many_pieces_is_read_whole() {
    let bench = Workbench::new();
    let large = large_profile(1, 1_200_000);
    let bytes = encoded(&large);
    assert!(bytes.len() > 17 << 20, "{}", bytes.len());
    let saved = bench.store().save(&large, &Note::default()).unwrap();
    assert!(Store::open(&bench.path()).unwrap().bytes(&saved.id).unwrap() == bytes);
}

#[test]
fn the_catalogue_knows_what_the_profile_and_the_note_tell() {
    let bench = Workbench::new();
    let mut store = bench.store();
    let revision =
        Revision { commit: Some("abc123".to_owned()), branch: Some("main".to_owned()), is_dirty: Some(true) };
    let mut note = Note::default().label("build", "fast");
    note.revision = revision.clone();
    note.settings.insert("rate".to_owned(), "999".to_owned());
    let mut labelled = profile(7);
    labelled.runs[0].labels.insert("build".to_owned(), "slow".to_owned());
    labelled.runs[0].labels.insert("size".to_owned(), "8".to_owned());
    note.saved_at_unix_nanos = Some(5);
    store.save(&labelled, &note).unwrap();

    let runs = store.runs(&Filter::default()).unwrap();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((run.name.as_str(), run.command.as_deref()), ("train", Some("./train --epochs 1")));
    assert_eq!((run.saved_at_unix_nanos, run.started_at_unix_nanos), (5, Some(7)));
    assert_eq!((run.recorders.as_slice(), run.n_runs), (&["cpu".to_owned()][..], 1));
    assert_eq!(run.revision, revision);
    let machine =
        Machine { name: "here".to_owned(), cpu: "fast one".to_owned(), cores: Some(4), ..Machine::default() };
    assert_eq!(run.machine, Some(machine));
    let totals =
        Totals { duration_nanos: Some(1007), cpu_nanos: Some(500), samples: Some(7), ..Totals::default() };
    assert_eq!(run.totals, totals);
    let labels: Vec<_> = run.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(labels, [("build", "fast"), ("size", "8")], "what is told with the save wins");
    assert_eq!(run.settings["rate"], "999");
}

#[test]
fn the_same_profile_saved_twice_is_one_run_with_the_labels_of_both() {
    let bench = Workbench::new();
    let mut store = bench.store();
    let first = store.save(&profile(1), &Note::default().label("a", "1").label("b", "1")).unwrap();
    let again = store.save(&profile(1), &Note::default().label("b", "2")).unwrap();
    assert_eq!((first.is_new, again.is_new, &first.id), (true, false, &again.id));
    let runs = store.runs(&Filter::default()).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].labels["a"].as_str(), runs[0].labels["b"].as_str()), ("1", "2"));
}

#[test]
fn an_id_is_the_same_in_every_store() {
    let (one, other) = (Workbench::new(), Workbench::new());
    let ids = one.filled(2).1;
    assert_eq!(save(&mut other.store(), 2, Note::default()), ids[1]);
}

#[test]
fn a_new_store_is_ignored_by_git_and_a_folder_that_was_there_is_not() {
    let bench = Workbench::new();
    bench.store();
    assert_eq!(std::fs::read_to_string(bench.path().join(".gitignore")).unwrap(), "*\n");
    Store::create(bench.folder.path()).unwrap();
    assert!(!bench.folder.path().join(".gitignore").exists());
}

#[test]
fn a_store_may_be_handed_to_another_thread() {
    let bench = Workbench::new();
    let (store, ids) = bench.filled(1);
    let reader = std::thread::spawn(move || store.profile(&ids[0]).is_ok());
    assert!(reader.join().unwrap());
}
