//! The promises of [`Runs`](calor_store::Runs).

use calor_formats::native;
use calor_store::{
    BaselineNote, Bounds, Encoded, Error, Filter, Note, SavedId, SavedRun, Scope, Selector, SumKind,
};

use super::super::workbench::profile;
use super::{Keeper, for_each};

/// Saves the profile of a number at that many seconds after 1970.
fn save(keeper: &mut dyn Keeper, number: u64, note: Note) -> SavedId {
    let mut note = note;
    note.saved_at_unix_nanos = Some(number * 1_000_000_000);
    let encoded = Encoded::of(profile(number)).expect("it can be encoded");
    keeper.save_encoded(&encoded, &note).expect("it can be saved").id
}

fn filled(keeper: &mut dyn Keeper) -> Vec<SavedId> {
    (1..=4).map(|number| save(keeper, number, Note::default())).collect()
}

fn find(keeper: &dyn Keeper, text: &str) -> Result<Vec<SavedId>, Error> {
    let selector: Selector = text.parse().expect("it is a selector");
    Ok(keeper.find(&selector)?.into_iter().map(|run| run.id).collect())
}

fn all(keeper: &dyn Keeper) -> Vec<SavedRun> {
    keeper.runs(&Filter::default()).expect("runs can be listed")
}

#[test]
fn a_save_takes_the_bytes_that_are_there_and_gives_them_back() {
    for_each(|keeper| {
        // Of two parts, as a recording leaves it: encoding the sum would give other bytes.
        let mut file = native::Writer::new(Vec::new()).unwrap();
        file.write_part(&profile(1)).unwrap();
        file.write_part(&profile(1)).unwrap();
        let bytes = file.finish().unwrap();
        let encoded = Encoded::read(bytes.clone()).unwrap();
        let saved = keeper.save_encoded(&encoded, &Note::default()).unwrap();
        assert_eq!((saved.is_new, saved.bytes), (true, bytes.len() as u64));
        assert!(keeper.bytes(&saved.id).unwrap() == bytes);
        assert_eq!(keeper.profile(&saved.id).unwrap().duration_nanos(), 1001);
        assert_eq!(all(keeper)[0].totals.samples, Some(2));
        let again = Encoded::read(bytes).unwrap();
        assert!(!keeper.save_encoded(&again, &Note::default()).unwrap().is_new);
    });
}

#[test]
fn lists_and_selectors_agree_on_what_was_saved_last() {
    for_each(|keeper| {
        assert!(matches!(find(keeper, "latest"), Err(Error::UnknownRun { .. })));
        let ids = filled(keeper);
        let newest_first: Vec<SavedId> = all(keeper).into_iter().map(|run| run.id).collect();
        assert!(newest_first.iter().eq(ids.iter().rev()));
        assert_eq!(find(keeper, "latest").unwrap(), ids[3..]);
        assert_eq!(find(keeper, "latest~3").unwrap(), ids[..1]);
        assert_eq!(find(keeper, &ids[1].as_str()[..6]).unwrap(), ids[1..2]);
        assert_eq!(find(keeper, &format!("{}~1", ids[1])).unwrap(), ids[..1]);
        save(keeper, 2, Note::default().label("build", "fast"));
        assert_eq!(find(keeper, "build=fast").unwrap(), ids[1..2], "the labels of both saves");
        assert!(find(keeper, "build=slow").is_err());
    });
}

#[test]
fn runs_of_baselines_stay_whatever_bounds_say() {
    for_each(|keeper| {
        let ids = filled(keeper);
        assert!(!keeper.set_baseline("main", &ids[..2], &BaselineNote::default()).unwrap());
        assert_eq!(find(keeper, "baseline:main").unwrap(), ids[..2]);
        let bounds = Bounds { keep: Some(1), ..Bounds::default() };
        let beyond: Vec<SavedId> = keeper.beyond(&bounds).unwrap().into_iter().map(|run| run.id).collect();
        assert_eq!(beyond, ids[2..3]);
        assert!(matches!(keeper.remove(&ids), Err(Error::InBaseline { .. })));
        assert_eq!(all(keeper).len(), 4, "all of them go, or none");
        assert_eq!(keeper.remove(&beyond).unwrap().n_runs, 1);
        keeper.remove_baseline("main").unwrap();
        assert!(keeper.baselines().unwrap().is_empty());
        assert_eq!(keeper.remove(&ids[..2]).unwrap().n_runs, 2);
        assert!(matches!(keeper.bytes(&ids[0]), Err(Error::UnknownRun { .. })));
    });
}

#[test]
fn sums_are_those_of_the_runs_that_are_asked_for() {
    for_each(|keeper| {
        filled(keeper);
        let mut runs = all(keeper);
        runs.reverse();
        keeper.sum_up(&runs, &mut || panic!("saves add up")).unwrap();
        let step = Scope { name: "step".to_owned(), place: String::new() };
        // Asked for by one scope, by all of all runs, and by all of few runs: three ways through the database.
        for n_asked in [4, 1] {
            let asked = &runs[4 - n_asked..];
            let expected: Vec<_> = (5 - n_asked as u64..=4).map(|number| Some(number * 1000)).collect();
            let one = keeper.sums(SumKind::Cpu, Some(&step), asked).unwrap();
            let all = keeper.sums(SumKind::Cpu, None, asked).unwrap();
            let names: Vec<&str> = all.iter().map(|sums| sums.scope.name.as_str()).collect();
            assert_eq!(names, ["", "main", "step", "train"]);
            for sums in [&one[0], &all[2]] {
                let totals: Vec<_> = sums.sums.iter().map(|sum| sum.map(|sum| sum.total)).collect();
                assert_eq!(totals, expected);
            }
        }
        assert_eq!(keeper.canaries(&runs).unwrap(), [None; 4]);
        assert!(keeper.sums(SumKind::Cpu, None, &[]).unwrap().is_empty());
    });
}
