use std::collections::{BTreeMap, BTreeSet};

use calor_model::{LEFT_OUT, Profile};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, scope_lines, scopes, totals};
use crate::generated::profile;

fn many() -> Profile {
    samples(&[
        ("main;hot", 900),
        ("main;hot;read", 50),
        ("main;a;read", 20),
        ("main;b;c;read", 15),
        ("main;b;c;read;d;read", 10),
        ("main;b;c", 5),
    ])
}

#[test]
fn a_path_that_goes_leaves_a_frame_and_its_caller_stays_what_it_was() {
    let condensed = many().condenser().condense(0.05, 0);
    assert_eq!(sample_lines(&condensed.profile), ["main;(left out) 50", "main;hot 900", "main;hot;read 50"]);
    // The reads below a and b are gone from under their name.
    assert_eq!((condensed.n_left_out, (condensed.most_missing * 1000.0).round()), (7, 45.0));
}

#[test]
fn functions_that_matter_stay_wherever_they_are() {
    let condensed = many().condenser().condense(0.5, 3);
    assert_eq!(
        sample_lines(&condensed.profile),
        [
            "main;(left out) 5",
            // Of the reads one is inside another: both are reads.
            "main;(left out);read 45",
            "main;hot 900",
            "main;hot;read 50",
        ]
    );
    assert!(condensed.most_missing <= 0.031, "{}", condensed.most_missing);
}

#[test]
fn scopes_keep_their_calls_and_self_times() {
    let profile = scopes(&[
        ("run", 1, 1000),
        ("run;step", 10, 900),
        ("run;load", 2, 60),
        ("run;load;parse", 4, 40),
        ("run;load;parse;copy", 8, 30),
    ]);
    let condensed = profile.condenser().condense(0.5, 0).profile;
    assert_eq!(scope_lines(&condensed), ["run 1 1000", "run;(left out) 14 60", "run;step 10 900"]);
    let mut self_nanos = condensed.scope_self_nanos();
    self_nanos.sort_unstable();
    assert_eq!(self_nanos, [40, 60, 900]);
}

#[test]
fn what_was_left_out_before_stays_so() {
    let once = many().condenser().condense(0.05, 0).profile;
    assert!(once.left_out_frame().is_some() && many().left_out_frame().is_none());
    let twice = once.condenser().condense(0.5, 1).profile;
    assert_eq!(sample_lines(&twice), ["main;(left out) 50", "main;hot 900", "main;hot;(left out) 50"]);
}

/// Samples of each function: those on whose path it is, and those that found it innermost.
fn functions(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut functions: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (key, weight) in profile.samples.iter() {
        let names = profile.path_names(key.stack);
        for name in names.iter().collect::<BTreeSet<_>>() {
            functions.entry((*name).to_owned()).or_default().0 += weight.count;
        }
        let leaf = names.last().copied().unwrap_or_default();
        functions.entry(leaf.to_owned()).or_default().1 += weight.count;
    }
    functions.remove(LEFT_OUT);
    functions
}

/// Samples of one kind on paths of a few names: functions meet on many of them.
fn tangled() -> impl Strategy<Value = Profile> {
    let path = prop::collection::vec(0..7_u8, 1..9);
    prop::collection::vec((path, 1..100_u64), 1..60).prop_map(|rows| {
        let paths: Vec<(String, u64)> = rows
            .into_iter()
            .map(|(path, count)| {
                (path.iter().map(|name| format!("f{name}")).collect::<Vec<_>>().join(";"), count)
            })
            .collect();
        samples(&paths.iter().map(|(path, count)| (path.as_str(), *count)).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn condensing_loses_nothing_from_the_totals(a in profile(), share in 0.0..0.6_f64, n in 0..6_usize) {
        let condensed = a.condenser().condense(share, n).profile;
        assert_eq!(totals(&a), totals(&condensed));
    }

    #[test]
    fn condensing_nothing_changes_nothing(a in profile()) {
        content(&a.compact()).assert_same(&content(&a.condenser().condense(0.0, 0).profile));
    }

    #[test]
    fn no_function_gains_and_none_loses_more_than_is_said(a in tangled(), share in 0.0..0.9_f64, n in 0..8_usize) {
        let condensed = a.condenser().condense(share, n);
        let (before, after) = (functions(&a), functions(&condensed.profile));
        let whole: u64 = a.samples.iter().map(|(_, weight)| weight.count).sum();
        let bound = condensed.most_missing * whole as f64 + 1e-6;
        let mut n_changed = 0;
        for (name, (total, own)) in &before {
            let (total_now, own_now) = after.get(name).copied().unwrap_or_default();
            prop_assert!(total_now <= *total && own_now <= *own, "{} gained", name);
            prop_assert!((total - total_now) as f64 <= bound && (own - own_now) as f64 <= bound, "{}", name);
            n_changed += usize::from((total_now, own_now) != (*total, *own));
        }
        prop_assert!(n_changed + n.min(before.len()) <= before.len(), "{} changed, {} should stay", n_changed, n);
    }
}
