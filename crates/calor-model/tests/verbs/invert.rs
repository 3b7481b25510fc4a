use proptest::prelude::*;

use crate::content::{sample_lines, samples, scope_lines, scopes, totals};
use crate::generated::profile;

#[test]
fn callers_of_a_function_are_its_children() {
    let inverted =
        scopes(&[("main", 1, 100), ("main;a", 2, 60), ("main;a;f", 3, 50), ("main;f", 4, 30)]).invert();
    assert_eq!(
        scope_lines(&inverted),
        ["a 2 10", "a;main 2 10", "f 7 80", "f;a 3 50", "f;a;main 3 50", "f;main 4 30", "main 1 10"]
    );
}

#[test]
fn samples_stand_at_the_end_of_the_reversed_path() {
    assert_eq!(sample_lines(&samples(&[("a;b;c", 2), ("c", 1)]).invert()), ["c 1", "c;b;a 2"]);
}

proptest! {
    #[test]
    fn roots_of_the_inverted_tree_hold_all_self_time(a in profile()) {
        let inverted = a.invert();
        let is_root = |stack| inverted.stacks.get(stack).parent.is_none();
        let roots = inverted.scopes.iter().filter(|(key, _)| is_root(key.stack));
        assert_eq!(roots.map(|(_, stats)| stats.total_nanos).sum::<u64>(), totals(&a).self_nanos);
        assert_eq!(totals(&a), totals(&inverted));
    }

    #[test]
    fn inverting_twice_brings_samples_back(a in profile()) {
        assert_eq!(sample_lines(&a), sample_lines(&a.invert().invert()));
    }
}
