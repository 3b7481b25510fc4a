//! The same operation on the same arrays, unchanged, over and over: its result could have been kept.

use crate::findings::array_operation::{OperationGroup, by_function, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};
use crate::operations::{CHANGED_OPERANDS, OPERAND_PAIRS, OPERANDS_COMPARED, SAME_OPERANDS};

/// All of the operands has to be looked at once, or else something may be written to where nobody looked. Pairs of calls look at a
/// part each, so that these are some dozen.
const LEAST_COMPARED: i64 = 1000;
/// Fewer are no loop.
const LEAST_SAME: i64 = 3;
/// The part of the whole that repeated calls have to take in a function.
const LEAST_SHARE: f64 = 0.03;
/// The part of it that goes if the result is kept.
const REMOVED: (f64, f64) = (0.8, 1.0);

pub(super) struct RepeatedComputation;

const ABOUT: About<'_> = About {
    id: "ARRAY-REPEATED-COMPUTATION",
    version: 2,
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
        let known: Vec<_> =
            outermost(facts).map(|operation| (operation, repeated(facts, operation))).collect();
        if known.iter().all(|(_, repeated)| *repeated == Repeated::Unknown) {
            return not_enough("which operations had the same operands before");
        }
        let is_repeated =
            |operation: &&Operation<'_>| repeated(facts, operation).calls() >= LEAST_SAME as f64;
        let groups = by_function(facts, outermost(facts).filter(is_repeated));
        let found: Vec<Finding> = groups.iter().filter_map(|group| finding(facts, group)).collect();
        let is_open = |(operation, repeated): &(&Operation<'_>, Repeated)| {
            *repeated == Repeated::TooFew && operation.share.estimate >= LEAST_SHARE
        };
        if found.is_empty() && known.iter().any(is_open) {
            return not_enough(
                "more calls: too few were compared to tell whether their operands stay the same",
            );
        }
        Outcome::of(found)
    }
}

fn not_enough(missing: &str) -> Outcome {
    Outcome::NotEnough { missing: missing.to_owned(), how: Need::Operations.how().to_owned() }
}

/// What is known of the operands of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Repeated {
    /// Nobody looked.
    Unknown,
    /// They seemed to be the same, but not enough of them was looked at.
    TooFew,
    /// So many calls had those of the call before, unchanged.
    Calls(f64),
}

impl Repeated {
    fn calls(self) -> f64 {
        if let Self::Calls(calls) = self { calls } else { 0.0 }
    }
}

fn repeated(facts: &Facts<'_>, operation: &Operation<'_>) -> Repeated {
    let counter = |name| facts.counter(&operation.stats.work, name);
    let Some(pairs) = counter(OPERAND_PAIRS).filter(|pairs| *pairs > 0) else { return Repeated::Unknown };
    let same = counter(SAME_OPERANDS).unwrap_or(0);
    // Whoever writes to the memory once may do so at any time.
    if same == 0 || counter(CHANGED_OPERANDS).unwrap_or(0) > 0 {
        return Repeated::Calls(0.0);
    }
    if counter(OPERANDS_COMPARED).unwrap_or(0) < LEAST_COMPARED {
        return Repeated::TooFew;
    }
    let part = (same as f64 / pairs as f64).min(1.0);
    Repeated::Calls((part * operation.calls.saturating_sub(1) as f64).round())
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    let n_same = |operation: &Operation<'_>| repeated(facts, operation).calls();
    let all: f64 = group.operations.iter().map(|operation| operation.share.estimate).sum();
    let again: f64 = group
        .operations
        .iter()
        .map(|operation| {
            operation.share.estimate * (n_same(operation) / operation.calls.max(1) as f64).min(1.0)
        })
        .sum();
    let share = group.share.scaled(again / all.max(f64::MIN_POSITIVE));
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
                "The operands are the same arrays as before. They were compared in other places by each pair of calls, all of \
                 them at least once, and no value had changed in between, so the result is the same. It can be computed once, \
                 before the loop, or be kept beside the data.",
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

    const MANY: [(&str, i64); 3] = [(OPERAND_PAIRS, 98), (SAME_OPERANDS, 98), (OPERANDS_COMPARED, 3000)];

    fn judged(counters: &[(&str, i64)], calls: u64, total: u64) -> Outcome {
        let mut told = Vec::new();
        let draft = Draft::new().seconds(1.0).change(|profile| {
            told = counters.iter().map(|(name, n)| (profile.strings.intern(name), *n)).collect();
        });
        let work = Work { counters: told.into_iter().collect(), ..Work::default() };
        let draft = draft.operation(&["py:scale@table.py:9", "mean"], &[], calls, total, work);
        RepeatedComputation.judge(&Facts::new(&draft.profile(), None))
    }

    fn with(change: (&'static str, i64)) -> Vec<(&'static str, i64)> {
        MANY.into_iter().filter(|(name, _)| *name != change.0).chain([change]).collect()
    }

    #[test]
    fn work_that_was_done_before_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(&with((SAME_OPERANDS, 89)), 100, 400_000_000) else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("table.py:9"));
        assert!((finding.gain.share.estimate - 0.36).abs() < 1e-9, "{:?}", finding.gain);
        assert!(finding.gain.low > 1.35 && finding.gain.high < 1.6, "{:?}", finding.gain);
    }

    #[test]
    fn arrays_that_were_written_to_once_are_never_called_the_same() {
        assert_eq!(judged(&with((CHANGED_OPERANDS, 1)), 100, 400_000_000), Outcome::Fine);
    }

    #[test]
    fn arrays_of_which_a_part_was_looked_at_are_not_judged() {
        let few = [(OPERAND_PAIRS, 12), (SAME_OPERANDS, 12), (OPERANDS_COMPARED, 384)];
        assert!(matches!(judged(&few, 14, 400_000_000), Outcome::NotEnough { .. }));
        assert_eq!(judged(&few, 14, 20_000_000), Outcome::Fine, "and a small part of the time is fine");
    }

    #[test]
    fn never_more_calls_are_repeated_than_can_be() {
        let times = |pairs: i64, calls: u64| {
            let counters = [(OPERAND_PAIRS, pairs), (SAME_OPERANDS, pairs), (OPERANDS_COMPARED, 1000)];
            let Outcome::Findings(found) = judged(&counters, calls, 400_000_000) else { panic!("found") };
            found[0].title.clone()
        };
        assert!(times(207, 200).contains("199 times again"), "{}", times(207, 200));
        assert!(times(18, 20).contains("19 times again"), "{}", times(18, 20));
    }

    #[test]
    fn few_repetitions_and_little_time_are_fine() {
        assert_eq!(judged(&with((SAME_OPERANDS, 2)), 100, 400_000_000), Outcome::Fine);
        assert_eq!(judged(&with((SAME_OPERANDS, 0)), 100, 400_000_000), Outcome::Fine);
        assert_eq!(judged(&MANY, 100, 29_000_000), Outcome::Fine);
    }

    #[test]
    fn without_the_counters_nothing_is_told() {
        assert!(matches!(judged(&[], 100, 400_000_000), Outcome::NotEnough { .. }));
        let old = judged(&[(SAME_OPERANDS, 90)], 100, 400_000_000);
        assert!(matches!(old, Outcome::NotEnough { .. }), "of one place each time: {old:?}");
    }
}
