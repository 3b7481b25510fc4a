//! A scope that moves bytes, or computes, nearly as fast as the machine can. There is nothing to gain by better instructions
//! there: the rule finds nothing to tell, and keeps other rules from advising it.

use crate::findings::{About, Evidence, Facts, Finding, Gain, Need, Outcome, Rule, Share, Topic};

/// From this part of a tier's bandwidth on, nothing is left: streams in step, page walks and refreshes take the rest.
const LEAST_BANDWIDTH: f64 = 0.75;
/// Data that came faster than a tier delivers came from a nearer one, whose roof is another.
const MOST_BANDWIDTH: f64 = 1.15;
/// The same of arithmetic: loops of real programs reach less of the peak than those that measure it.
const LEAST_FLOPS: f64 = 0.6;

pub(super) struct NearRoof;

const ABOUT: About<'_> = About {
    id: "MACHINE-NEAR-ROOF",
    version: 1,
    topic: Topic::Machine,
    title: "a scope is nearly as fast as the machine can be",
    needs: &[Need::Scopes, Need::Machine],
    suppresses: &[
        "CPU-BATCHABLE-CALLS",
        "CPU-CRITICAL-SCOPE",
        "CPU-NARROW-VECTORS",
        "CPU-SCALAR-LOOP",
        "MACHINE-LATENCY-BOUND",
        "MACHINE-STRIDED-ACCESS",
    ],
};

impl Rule for NearRoof {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let told: Vec<_> = facts
            .scopes()
            .iter()
            .filter_map(|scope| facts.rates(scope).map(|rates| (scope, rates)))
            .collect();
        if told.is_empty() {
            return Outcome::NotEnough {
                missing: "scopes that tell how many bytes or operations they work on".to_owned(),
                how: "scope.bytes(n) and scope.flops(n) in the program, and run it".to_owned(),
            };
        }
        let limits = told.into_iter().filter_map(|(scope, rates)| {
            let of_memory = (LEAST_BANDWIDTH..=MOST_BANDWIDTH).contains(&rates.bandwidth_share);
            let (what, share) = match of_memory {
                true => ("share of the memory's bandwidth", rates.bandwidth_share),
                false if rates.flops_share >= LEAST_FLOPS => ("share of the peak", rates.flops_share),
                false => return None,
            };
            let place = facts.place(scope.stack);
            let title =
                format!("`{}` reaches {:.0} % of what the machine can do", place.function, 100.0 * share);
            let gain = Gain::faster(scope.self_share, (1.0, 1.0), "since the machine can do no more");
            let evidence = Evidence::share(what, Share::exact(share)).against(LEAST_BANDWIDTH);
            Some(Finding::new(&ABOUT, title, place, gain).with(evidence).as_limit())
        });
        Outcome::of(limits.collect())
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::{MachineFigures, findings};

    const G: u64 = 1_000_000_000;

    fn machine() -> MachineFigures {
        MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11), ("f64".to_owned(), 5e10)],
            bandwidth: vec![(1 << 20, 8e10), (u64::MAX, 2e10)],
            all_cores_peak_flops: vec![("f32".to_owned(), 1.9e11), ("f64".to_owned(), 9.5e10)],
            all_cores_bandwidth: Some(3e10),
        }
    }

    fn labelled(bytes: u64, flops: u64, label: (&str, &str)) -> Outcome {
        let work = Work { bytes, flops, ..Work::default() };
        let stats = ScopeStats { calls: 10, total_nanos: G, work, ..ScopeStats::default() };
        let profile = Draft::new().seconds(1.0).scope_row("main", &["run"], &[label], stats).profile();
        NearRoof.judge(&Facts::new(&profile, Some(&machine())))
    }

    fn judged(bytes: u64, flops: u64) -> Outcome {
        let work = Work { bytes, flops, ..Work::default() };
        let stats = ScopeStats { calls: 10, total_nanos: G, work, ..ScopeStats::default() };
        let profile = Draft::new().seconds(1.0).scope_row("main", &["run"], &[], stats).profile();
        NearRoof.judge(&Facts::new(&profile, Some(&machine())))
    }

    #[test]
    fn a_scope_near_a_roof_is_a_limit_that_nobody_is_told_of() {
        for (bytes, flops) in [(18 * G, 0), (0, 70 * G), (G, 70 * G)] {
            let Outcome::Findings(found) = judged(bytes, flops) else { panic!("{bytes} {flops}") };
            assert!(found[0].is_limit && found[0].severity().is_none());
        }
        let work = Work { bytes: 18 * G, ..Work::default() };
        let stats = ScopeStats { calls: 10, total_nanos: G, work, ..ScopeStats::default() };
        let profile = Draft::new().seconds(1.0).scope_row("main", &["run"], &[], stats).profile();
        let machine = machine();
        let all = findings(&Facts::new(&profile, Some(&machine)), &[&NearRoof], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 1, 0));
    }

    #[test]
    fn what_is_below_the_roofs_or_came_from_a_nearer_tier_is_none() {
        for (bytes, flops) in [(14 * G, 0), (0, 59 * G), (40 * G, 0)] {
            assert_eq!(judged(bytes, flops), Outcome::Fine, "{bytes} {flops}");
        }
    }

    #[test]
    fn the_roof_is_of_the_numbers_and_the_cores_that_labels_tell() {
        let is_near = |outcome| matches!(outcome, Outcome::Findings(_));
        // Half of the peak with 32 bits is nearly all with 64.
        assert!(is_near(labelled(0, 45 * G, ("dtype", "float64"))) && !is_near(judged(0, 45 * G)));
        // What is near the roof of one core is far from that of all.
        assert!(!is_near(labelled(0, 90 * G, ("threads", "2"))) && is_near(judged(0, 90 * G)));
        assert!(is_near(labelled(0, 150 * G, ("threads", "2"))) && is_near(judged(0, 150 * G)));
        assert!(is_near(labelled(26 * G, 0, ("threads", "2"))) && !is_near(judged(26 * G, 0)));
        assert!(!is_near(labelled(18 * G, 0, ("threads", "2"))));
    }

    #[test]
    fn without_work_or_machine_it_cannot_tell() {
        assert!(matches!(judged(0, 0), Outcome::NotEnough { .. }));
        let profile = Draft::new().seconds(1.0).scope(&["run"], 1, G).profile();
        let all = findings(&Facts::new(&profile, None), &[&NearRoof], &[]);
        assert_eq!(all.not_enough[0].how, "calor machine");
    }
}
