//! Several scopes of one caller, each as fast as main memory lets it be, go over data of the same size one after the other:
//! none can be made faster by itself, but one pass that does the work of all would move the bytes once.

use std::collections::BTreeSet;

use calor_model::{FunctionKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rates, Rule, ScopeFacts, Share, Topic, Unit,
};

/// From this part of main memory's bandwidth on, a scope is limited by it.
const LEAST_BANDWIDTH: f64 = 0.5;
/// Data that came faster came from a cache.
const MOST_BANDWIDTH: f64 = 1.15;
/// A scope that computes this part of the peak is limited by that as well.
const MOST_FLOPS: f64 = 0.3;
/// The passes together have to take this part of the whole.
const LEAST_SHARE: f64 = 0.10;
/// How much passes may differ in bytes and calls and still be over the same data.
const ALIKE: f64 = 1.6;
/// The part of the bytes beyond one pass that goes: other data may be read in each.
const REMOVED: (f64, f64) = (0.4, 1.0);

pub(super) struct BandwidthBound;

const ABOUT: About<'_> = About {
    id: "MACHINE-BANDWIDTH-BOUND",
    version: 1,
    topic: Topic::Machine,
    title: "several passes over the same data, each limited by main memory",
    needs: &[Need::Scopes, Need::Machine],
    suppresses: &["CPU-CRITICAL-SCOPE", "CPU-NARROW-VECTORS", "CPU-SCALAR-LOOP"],
};

type Pass<'f> = (&'f ScopeFacts, Rates);

impl Rule for BandwidthBound {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let operations: BTreeSet<StackId> =
            facts.operations().iter().map(|operation| operation.stack).collect();
        let told = facts.scopes().iter().filter_map(|scope| facts.rates(scope).map(|rates| (scope, rates)));
        let told: Vec<Pass<'_>> = told.filter(|(scope, _)| !operations.contains(&scope.stack)).collect();
        if told.is_empty() {
            return Outcome::NotEnough {
                missing: "scopes that tell how many bytes they read and write".to_owned(),
                how: "scope.bytes(n) in the program, and run it".to_owned(),
            };
        }
        let mut by_caller: IndexMap<(Option<StackId>, FunctionKey), Vec<Pass<'_>>, RandomState> =
            IndexMap::default();
        for pass in told.into_iter().filter(|(_, rates)| is_bound(facts, rates)) {
            let profile = facts.profile();
            let Some(caller) = profile.stacks.get(pass.0.stack).parent else { continue };
            let row = profile.stacks.get(caller);
            by_caller.entry((row.parent, profile.frames.get(row.frame).function())).or_default().push(pass);
        }
        Outcome::of(by_caller.values().filter_map(|passes| finding(facts, passes)).collect())
    }
}

/// Whether main memory limits a scope.
fn is_bound(facts: &Facts<'_>, rates: &Rates) -> bool {
    let bandwidth = |bytes: u64| facts.machine().and_then(|machine| machine.bandwidth_at(bytes));
    let is_far = bandwidth(rates.bytes_per_call as u64) == bandwidth(u64::MAX);
    is_far
        && (LEAST_BANDWIDTH..=MOST_BANDWIDTH).contains(&rates.bandwidth_share)
        && rates.flops_share < MOST_FLOPS
}

fn finding(facts: &Facts<'_>, passes: &[Pass<'_>]) -> Option<Finding> {
    let (largest, most) = passes.iter().max_by(|a, b| a.1.bytes_per_call.total_cmp(&b.1.bytes_per_call))?;
    let near = |one: f64, other: f64| one <= ALIKE * other && other <= ALIKE * one;
    let alike: Vec<&Pass<'_>> = passes
        .iter()
        .filter(|(scope, rates)| {
            near(rates.bytes_per_call, most.bytes_per_call) && near(scope.calls as f64, largest.calls as f64)
        })
        .collect();
    let sum =
        |bound: fn(&Share) -> f64| alike.iter().map(|(scope, _)| bound(&scope.total_share)).sum::<f64>();
    let share = Share::between(sum(|share| share.low), sum(|share| share.estimate), sum(|share| share.high));
    if alike.len() < 2 || share.estimate < LEAST_SHARE {
        return None;
    }
    let n = alike.len() as f64;
    let place = facts.place(facts.profile().stacks.get(largest.stack).parent?);
    let title = format!(
        "`{}` goes over {:.0} MB {} times, each as fast as main memory delivers",
        place.function,
        most.bytes_per_call / 1e6,
        alike.len()
    );
    let reason = format!(
        "if one pass does the work of all {} and moves 40 % to all of the other bytes less",
        alike.len()
    );
    let gain = Gain::removed(share.scaled((n - 1.0) / n), REMOVED, reason);
    let reached = alike.iter().map(|(_, rates)| rates.bandwidth_share).fold(f64::INFINITY, f64::min);
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(
                "Each of these scopes moves bytes at nearly the rate of main memory, so that better instructions would not \
                 make it faster. The data is larger than the caches, and is fetched again by every pass.",
            )
            .with(Evidence::new("passes over data of this size", n, Unit::Count).against(2.0))
            .with(Evidence::new("least share of the memory's bandwidth", reached, Unit::Share).against(LEAST_BANDWIDTH))
            .with(Evidence::share("share of the time in the passes", share).against(LEAST_SHARE))
            .with(Evidence::new("bytes of a pass", most.bytes_per_call, Unit::Bytes))
            .fixed_by(
                Fix::new(
                    "Do all steps for a piece of the data that fits into a cache before going to the next piece, or in one \
                     loop; use a smaller type where it is exact enough.",
                )
                .with_code(
                    "scale(&mut xs);\nshift(&mut xs);\nclamp(&mut xs);",
                    "for piece in xs.chunks_mut(16 * 1024) {\n    scale(piece);\n    shift(piece);\n    clamp(piece);\n}",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::findings::MachineFigures;
    use crate::findings::draft::Draft;

    const M: u64 = 1_000_000;

    /// Passes of so many MB in each of ten calls of so many milliseconds.
    fn judged(passes: &[(u64, u64)]) -> Outcome {
        let machine = MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11)],
            bandwidth: vec![(1 << 20, 8e10), (8 << 20, 4e10), (u64::MAX, 2e10)],
            ..MachineFigures::default()
        };
        let mut draft = Draft::new().seconds(1.0).scope(&["run"], 10, 1_000 * M);
        for (at, (bytes, millis)) in passes.iter().enumerate() {
            let work = Work { bytes: bytes * 10 * M, ..Work::default() };
            let stats = ScopeStats { calls: 10, total_nanos: millis * 10 * M, work, ..ScopeStats::default() };
            draft = draft.scope_row("main", &["run", &format!("pass {at}")], &[], stats);
        }
        BandwidthBound.judge(&Facts::new(&draft.profile(), Some(&machine)))
    }

    #[test]
    fn passes_over_the_same_data_at_the_memorys_rate_are_found_at_their_caller() {
        let Outcome::Findings(found) = judged(&[(400, 25), (400, 24), (300, 20)]) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one caller") };
        assert_eq!(finding.place.function, "run");
        assert!(finding.title.contains("400 MB 3 times"), "{}", finding.title);
        assert!(finding.gain.low > 1.2 && finding.gain.high < 1.9, "{:?}", finding.gain);
    }

    #[test]
    fn one_pass_other_sizes_slow_passes_and_data_of_the_caches_are_fine() {
        assert_eq!(judged(&[(400, 25)]), Outcome::Fine);
        assert_eq!(judged(&[(400, 25), (200, 12)]), Outcome::Fine);
        assert_eq!(judged(&[(400, 41), (400, 25)]), Outcome::Fine);
        assert_eq!(judged(&[(4, 1), (4, 1)]), Outcome::Fine);
        assert_eq!(judged(&[(60, 4), (60, 4)]), Outcome::Fine, "8 % of the time");
    }

    #[test]
    fn scopes_that_tell_nothing_are_not_enough() {
        assert!(matches!(judged(&[]), Outcome::NotEnough { .. }));
    }
}
