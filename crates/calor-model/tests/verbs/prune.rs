use calor_model::{Prune, StackTable};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, scope_lines, scopes, totals};
use crate::generated::profile;

#[test]
fn a_small_path_is_folded_into_its_caller() {
    let pruned = samples(&[("main;hot", 990), ("main;cold;colder", 4), ("main", 6)]);
    assert_eq!(sample_lines(&pruned.prune(&Prune::new().min_share(0.005))), ["main 10", "main;hot 990"]);
}

#[test]
fn a_caller_keeps_its_calls_and_its_total() {
    let profile = scopes(&[("main", 1, 1000), ("main;hot", 5, 990), ("main;cold", 9, 2)]);
    let pruned = profile.prune(&Prune::new().min_share(0.01));
    assert_eq!(scope_lines(&pruned), ["main 1 1000", "main;hot 5 990"]);
}

#[test]
fn a_caller_without_a_row_gets_one_to_hold_the_time() {
    let pruned = scopes(&[("main;deep;deeper", 3, 10)]).prune(&Prune::new().max_depth(2));
    assert_eq!(scope_lines(&pruned), ["main;deep 0 10"]);
}

#[test]
fn a_caller_that_gets_a_row_holds_what_is_called_through_frames_without_one() {
    let profile = scopes(&[("run", 1, 1000), ("run;step;cold", 2, 4), ("run;step;native;hot", 5, 900)]);
    let pruned = profile.prune(&Prune::new().min_share(0.01));
    assert_eq!(scope_lines(&pruned), ["run 1 1000", "run;step 0 904", "run;step;native;hot 5 900"]);
    let mut self_nanos = pruned.scope_self_nanos();
    self_nanos.sort_unstable();
    assert_eq!(self_nanos, [4, 96, 900]);
}

#[test]
fn a_root_stays_however_small() {
    let pruned = samples(&[("big", 1000), ("small;leaf", 1)]).prune(&Prune::new().min_share(0.1));
    assert_eq!(sample_lines(&pruned), ["big 1000", "small 1"]);
}

#[test]
fn what_no_row_speaks_of_is_left_out_by_compaction() {
    let mut profile = samples(&[("a;b", 1)]);
    profile.intern_named_path(&["unused", "path"], calor_model::FrameKind::Native);
    profile.intern_thread(9, 9, "idle");
    let compact = profile.compact();
    assert_eq!(compact.strings.iter().map(|(_, text)| text).collect::<Vec<_>>(), ["a", "b", "main"]);
    assert_eq!((compact.frames.len(), compact.stacks.len(), compact.threads.len()), (2, 2, 1));
}

fn depth(stacks: &StackTable) -> usize {
    stacks.iter().map(|(id, _)| stacks.frames(id).count()).max().unwrap_or(0)
}

proptest! {
    #[test]
    fn pruning_by_share_loses_nothing_from_the_totals(a in profile(), share in 0.0..0.6_f64) {
        let pruned = a.prune(&Prune::new().min_share(share));
        assert_eq!(totals(&a), totals(&pruned));
        assert!(pruned.stacks.len() <= a.stacks.len());
    }

    #[test]
    fn pruning_by_depth_loses_nothing_and_leaves_nothing_deeper(a in profile(), max in 1..5_usize) {
        let pruned = a.prune(&Prune::new().max_depth(max));
        assert_eq!(totals(&a), totals(&pruned));
        assert!(depth(&pruned.stacks) <= max);
    }

    #[test]
    fn pruning_nothing_and_compacting_change_nothing(a in profile()) {
        content(&a).assert_same(&content(&a.prune(&Prune::new())));
        content(&a).assert_same(&content(&a.compact()));
    }
}
