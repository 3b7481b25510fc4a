use calor_model::{Profile, Span};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, scope_lines, scopes, totals};
use crate::generated::profile;

#[test]
fn a_path_through_the_same_functions_is_walked_once() {
    let folded = samples(&[("a;b;a;b;c", 3), ("a;b;c", 2), ("a;a;a", 1), ("a", 4)]).fold_recursion();
    assert_eq!(sample_lines(&folded), ["a 5", "a;b;c 5"]);
}

#[test]
fn time_of_a_recursive_scope_counts_once_and_its_calls_all() {
    let folded = scopes(&[("a", 1, 100), ("a;a", 1, 70), ("a;a;a", 1, 30)]).fold_recursion();
    assert_eq!(scope_lines(&folded), ["a 3 100"]);
}

#[test]
fn what_the_inner_call_did_moves_out_to_the_outer_one() {
    // Of a's 12, b held 10, of which 6 were spent in c below the inner a.
    let profile = scopes(&[("a", 1, 12), ("a;b", 1, 10), ("a;b;a", 1, 6), ("a;b;a;c", 2, 6)]);
    assert_eq!(scope_lines(&profile.fold_recursion()), ["a 2 12", "a;b 1 4", "a;c 2 6"]);
}

#[test]
fn open_time_that_moves_out_is_not_counted_where_it_was() {
    let mut profile = scopes(&[("a", 1, 0), ("a;b", 1, 0), ("a;b;a", 1, 0), ("a;b;a;c", 1, 0)]);
    let keys: Vec<_> = profile.scopes.iter().map(|(key, _)| key).collect();
    for (key, nanos) in keys.into_iter().zip([9, 8, 7, 7]) {
        profile.scopes.row_mut(key).open_nanos = nanos;
    }
    let folded = profile.fold_recursion();
    let times: Vec<_> = folded.scopes.iter().map(|(_, stats)| stats.inclusive_nanos()).collect();
    assert_eq!(times, [9, 1, 7]);
}

#[test]
fn of_spans_inside_one_another_the_outer_stays() {
    let mut profile = scopes(&[("a;b;a", 1, 5)]);
    let stacks: Vec<_> = profile.stacks.iter().map(|(id, _)| id).collect();
    let thread = profile.intern_thread(1, 1, "main");
    for (start_nanos, stack) in stacks.into_iter().enumerate() {
        let span = Span { start_nanos: start_nanos as u64, duration_nanos: 10, stack };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let folded = profile.fold_recursion();
    let starts: Vec<_> =
        folded.timeline.iter().flat_map(|(_, track)| &track.spans).map(|s| s.start_nanos).collect();
    assert_eq!(starts, [0, 1]);
}

fn total_of_roots(profile: &Profile) -> u64 {
    let is_root = |stack| profile.stacks.get(stack).parent.is_none();
    profile
        .scopes
        .iter()
        .filter(|(key, _)| is_root(key.stack))
        .map(|(_, stats)| stats.inclusive_nanos())
        .sum()
}

proptest! {
    #[test]
    fn folding_recursion_conserves_self_time_and_weights(a in profile()) {
        let folded = a.fold_recursion();
        assert_eq!(totals(&a), totals(&folded));
        let calls = |profile: &Profile| profile.scopes.iter().map(|(_, stats)| stats.calls).sum::<u64>();
        assert_eq!(calls(&a), calls(&folded));
        content(&folded).assert_same(&content(&folded.fold_recursion()));
    }

    #[test]
    fn no_total_grows_beyond_what_was_recorded(paths in proptest::collection::vec("[abc](;[abc]){0,5}", 1..8)) {
        // Every call takes one nanosecond itself, so a total is the number of calls below.
        let mut profile = Profile::default();
        for path in &paths {
            let names: Vec<_> = path.split(';').collect();
            let rows: Vec<_> = (1..=names.len()).map(|n| names[..n].join(";")).collect();
            let rows: Vec<_> = rows.iter().map(|path| path.as_str()).zip((1..=names.len() as u64).rev()).collect();
            profile.merge(&scopes(&rows.iter().map(|&(path, nanos)| (path, 1, nanos)).collect::<Vec<_>>()));
        }
        let folded = profile.fold_recursion();
        assert_eq!(total_of_roots(&profile), total_of_roots(&folded));
        for (key, _) in folded.scopes.iter() {
            let mut names = folded.path_names(key.stack);
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
