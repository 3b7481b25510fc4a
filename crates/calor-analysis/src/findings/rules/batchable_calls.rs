//! The same small piece of work is asked for again and again within one call of its caller, where one request for all of it
//! would pay the fixed part of the price once. Scopes tell how few elements they take; operations on arrays have rules of
//! their own.

use std::collections::BTreeSet;

use calor_model::StackId;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, ScopeFacts, Topic, Unit,
};

/// So many calls in one of the caller's are a loop.
const LEAST_REPEATED: f64 = 100.0;
/// Calls that take this part of the whole are worth gathering.
const LEAST_SHARE: f64 = 0.10;
/// A scope that takes more elements in a call has gathered them already.
const FEW_ELEMENTS: f64 = 16.0;
/// A call that takes longer does real work, and one that is shorter has no fixed price worth saving.
const NANOS: (f64, f64) = (1_000.0, 50_000.0);
/// Calls that differ more than this do not do the same: the slowest tenth against the median.
const MOST_SPREAD: f64 = 2.0;
/// The part of a scope's small calls that is a fixed price, where nobody knows.
const FIXED: (f64, f64) = (0.2, 0.95);

pub(super) struct BatchableCalls;

const ABOUT: About<'_> = About {
    id: "CPU-BATCHABLE-CALLS",
    version: 1,
    topic: Topic::Cpu,
    title: "the same small work is asked for again and again",
    needs: &[Need::Scopes],
    suppresses: &["CPU-CRITICAL-SCOPE", "CPU-SMALL-CALLS"],
};

impl Rule for BatchableCalls {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let operations: BTreeSet<StackId> =
            facts.operations().iter().map(|operation| operation.stack).collect();
        let told = |scope: &&ScopeFacts| scope.stats.work.elements > 0 && !operations.contains(&scope.stack);
        if !facts.scopes().iter().any(|scope| told(&scope)) {
            return Outcome::NotEnough {
                missing: "scopes that tell how many elements they work on".to_owned(),
                how: "scope.elements(n) in the program, and run it".to_owned(),
            };
        }
        let scopes = facts.scopes().iter().filter(told);
        Outcome::of(scopes.filter_map(|scope| of_scope(facts, scope)).collect())
    }
}

fn of_scope(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<Finding> {
    let repeated = scope.calls as f64 / scope.parent_calls? as f64;
    let elements = scope.stats.work.elements as f64 / scope.calls.max(1) as f64;
    let (usual, slow) = (scope.stats.timed.quantile_nanos(0.5)?, scope.stats.timed.quantile_nanos(0.9)?);
    let is_steady = slow <= MOST_SPREAD * usual && (NANOS.0..=NANOS.1).contains(&usual);
    let is_small = elements <= FEW_ELEMENTS && repeated >= LEAST_REPEATED;
    if !is_small || !is_steady || scope.total_share.estimate < LEAST_SHARE {
        return None;
    }
    let place = facts.place(scope.stack);
    let title = format!(
        "`{}` is called {repeated:.0} times in a row for {elements:.0} elements each",
        place.function
    );
    let gain = Gain::removed(
        scope.total_share,
        FIXED,
        "if 20 to 95 % of a call is a price that many elements could share",
    );
    Some(
        finding(Finding::new(&ABOUT, title, place, gain))
            .with(
                Evidence::new("calls in one of the caller's", repeated, Unit::Count).against(LEAST_REPEATED),
            )
            .with(Evidence::new("elements of a call", elements, Unit::Count).against(FEW_ELEMENTS))
            .with(Evidence::new("time of a call", usual, Unit::Nanos).against(NANOS.1))
            .with(Evidence::share("share of the time", scope.total_share).against(LEAST_SHARE)),
    )
}

fn finding(finding: Finding) -> Finding {
    finding
        .because(
            "Each call pays a price that does not depend on how much it works on: checks, look-ups, locks, memory for the \
             result, a way to another process and back. For so little work that price is much of the time.",
        )
        .fixed_by(
            Fix::new("Gather the inputs and ask once for all of them, or once for some thousand at a time.").with_code(
                "for row in rows {\n    connection.insert(row)?;\n}",
                "for rows in rows.chunks(1000) {\n    connection.insert_all(rows)?;\n}",
            ),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::ScopeStats;

    use super::*;
    use crate::findings::draft::Draft;

    fn by_scope(repeated: u64, elements: u64, nanos: u64, tail: u64) -> Outcome {
        let mut stats = ScopeStats { calls: 10 * repeated, ..ScopeStats::default() };
        for call in 0..10 * repeated {
            stats.timed.record(if call % 5 == 0 { tail } else { nanos });
        }
        stats.total_nanos = stats.timed.total_nanos;
        stats.work.elements = 10 * repeated * elements;
        let total = stats.total_nanos;
        let profile = Draft::new()
            .seconds(total as f64 / 1e9 / 0.5)
            .scope(&["run"], 10, total)
            .scope_row("main", &["run", "insert"], &[], stats)
            .profile();
        BatchableCalls.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_scope_that_is_called_for_each_element_is_found() {
        assert!(matches!(by_scope(200, 1, 5_000, 6_000), Outcome::Findings(_)));
    }

    #[test]
    fn scopes_that_vary_gather_do_much_or_are_rare_are_fine() {
        assert_eq!(by_scope(99, 1, 5_000, 6_000), Outcome::Fine);
        assert_eq!(by_scope(200, 17, 5_000, 6_000), Outcome::Fine);
        assert_eq!(by_scope(200, 1, 60_000, 60_000), Outcome::Fine);
        assert_eq!(by_scope(200, 1, 5_000, 20_000), Outcome::Fine);
    }

    #[test]
    fn scopes_that_tell_no_elements_are_not_enough() {
        let profile = Draft::new().seconds(1.0).scope(&["run"], 1, 1_000).profile();
        assert!(matches!(BatchableCalls.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
