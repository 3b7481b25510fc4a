//! Arrays are copied where a view or the array itself would do.

use crate::findings::array_operation::{OperationGroup, by_function, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// The part of the whole from where on copies that nothing needs are worth a change.
const LEAST_SHARE_OF_NEEDLESS: f64 = 0.03;
/// The same of copies that somebody may need.
const LEAST_SHARE: f64 = 0.1;
/// A copy that is made a few times is part of setting up.
const LEAST_CALLS: u64 = 10;
/// Copies of fewer bytes cost the call, not the copying.
const LEAST_BYTES: f64 = 4_096.0;
/// The part of copies that nothing needs that goes with a view.
const REMOVED_OF_NEEDLESS: (f64, f64) = (0.7, 1.0);
/// The part of the others: some protect data that is changed later.
const REMOVED: (f64, f64) = (0.3, 1.0);

pub(super) struct ArrayCopies;

const ABOUT: About<'_> = About {
    id: "ARRAY-COPIES",
    version: 1,
    topic: Topic::Arrays,
    title: "arrays are copied where a view would do",
    needs: &[Need::Operations],
    suppresses: &["CPU-MEMORY-COPIES", "HEAP-PAGE-FAULTS"],
};

impl Rule for ArrayCopies {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let copies = outermost(facts).filter(|operation| {
            is_copy(operation) && operation.calls >= LEAST_CALLS && operation.bytes_per_call() >= LEAST_BYTES
        });
        let groups = by_function(facts, copies);
        Outcome::of(groups.iter().filter_map(finding).collect())
    }
}

fn is_copy(operation: &Operation<'_>) -> bool {
    matches!(operation.name, "copy" | "ascontiguousarray" | "asfortranarray" | "clone" | "contiguous")
        || is_needless(operation)
}

/// Copies of which the result is the same as what was there: conversions to the type that it has, `array` of an array,
/// `flatten` where `ravel` gives a view, and arrays made contiguous that are.
fn is_needless(operation: &Operation<'_>) -> bool {
    let (operands, result) = operation.dtypes();
    let is_same_type = matches!(operands[..], [operand] if Some(operand) == result);
    match operation.name {
        "astype" | "array" => is_same_type,
        "flatten" => operation.is_contiguous == Some(true),
        _ => false,
    }
}

fn finding(group: &OperationGroup<'_, '_>) -> Option<Finding> {
    let all_needless = group.operations.iter().all(|operation| is_needless(operation));
    let (least, removed) = match all_needless {
        true => (LEAST_SHARE_OF_NEEDLESS, REMOVED_OF_NEEDLESS),
        false => (LEAST_SHARE, REMOVED),
    };
    if group.share.estimate < least {
        return None;
    }
    let place = group.place.clone();
    let bytes: u64 = group.operations.iter().map(|operation| operation.stats.work.bytes).sum();
    let title = format!(
        "`{}` copies arrays {} times, {:.0} % of the time",
        place.function,
        group.calls,
        100.0 * group.share.estimate
    );
    let reason = format!("if {:.0} % to all of these copies can go", 100.0 * removed.0);
    let first = group.operations[0];
    let why = if all_needless {
        "The copies are the same as what was there: a conversion to the type that the array has, or a flat copy where a flat \
         view would do."
    } else {
        "A copy moves all bytes and computes nothing. It is needed only where the copy or the original is changed later."
    };
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(group.share, removed, reason))
            .because(why)
            .with(Evidence::share("share of the time in copies", group.share).against(least))
            .with(Evidence::new("copies", group.calls as f64, Unit::Count).against(LEAST_CALLS as f64))
            .with(Evidence::new("bytes read and written", bytes as f64, Unit::Bytes))
            .with(Evidence::new("bytes of one copy", first.bytes_per_call(), Unit::Bytes).against(LEAST_BYTES))
            .fixed_by(
                Fix::new("Use views: ravel() for flatten(), asarray for array, astype(..., copy=False), slices without copy().")
                    .with_code(
                        "flat = x.flatten()\nz = y.astype(np.float32)",
                        "flat = x.ravel()\nz = y.astype(np.float32, copy=False)",
                    ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    fn draft(name: &str, labels: &[(&str, &str)], calls: u64, bytes: u64, total: u64) -> Draft {
        let work = Work { bytes: calls * bytes, ..Work::default() };
        Draft::new().seconds(1.0).operation(&["py:step@model.py:9", name], labels, calls, total, work)
    }

    fn judged(draft: Draft) -> Outcome {
        ArrayCopies.judge(&Facts::new(&draft.profile(), None))
    }

    const SAME: [(&str, &str); 1] = [("dtype", "float32->float32")];

    #[test]
    fn conversions_to_the_same_type_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(draft("astype", &SAME, 100, 1 << 20, 300_000_000)) else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("model.py:9"));
        assert!(finding.gain.low > 1.25 && finding.gain.high < 1.5, "{:?}", finding.gain);
    }

    #[test]
    fn copies_that_may_be_needed_have_to_take_more_of_the_time() {
        assert_eq!(judged(draft("copy", &[], 100, 1 << 20, 99_000_000)), Outcome::Fine);
        let Outcome::Findings(found) = judged(draft("copy", &[], 100, 1 << 20, 101_000_000)) else {
            panic!("found")
        };
        assert!(found[0].gain.low < 1.04, "{:?}", found[0].gain);
        assert_eq!(judged(draft("astype", &SAME, 100, 1 << 20, 29_000_000)), Outcome::Fine);
        assert!(matches!(judged(draft("astype", &SAME, 100, 1 << 20, 31_000_000)), Outcome::Findings(_)));
    }

    #[test]
    fn few_and_small_copies_conversions_and_flat_copies_of_scattered_arrays_are_fine() {
        assert_eq!(judged(draft("copy", &[], 9, 1 << 20, 300_000_000)), Outcome::Fine);
        assert_eq!(judged(draft("copy", &[], 100, 4_095, 300_000_000)), Outcome::Fine);
        let converted = [("dtype", "float64->float32")];
        assert_eq!(judged(draft("astype", &converted, 100, 1 << 20, 300_000_000)), Outcome::Fine);
        let scattered = [("contiguous", "false")];
        assert_eq!(judged(draft("flatten", &scattered, 100, 1 << 20, 300_000_000)), Outcome::Fine);
        let whole = [("contiguous", "true")];
        assert!(matches!(judged(draft("flatten", &whole, 100, 1 << 20, 300_000_000)), Outcome::Findings(_)));
    }
}
