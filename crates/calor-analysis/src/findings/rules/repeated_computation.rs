//! The same operation on the same arrays, unchanged, over and over: its result could have been kept.

use crate::findings::array_operation::{OperationGroup, by_function, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// The counter of calls whose operands were those of an earlier call at that line, and had not been written to since.
const SAME_OPERANDS: &str = "same_operands";
/// Fewer are no loop.
const LEAST_SAME: i64 = 3;
/// The part of the whole that repeated calls have to take in a function.
const LEAST_SHARE: f64 = 0.03;
/// The part of it that goes if the result is kept.
const REMOVED: (f64, f64) = (0.8, 1.0);

pub(super) struct RepeatedComputation;

const ABOUT: About<'_> = About {
    id: "ARRAY-REPEATED-COMPUTATION",
    version: 1,
    topic: Topic::Arrays,
    title: "the same operation is done again on the same arrays",
    needs: &[Need::Operations],
    suppresses: &["ARRAY-REPEATED-OPERATION"],
};

impl Rule for RepeatedComputation {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        if outermost(facts).all(|operation| same(facts, operation).is_none()) {
            return Outcome::NotEnough {
                missing: "which operations had the same operands before".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        let is_repeated = |operation: &&Operation<'_>| same(facts, operation).unwrap_or(0) >= LEAST_SAME;
        let groups = by_function(facts, outermost(facts).filter(is_repeated));
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group)).collect())
    }
}

fn same(facts: &Facts<'_>, operation: &Operation<'_>) -> Option<i64> {
    facts.counter(&operation.stats.work, SAME_OPERANDS)
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    let n_same = |operation: &Operation<'_>| same(facts, operation).unwrap_or(0) as f64;
    let all: f64 = group.operations.iter().map(|operation| operation.share.estimate).sum();
    let repeated: f64 = group
        .operations
        .iter()
        .map(|operation| {
            operation.share.estimate * (n_same(operation) / operation.calls.max(1) as f64).min(1.0)
        })
        .sum();
    let share = group.share.scaled(repeated / all.max(f64::MIN_POSITIVE));
    if share.estimate < LEAST_SHARE {
        return None;
    }
    let place = group.place.clone();
    let first = group.operations[0];
    let times = n_same(first);
    let title =
        format!("`{}` computes {} {times:.0} times again from the same arrays", place.function, first.name);
    let gain = Gain::removed(share, REMOVED, "if results are kept, 80 % to all of the repeated work");
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(
                "The operands are the same arrays as before, and nothing was written to them in between, so the result is the \
                 same. It can be computed once, before the loop, or be kept beside the data.",
            )
            .with(Evidence::share("share of the time in repeated work", share).against(LEAST_SHARE))
            .with(Evidence::new("calls with the same operands", times, Unit::Count).against(LEAST_SAME as f64))
            .with(Evidence::new("calls", first.calls as f64, Unit::Count))
            .fixed_by(
                Fix::new("Compute it before the loop, or keep it with functools.cached_property.").with_code(
                    "for row in rows:\n    z = (row - table.mean(axis=0)) / table.std(axis=0)",
                    "mean, std = table.mean(axis=0), table.std(axis=0)\nfor row in rows:\n    z = (row - mean) / std",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    fn judged(same: Option<i64>, calls: u64, total: u64) -> Outcome {
        let mut counter = None;
        let draft =
            Draft::new().seconds(1.0).change(|profile| counter = Some(profile.strings.intern(SAME_OPERANDS)));
        let counters = same.iter().map(|same| (counter.expect("interned"), *same)).collect();
        let work = Work { counters, ..Work::default() };
        let draft = draft.operation(&["py:scale@table.py:9", "mean"], &[], calls, total, work);
        RepeatedComputation.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn work_that_was_done_before_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(Some(90), 100, 400_000_000) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("table.py:9"));
        assert!((finding.gain.share.estimate - 0.36).abs() < 1e-9, "{:?}", finding.gain);
        assert!(finding.gain.low > 1.35 && finding.gain.high < 1.6, "{:?}", finding.gain);
    }

    #[test]
    fn few_repetitions_and_little_time_are_fine() {
        assert_eq!(judged(Some(2), 3, 400_000_000), Outcome::Fine);
        assert!(matches!(judged(Some(3), 4, 400_000_000), Outcome::Findings(_)));
        assert_eq!(judged(Some(0), 100, 400_000_000), Outcome::Fine);
        assert_eq!(judged(Some(90), 100, 33_000_000), Outcome::Fine);
    }

    #[test]
    fn without_the_counter_nothing_is_told() {
        assert!(matches!(judged(None, 100, 400_000_000), Outcome::NotEnough { .. }));
    }
}
