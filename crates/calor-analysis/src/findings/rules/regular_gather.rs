//! Elements are gathered by an array of indices that are evenly spaced: a slice would be a view of the same elements.

use crate::findings::array_operation::{by_function, is_indexing};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// The part of the whole that such indexing has to take in a function.
const LEAST_SHARE: f64 = 0.03;
/// What goes with a view: the gathering; what reads the view may have to step over elements.
const REMOVED: (f64, f64) = (0.5, 1.0);

pub(super) struct RegularGather;

const ABOUT: About<'_> = About {
    id: "ARRAY-REGULAR-GATHER",
    version: 1,
    topic: Topic::Arrays,
    title: "evenly spaced elements are gathered by an array of indices",
    needs: &[Need::Operations],
    suppresses: &[],
};

impl Rule for RegularGather {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let gathers = || facts.operations().iter().filter(|operation| is_gather(facts, operation));
        let is_regular = |operation: &Operation<'_>| facts.label(operation.labels, "regular");
        let share: f64 = gathers().map(|operation| operation.share.estimate).sum();
        if share >= LEAST_SHARE && gathers().all(|operation| is_regular(operation).is_none()) {
            return Outcome::NotEnough {
                missing: "whether indices of gathered elements are evenly spaced".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        let groups = by_function(facts, gathers().filter(|operation| is_regular(operation) == Some("true")));
        let heavy = groups.iter().filter(|group| group.share.estimate >= LEAST_SHARE);
        let finding = |group: &crate::findings::array_operation::OperationGroup<'_, '_>| {
            let place = group.place.clone();
            let title = format!(
                "`{}` gathers evenly spaced elements by an array of indices, {:.0} % of the time",
                place.function,
                100.0 * group.share.estimate
            );
            let gain = Gain::removed(
                group.share,
                REMOVED,
                "if a slice takes the place of half to all of the gathering",
            );
            Finding::new(&ABOUT, title, place, gain)
                .because(
                    "Indexing with an array looks up each element and copies it. These indices are evenly spaced, so that a slice \
                     gives the same elements as a view, at the cost of one small operation.",
                )
                .with(Evidence::share("share of the time in gathering", group.share).against(LEAST_SHARE))
                .with(Evidence::new("calls", group.calls as f64, Unit::Count))
                .with(Evidence::new("elements of a call", group.operations[0].elements_per_call(), Unit::Count))
                .fixed_by(
                    Fix::new("Index with a slice.")
                        .with_code("even = a[np.arange(0, len(a), 2)]", "even = a[::2]"),
                )
        };
        Outcome::of(heavy.map(finding).collect())
    }
}

fn is_gather(facts: &Facts<'_>, operation: &Operation<'_>) -> bool {
    let is_by_array = is_indexing(operation) && facts.label(operation.labels, "index") == Some("array");
    is_by_array || operation.name == "take"
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    fn judged(labels: &[(&str, &str)], total: u64) -> Outcome {
        let path = ["py:halve@signal.py:9", "getitem"];
        let draft = Draft::new().seconds(1.0).operation(&path, labels, 100, total, Work::default());
        RegularGather.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn evenly_spaced_indices_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(&[("index", "array"), ("regular", "true")], 200_000_000) else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("signal.py:9"));
        assert!(finding.gain.low > 1.1 && finding.gain.high < 1.26, "{:?}", finding.gain);
    }

    #[test]
    fn scattered_indices_slices_masks_and_little_time_are_fine() {
        assert_eq!(judged(&[("index", "array"), ("regular", "false")], 200_000_000), Outcome::Fine);
        assert_eq!(judged(&[("index", "slice"), ("regular", "true")], 200_000_000), Outcome::Fine);
        assert_eq!(judged(&[("index", "mask")], 200_000_000), Outcome::Fine);
        assert_eq!(judged(&[("index", "array"), ("regular", "true")], 29_000_000), Outcome::Fine);
    }

    #[test]
    fn indices_that_nobody_looked_at_do_not_tell() {
        assert!(matches!(judged(&[("index", "array")], 200_000_000), Outcome::NotEnough { .. }));
        assert_eq!(judged(&[("index", "array")], 20_000_000), Outcome::Fine);
    }
}
