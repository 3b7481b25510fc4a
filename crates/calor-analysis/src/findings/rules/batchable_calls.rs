//! The same small piece of work is asked for again and again within one call of its caller, where one request for all of it
//! would pay the fixed part of the price once. Scopes tell how few elements they take, or wait for an answer each time;
//! operations on arrays have rules of their own.

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

/// A call that waits for an answer is a way there and back. So many of them in each of so many calls of one caller are the
/// questions of one task, and no loop that waits for tasks; shorter ones are told by their elements, longer ones are work.
const LEAST_TRIPS: f64 = 20.0;
const LEAST_TASKS: u64 = 10;
const TRIP_NANOS: (f64, f64) = (50_000.0, 100e6);
/// Usual calls that take so many times what all of the program had on processors mostly wait.
const WAITING: f64 = 2.0;

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
        let is_operation = |scope: &ScopeFacts| operations.contains(&scope.stack);
        let told = |scope: &&ScopeFacts| scope.stats.work.elements > 0 && !is_operation(scope);
        let scopes = facts.scopes().iter().filter(|scope| !is_operation(scope));
        let trips: Vec<Finding> = scopes.filter_map(|scope| of_trips(facts, scope)).collect();
        if trips.is_empty() && !facts.scopes().iter().any(|scope| told(&scope)) {
            return Outcome::NotEnough {
                missing: "scopes that tell how many elements they work on".to_owned(),
                how: "scope.elements(n) in the program, and run it".to_owned(),
            };
        }
        let scopes = facts.scopes().iter().filter(told);
        Outcome::of(scopes.filter_map(|scope| of_scope(facts, scope)).chain(trips).collect())
    }
}

/// A scope that asks and waits again and again for one task.
fn of_trips(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<Finding> {
    let cpu_nanos = facts.summary().cpu_nanos? as f64;
    let tasks = scope.parent_calls.filter(|tasks| *tasks >= LEAST_TASKS)?;
    let repeated = scope.calls as f64 / tasks as f64;
    let (usual, slow) = (scope.stats.timed.quantile_nanos(0.5)?, scope.stats.timed.quantile_nanos(0.9)?);
    let elements = scope.stats.work.elements as f64 / scope.calls.max(1) as f64;
    let waits = usual * scope.calls as f64 >= WAITING * cpu_nanos
        && scope.self_nanos as f64 >= 0.5 * scope.total_nanos as f64;
    let is_trip = slow <= MOST_SPREAD * usual && (TRIP_NANOS.0..=TRIP_NANOS.1).contains(&usual);
    let is_small = elements <= FEW_ELEMENTS && repeated >= LEAST_TRIPS;
    if !waits || !is_trip || !is_small || scope.total_share.estimate < LEAST_SHARE {
        return None;
    }
    let place = facts.place(scope.stack);
    let title = format!(
        "`{}` is called {repeated:.0} times in each call of its caller, and waits each time",
        place.function
    );
    let gain = Gain::removed(
        scope.total_share,
        FIXED,
        "if 20 to 95 % of a call is the way there and back, which one request for all would go once",
    );
    Some(
        finding(Finding::new(&ABOUT, title, place, gain))
            .with(Evidence::new("calls in one of the caller's", repeated, Unit::Count).against(LEAST_TRIPS))
            .with(Evidence::new("time of a call", usual, Unit::Nanos).against(TRIP_NANOS.0))
            .with(Evidence::new("time on processors of the whole program", cpu_nanos, Unit::Nanos))
            .with(Evidence::share("share of the time", scope.total_share).against(LEAST_SHARE)),
    )
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

    /// Pages that each fetch so many rows, which takes `nanos` each and so many milliseconds of processors in all.
    fn by_trips(pages: u64, repeated: u64, nanos: u64, cpu_millis: u64) -> Outcome {
        let mut stats = ScopeStats { calls: pages * repeated, ..ScopeStats::default() };
        (0..pages * repeated).for_each(|_| stats.timed.record(nanos));
        stats.total_nanos = stats.timed.total_nanos;
        let total = stats.total_nanos;
        let profile = Draft::new()
            .seconds(total as f64 / 1e9)
            .scope(&["page"], pages, total)
            .scope_row("main", &["page", "fetch_row"], &[], stats)
            .change(|profile| profile.runs[0].cpu_nanos = Some(cpu_millis * 1_000_000))
            .profile();
        BatchableCalls.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_scope_that_waits_again_and_again_for_one_task_is_found() {
        let Outcome::Findings(found) = by_trips(80, 60, 300_000, 100) else { panic!("found") };
        assert!(found[0].title.contains("`fetch_row` is called 60 times in each call"), "{}", found[0].title);
    }

    #[test]
    fn scopes_that_work_wait_for_tasks_or_ask_few_times_are_not() {
        for (pages, repeated, nanos, cpu_millis) in
            [(80, 60, 300_000, 1_400), (1, 4_800, 300_000, 100), (80, 19, 300_000, 10), (80, 60, 40_000, 10)]
        {
            let outcome = by_trips(pages, repeated, nanos, cpu_millis);
            assert!(matches!(outcome, Outcome::NotEnough { .. }), "{pages} {repeated} {nanos}: {outcome:?}");
        }
    }

    #[test]
    fn scopes_that_tell_no_elements_are_not_enough() {
        let profile = Draft::new().seconds(1.0).scope(&["run"], 1, 1_000).profile();
        assert!(matches!(BatchableCalls.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
