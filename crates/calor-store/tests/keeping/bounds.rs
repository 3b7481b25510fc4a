//! What is removed is gone from the disk, and nothing else is.

use calor_store::{BaselineNote, Bounds, Error, Filter, Note, SavedId, Store};

use super::workbench::{Workbench, large_profile};

fn beyond(store: &Store, before: Option<u64>, keep: Option<usize>) -> Vec<SavedId> {
    let bounds = Bounds { saved_before_unix_nanos: before.map(|seconds| seconds * 1_000_000_000), keep };
    store.beyond(&bounds).expect("the catalogue is read").into_iter().map(|run| run.id).collect()
}

#[test]
fn bounds_name_the_oldest_and_never_those_of_baselines() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(6);
    store.set_baseline("main", &ids[1..2], &BaselineNote::default()).unwrap();
    assert_eq!(beyond(&store, None, None), []);
    assert_eq!(beyond(&store, Some(4), None), [ids[0].clone(), ids[2].clone()]);
    assert_eq!(beyond(&store, None, Some(2)), [ids[0].clone(), ids[2].clone(), ids[3].clone()]);
    assert_eq!(beyond(&store, Some(4), Some(4)), [ids[0].clone()], "both have to apply");
    assert_eq!(beyond(&store, Some(100), Some(0)).len(), 5);
}

#[test]
fn removing_takes_all_or_nothing_and_gives_the_room_back() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(3);
    store.set_baseline("main", &ids[..1], &BaselineNote::default()).unwrap();
    let large = store.save(&large_profile(9, 100_000), &Note::default().label("large", "yes")).unwrap();
    assert!(large.bytes > 1_000_000);
    let refused = store.remove(&[ids[1].clone(), ids[0].clone()]).unwrap_err();
    assert!(matches!(&refused, Error::InBaseline { baseline, .. } if baseline == "main"), "{refused}");
    assert_eq!(store.n_runs().unwrap(), 4);
    let before = store.disk_bytes();
    let removed = store.remove(&[ids[1].clone(), large.id.clone()]).unwrap();
    assert_eq!((removed.n_runs, removed.bytes > large.bytes), (2, true));
    assert!(store.disk_bytes() + large.bytes / 2 < before, "{} of {before}", store.disk_bytes());
    assert!(matches!(store.remove(&[ids[1].clone()]), Err(Error::UnknownRun { .. })));
    assert!(matches!(store.bytes(&large.id), Err(Error::UnknownRun { .. })));
    let left: Vec<SavedId> = store.runs(&Filter::default()).unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(left, [ids[2].clone(), ids[0].clone()]);
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_number_is_not_given_out_again_so_latest_is_always_the_last_saved() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(2);
    store.remove(&ids[1..]).unwrap();
    let last = super::workbench::save(&mut store, 3, Note::default());
    assert_eq!(store.find_one(&"latest".parse().unwrap()).unwrap().id, last);
}
