//! Operations on arrays that are so small that calling them costs more than what they compute.

use crate::findings::array_operation::{OperationGroup, by_function, dispatch_nanos, is_indexing, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Share, Topic, Unit,
};

/// An operation that takes less than so many times what calling any costs is small.
const SMALL: f64 = 3.0;
/// Fewer calls are over before anybody notices.
const LEAST_CALLS: u64 = 10_000;
/// The part of the whole that small operations of a function have to take.
const LEAST_SHARE: f64 = 0.05;
/// And of the time of all operations.
const LEAST_OF_OPERATIONS: f64 = 0.2;
/// The interpreter's loop around the operations goes with them, and may take as long as they do.
const WITH_THE_LOOP: f64 = 2.0;
/// What goes if one operation does the work of many: all but the computing.
const REMOVED: (f64, f64) = (0.5, 0.97);

pub(super) struct SmallOperations;

const ABOUT: About<'_> = About {
    id: "ARRAY-SMALL-OPERATIONS",
    version: 1,
    topic: Topic::Arrays,
    title: "operations on small arrays cost more to call than to compute",
    needs: &[Need::Operations],
    suppresses: &["ARRAY-REPEATED-OPERATION", "PYTHON-INTERPRETED-LOOP"],
};

impl Rule for SmallOperations {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let all: u64 = outermost(facts).map(|operation| operation.total_nanos).sum();
        let small = outermost(facts).filter(|operation| is_small(facts, operation));
        let groups = by_function(facts, small);
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group, all)).collect())
    }
}

fn is_small(facts: &Facts<'_>, operation: &Operation<'_>) -> bool {
    // Indexing is of other rules.
    !is_indexing(operation) && operation.usual_nanos() < SMALL * dispatch_nanos(facts, operation.library)
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>, all_nanos: u64) -> Option<Finding> {
    let nanos: u64 = group.operations.iter().map(|operation| operation.total_nanos).sum();
    let of_operations = nanos as f64 / all_nanos.max(1) as f64;
    if group.calls < LEAST_CALLS || group.share.estimate < LEAST_SHARE || of_operations < LEAST_OF_OPERATIONS
    {
        return None;
    }
    let place = group.place.clone();
    let usual: f64 =
        group.operations.iter().map(|operation| operation.usual_nanos() * operation.calls as f64).sum();
    let per_call = usual / group.calls as f64;
    let title = format!(
        "`{}` calls {} operations on arrays of {per_call:.0} ns each, most of which is the call",
        place.function, group.calls
    );
    let share = Share::between(group.share.low, group.share.estimate, WITH_THE_LOOP * group.share.high);
    let reason = "if one operation on a larger array does the work of many, and the loop around them goes";
    let first = group.operations[0];
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
            .because(
                "Each operation looks up its loop, checks types and shapes, and makes a result before it computes anything. On \
                 arrays of a few elements that is nearly all of the time, and the interpreter's loop around it comes on top.",
            )
            .with(Evidence::share("share of the time in small operations", group.share).against(LEAST_SHARE))
            .with(Evidence::new("calls", group.calls as f64, Unit::Count).against(LEAST_CALLS as f64))
            .with(
                Evidence::new("time of a call", per_call, Unit::Nanos)
                    .against(SMALL * dispatch_nanos(facts, first.library)),
            )
            .with(Evidence::new("share of all operations", of_operations, Unit::Share).against(LEAST_OF_OPERATIONS))
            .fixed_by(
                Fix::new(
                    "Put the small arrays into one with another axis and operate on that; for numbers alone use Python's own, or \
                     compile the loop (Numba, Cython).",
                )
                .with_code(
                    "for p in points:                # 100,000 arrays of 3\n    lengths.append(np.sqrt((p * p).sum()))",
                    "lengths = np.sqrt((points * points).sum(axis=1))",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::{CounterKey, CounterPoint, Work};

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const LINE: &str = "py:lengths@points.py:9";

    fn draft(calls: u64, nanos_each: u64, others: u64) -> Draft {
        Draft::new()
            .seconds(1.0)
            .operation(&[LINE, "multiply"], &[("shape", "3,3")], calls, calls * nanos_each, Work::default())
            .operation(&["py:load@load.py:3", "sort"], &[], 3, others, Work::default())
    }

    fn judged(draft: Draft) -> Outcome {
        SmallOperations.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn a_loop_of_small_operations_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(draft(1_000_000, 400, 0)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("points.py:9"));
        assert!(finding.title.contains("1000000 operations on arrays of 400 ns"), "{}", finding.title);
        assert!(finding.gain.low > 1.2 && finding.gain.high < 5.0, "{:?}", finding.gain);
    }

    #[test]
    fn larger_fewer_and_a_small_part_of_operations_are_fine() {
        assert_eq!(judged(draft(500_000, 1_051, 0)), Outcome::Fine);
        assert_eq!(judged(draft(9_999, 400, 0).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(10_000, 400, 0).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(120_000, 400, 0)), Outcome::Fine);
        assert_eq!(judged(draft(150_000, 400, 300_000_000)), Outcome::Fine);
    }

    #[test]
    fn what_a_call_costs_is_as_measured_on_the_machine() {
        let slow = draft(500_000, 1_100, 0).change(|profile| {
            let (name, unit) = (profile.strings.intern("numpy dispatch"), profile.strings.intern("ns"));
            let points = profile.counters.series_mut(CounterKey { name, unit, thread: None });
            points.push(CounterPoint { at_nanos: 0, value: 400.0 });
        });
        assert!(matches!(judged(slow), Outcome::Findings(_)));
    }

    #[test]
    fn without_operations_nothing_is_told() {
        let profile = Draft::new().seconds(1.0).scope(&["run"], 1, 900).profile();
        let all = findings(&Facts::new(&profile, None), &[&SmallOperations], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
