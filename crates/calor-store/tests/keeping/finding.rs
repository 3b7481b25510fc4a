//! Runs are found by everything that people type for them.

use calor_store::{Error, Filter, Note, Revision, SavedId, Selector, Store};

use super::workbench::{Workbench, save};

fn found(store: &Store, text: &str) -> Result<SavedId, Error> {
    store.find_one(&text.parse::<Selector>().expect("it names a run")).map(|run| run.id)
}

#[test]
fn runs_are_found_by_order_id_label_commit_branch_and_name() {
    let bench = Workbench::new();
    let (mut store, mut ids) = bench.filled(3);
    for (number, commit, branch) in
        [(4, "aaaa1111", "main"), (5, "aaaa2222", "main"), (6, "aaaa2222", "side")]
    {
        let mut note = Note::default().label("build", if number == 5 { "slow" } else { "fast" });
        note.name = (number == 4).then(|| "special".to_owned());
        note.revision.commit = Some(commit.to_owned());
        note.revision.branch = Some(branch.to_owned());
        ids.push(save(&mut store, number, note));
    }
    let earlier_than_third = format!("{}~2", ids[2]);
    let beginning = &ids[1].as_str()[..6];
    for (text, expected) in [
        ("latest", 6),
        ("latest~0", 6),
        ("latest~5", 1),
        (ids[1].as_str(), 2),
        (beginning, 2),
        (&earlier_than_third, 1),
        ("build=fast", 6),
        ("build=fast~1", 4),
        ("build=slow", 5),
        ("commit:aaaa", 6),
        ("commit:aaaa1", 4),
        ("aaaa1111", 4),
        ("aaaa2222~1", 5),
        ("branch:main", 5),
        ("name:special", 4),
        ("name:train~1", 5),
    ] {
        assert_eq!(found(&store, text).unwrap(), ids[expected - 1], "{text}");
    }
    for text in ["latest~6", "build=other", "commit:bbbb", "branch:mai", "name:trai", "zzzzzzzz", "bbbb1111"]
    {
        let error = found(&store, text).unwrap_err();
        assert!(matches!(&error, Error::UnknownRun { asked, .. } if asked == text), "{error}");
        assert!(error.to_string().contains("among 6: see `calor store ls`"), "{error}");
    }
}

#[test]
fn a_beginning_of_several_ids_names_them() {
    let bench = Workbench::new();
    let (store, ids) = bench.filled(200);
    let first_letters: Vec<&str> = ids.iter().map(|id| &id.as_str()[..1]).collect();
    let shared = first_letters.iter().find(|one| first_letters.iter().filter(|it| it == one).count() > 1);
    let shared = shared.expect("there are fewer letters than runs");
    let error = found(&store, shared).unwrap_err();
    assert!(matches!(&error, Error::AmbiguousRun { candidates, .. } if candidates.len() >= 2), "{error}");
}

#[test]
fn lists_are_the_last_saved_first_and_can_be_narrowed() {
    let bench = Workbench::new();
    let (mut store, ids) = bench.filled(4);
    let mut note = Note::default().label("a", "1").label("b", "2");
    note.revision = Revision { branch: Some("main".to_owned()), ..Revision::default() };
    let labelled = save(&mut store, 5, note);
    let listed = |filter: &Filter| -> Vec<SavedId> {
        store.runs(filter).unwrap().into_iter().map(|run| run.id).collect()
    };
    let all = Filter::default();
    assert_eq!(listed(&all)[..2], [labelled.clone(), ids[3].clone()]);
    assert_eq!(listed(&Filter { skip: 1, limit: Some(2), ..all.clone() }), [ids[3].clone(), ids[2].clone()]);
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let both = Filter { labels: vec![label("a", "1"), label("b", "2")], ..all.clone() };
    assert_eq!(listed(&both), [labelled]);
    assert!(listed(&Filter { labels: vec![label("a", "1"), label("b", "1")], ..all.clone() }).is_empty());
    let times = Filter {
        saved_from_unix_nanos: Some(2_000_000_000),
        saved_before_unix_nanos: Some(4_000_000_000),
        ..all
    };
    assert_eq!(listed(&times), [ids[2].clone(), ids[1].clone()]);
    let machine = store.runs(&Filter::default()).unwrap()[0].machine.clone().unwrap().fingerprint();
    assert_eq!(listed(&Filter { machine: Some(machine), ..Filter::default() }).len(), 5);
}
