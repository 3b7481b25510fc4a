//! A loop in Python takes numbers out of an array one by one, or puts them in: each makes an object of NumPy, and what is
//! computed with those is slower than with Python's own numbers.

use crate::findings::array_operation::{OperationGroup, by_function, is_indexing};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Share, Topic, Unit,
};

/// Fewer accesses are over before anybody notices.
const LEAST_CALLS: u64 = 10_000;
/// The part of the whole that they have to take.
const LEAST_SHARE: f64 = 0.05;
/// What one access takes at least, about, and at most where it was counted and not timed.
const ACCESS_NANOS: [f64; 3] = [40.0, 60.0, 120.0];
/// What the loop takes for each beside it: its step and a computation with the number.
const LOOP_NANOS: [f64; 3] = [20.0, 60.0, 200.0];
/// What goes if an operation on the whole array replaces the loop.
const REMOVED: (f64, f64) = (0.7, 0.98);

pub(super) struct ScalarIndexing;

const ABOUT: About<'_> = About {
    id: "ARRAY-SCALAR-INDEXING",
    version: 1,
    topic: Topic::Arrays,
    title: "a loop takes numbers out of an array one by one",
    needs: &[Need::Operations],
    suppresses: &["ARRAY-SMALL-OPERATIONS", "PYTHON-INTERPRETED-LOOP"],
};

impl Rule for ScalarIndexing {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let indexing = || facts.operations().iter().filter(|operation| is_indexing(operation));
        let kind = |operation: &Operation<'_>| facts.label(operation.labels, "index");
        if indexing().next().is_some() && indexing().all(|operation| kind(operation).is_none()) {
            return Outcome::NotEnough {
                missing: "how arrays were indexed".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        let scalar = indexing().filter(|operation| kind(operation) == Some("integer"));
        let groups = by_function(facts, scalar);
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group)).collect())
    }
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    let calls = group.calls as f64;
    let timed: u64 = group.operations.iter().map(|operation| operation.total_nanos).sum();
    let access = |at: usize| if timed > 0 { timed as f64 / calls } else { ACCESS_NANOS[at] };
    let [low, estimate, high] =
        [0, 1, 2].map(|at| facts.share(calls * (access(at) + LOOP_NANOS[at])).estimate);
    let share = Share::between(low, estimate, high);
    if group.calls < LEAST_CALLS || share.estimate < LEAST_SHARE {
        return None;
    }
    let place = facts.place(group.line);
    let title = format!("`{}` takes or sets {} numbers of arrays one by one", place.function, group.calls);
    let reason = "if operations on whole arrays replace the loop, at 60 to 320 ns for a turn of it";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
            .because(
                "Taking one number out of an array makes an object of NumPy for it, which costs more than a list would, and \
                 arithmetic with such objects is several times slower than with Python's numbers.",
            )
            .with(Evidence::share("share of the time in the loop, about", share).against(LEAST_SHARE))
            .with(Evidence::new("numbers taken or set", calls, Unit::Count).against(LEAST_CALLS as f64))
            .fixed_by(
                Fix::new(
                    "Write the loop as operations on whole arrays. Where it has to be a loop, work on a.tolist(), or compile it \
                     (Numba, Cython).",
                )
                .with_code(
                    "total = 0.0\nfor i in range(len(a)):\n    total += a[i] * b[i]",
                    "total = float(a @ b)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:dot@vectors.py:9";

    fn draft(index: &[(&str, &str)], calls: u64, total: u64) -> Draft {
        Draft::new().seconds(1.0).operation(&[LINE, "getitem"], index, calls, total, Work::default())
    }

    fn judged(draft: Draft) -> Outcome {
        ScalarIndexing.judge(&Facts::new(&draft.profile(), None))
    }

    const INTEGER: [(&str, &str); 1] = [("index", "integer")];

    #[test]
    fn a_loop_over_numbers_is_found_at_its_line_counted_or_timed() {
        let Outcome::Findings(found) = judged(draft(&INTEGER, 4_000_000, 0)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("vectors.py:9"));
        assert!((finding.gain.share.estimate - 0.48).abs() < 1e-9, "{:?}", finding.gain);
        assert!(finding.gain.low > 1.15, "{:?}", finding.gain);
        let Outcome::Findings(found) = judged(draft(&INTEGER, 4_000_000, 200_000_000)) else {
            panic!("found")
        };
        assert!((found[0].gain.share.estimate - 0.44).abs() < 1e-9, "{:?}", found[0].gain);
    }

    #[test]
    fn few_numbers_a_small_part_of_the_time_and_slices_are_fine() {
        assert_eq!(judged(draft(&INTEGER, 9_999, 0).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(&INTEGER, 10_000, 0).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(&INTEGER, 400_000, 0)), Outcome::Fine);
        assert_eq!(judged(draft(&[("index", "slice")], 4_000_000, 0)), Outcome::Fine);
    }

    #[test]
    fn indexing_of_an_unknown_kind_does_not_tell() {
        assert!(matches!(judged(draft(&[], 4_000_000, 0)), Outcome::NotEnough { .. }));
        let other = Draft::new().operation(&[LINE, "add"], &[], 1, 1, Work::default());
        assert_eq!(judged(other), Outcome::Fine);
    }
}
