//! Baselines are named sets of runs.

use calor_store::{BaselineNote, Error, Revision, SavedId, Selector};

use super::workbench::Workbench;

#[test]
fn a_baseline_holds_its_runs_in_order_and_is_replaced_as_a_whole() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(4);
    let note = BaselineNote {
        set_by: Some("somebody".to_owned()),
        revision: Revision { commit: Some("abc".to_owned()), ..Revision::default() },
        set_at_unix_nanos: Some(9),
    };
    let runs = [ids[2].clone(), ids[0].clone(), ids[2].clone()];
    assert!(!store.set_baseline("main", &runs, &note).unwrap());
    let baseline = store.baseline("main").unwrap();
    let members =
        |runs: &[calor_store::SavedRun]| -> Vec<SavedId> { runs.iter().map(|run| run.id.clone()).collect() };
    assert_eq!(members(&baseline.runs), runs[..2], "a run that is named twice counts once");
    assert_eq!((baseline.set_by.as_deref(), baseline.set_at_unix_nanos), (Some("somebody"), 9));
    assert_eq!(
        (baseline.revision, &baseline.runs[0].baselines),
        (note.revision.clone(), &vec!["main".to_owned()])
    );
    let selector: Selector = "baseline:main".parse().unwrap();
    assert_eq!(members(&store.find(&selector).unwrap()), runs[..2]);
    assert!(matches!(store.find_one(&selector), Err(Error::SeveralRuns { n_runs: 2, .. })));

    assert!(store.set_baseline("main", &ids[3..], &BaselineNote::default()).unwrap());
    assert_eq!(members(&store.baseline("main").unwrap().runs), ids[3..]);
    store.set_baseline("a/other-1.0", &ids[..1], &note).unwrap();
    let names: Vec<String> = store.baselines().unwrap().into_iter().map(|baseline| baseline.name).collect();
    assert_eq!(names, ["a/other-1.0", "main"]);
    store.remove_baseline("main").unwrap();
    assert_eq!(store.n_runs().unwrap(), 4, "the runs stay");
    let error = store.baseline("main").unwrap_err();
    assert!(
        error.to_string().contains("there is no baseline `main`, only a/other-1.0: `calor baseline list`"),
        "{error}"
    );
    assert!(matches!(store.remove_baseline("main"), Err(Error::UnknownBaseline { .. })));
}

#[test]
fn what_cannot_be_a_baseline_leaves_the_old_one() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(2);
    let note = BaselineNote::default();
    store.set_baseline("main", &ids, &note).unwrap();
    let elsewhere = Workbench::new().filled(3).1.remove(2);
    assert!(matches!(store.set_baseline("main", &[], &note), Err(Error::EmptyBaseline)));
    let unknown = store.set_baseline("main", &[ids[0].clone(), elsewhere], &note);
    assert!(matches!(unknown, Err(Error::UnknownRun { .. })));
    for name in ["", "a b", "-x", "a~1", "a:b", &"x".repeat(101)] {
        assert!(matches!(store.set_baseline(name, &ids, &note), Err(Error::BaselineName { .. })), "{name}");
    }
    assert_eq!(store.baseline("main").unwrap().runs.len(), 2);
    assert_eq!(store.baselines().unwrap().len(), 1);
}
