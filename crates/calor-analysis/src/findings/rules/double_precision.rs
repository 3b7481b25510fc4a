//! Much time goes into numbers of eight bytes where four would do: the numbers came as four bytes, or were seen to fit.

use crate::findings::array_operation::{OperationGroup, by_function, is_elementwise, is_product, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// The part of the whole that operations on such numbers have to take in a function.
const LEAST_SHARE: f64 = 0.05;
/// Operations on less memory are not limited by it.
const LEAST_BYTES: f64 = 1_048_576.0;
/// Elements of two operations that differ by no more than this part are those of the same arrays.
const SAME_ELEMENTS: f64 = 0.05;
/// Half the bytes, and twice the numbers in a vector: how much faster that is at least and at most.
const FASTER: (f64, f64) = (1.25, 2.3);
/// Operations beside elementwise ones and products that go over all elements.
const REDUCTIONS: [&str; 8] =
    ["sum", "mean", "std", "var", "add.reduce", "maximum.reduce", "minimum.reduce", "cumsum"];

pub(super) struct DoublePrecision;

const ABOUT: About<'_> = About {
    id: "ARRAY-DOUBLE-PRECISION",
    version: 1,
    topic: Topic::Arrays,
    title: "numbers of eight bytes are used where four would do",
    needs: &[Need::Operations],
    suppresses: &[],
};

impl Rule for DoublePrecision {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let doubles: Vec<&Operation<'_>> =
            outermost(facts).filter(|operation| is_double(operation)).collect();
        let widened: Vec<f64> = widened(facts).collect();
        let would_do = |operation: &&Operation<'_>| {
            let fits = facts.label(operation.labels, "fits") == Some("float32");
            fits || widened.iter().any(|elements| is_same(*elements, operation.elements_per_call()))
        };
        let groups = by_function(facts, doubles.iter().copied().filter(would_do));
        let found: Vec<Finding> =
            groups.iter().filter_map(|group| finding(group, !widened.is_empty())).collect();
        let is_looked_at = |operation: &&Operation<'_>| facts.label(operation.labels, "fits").is_some();
        let share: f64 = doubles.iter().map(|operation| operation.share.estimate).sum();
        if found.is_empty() && share >= LEAST_SHARE && !doubles.iter().any(is_looked_at) {
            return Outcome::NotEnough {
                missing: "whether the numbers would fit into float32".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        Outcome::of(found)
    }
}

fn is_double(operation: &Operation<'_>) -> bool {
    let (operands, _) = operation.dtypes();
    let is_kind = is_elementwise(operation) || is_product(operation) || REDUCTIONS.contains(&operation.name);
    is_kind
        && operation.bytes_per_call() >= LEAST_BYTES
        && !operands.is_empty()
        && operands.iter().all(|dtype| *dtype == "float64")
}

/// Elements of arrays that were made eight bytes from four.
fn widened<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = f64> + 'f {
    let is_widened = |operation: &&Operation<'_>| {
        let (operands, result) = operation.dtypes();
        operation.name == "astype" && operands == ["float32"] && result == Some("float64")
    };
    facts
        .operations()
        .iter()
        .filter(is_widened)
        .map(Operation::elements_per_call)
        .filter(|count| *count > 0.0)
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_ELEMENTS * one.max(other)
}

fn finding(group: &OperationGroup<'_, '_>, is_widened: bool) -> Option<Finding> {
    if group.share.estimate < LEAST_SHARE {
        return None;
    }
    let place = group.place.clone();
    let title = format!(
        "`{}` spends {:.0} % of the time on float64 where float32 would do",
        place.function,
        100.0 * group.share.estimate
    );
    let gain = Gain::faster(
        group.share,
        FASTER,
        "if these operations move half the bytes, 1.25 to 2.3 times as fast",
    );
    let bytes: u64 = group.operations.iter().map(|operation| operation.stats.work.bytes).sum();
    let why = if is_widened {
        "The arrays were float32 before they were converted, so that float64 holds no more than they had."
    } else {
        "The numbers that were looked at are the same as float32."
    };
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(format!(
                "{why} Arrays of this size are limited by memory: half the bytes take about half the time, and a vector holds \
                 twice as many numbers. Check that sums of many numbers stay exact enough."
            ))
            .with(Evidence::share("share of the time in float64", group.share).against(LEAST_SHARE))
            .with(Evidence::new("bytes read and written", bytes as f64, Unit::Bytes))
            .with(
                Evidence::new("bytes of a call", group.operations[0].bytes_per_call(), Unit::Bytes)
                    .against(LEAST_BYTES),
            )
            .fixed_by(
                Fix::new("Keep float32 from where the data comes in, and sum in float64 where many numbers add up.").with_code(
                    "x = np.load(path).astype(np.float64)\ny = np.exp(x) * w",
                    "x = np.load(path)                 # float32\ny = np.exp(x) * w.astype(np.float32)\ntotal = y.sum(dtype=np.float64)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:activate@layers.py:9";
    const DOUBLES: (&str, &str) = ("dtype", "float64,float64->float64");

    fn draft(labels: &[(&str, &str)], bytes: u64, total: u64) -> Draft {
        let work = Work { elements: 100 * 1_000_000, bytes: 100 * bytes, ..Work::default() };
        Draft::new().seconds(1.0).operation(&[LINE, "multiply"], labels, 100, total, work)
    }

    fn converted(draft: Draft, elements: u64) -> Draft {
        let work = Work { elements, bytes: 12 * elements, ..Work::default() };
        let labels = [("dtype", "float32->float64")];
        draft.operation(&["py:load@load.py:3", "astype"], &labels, 1, 1_000, work)
    }

    fn judged(draft: Draft) -> Outcome {
        DoublePrecision.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn arrays_that_were_float32_before_are_found_where_they_are_used() {
        let Outcome::Findings(found) =
            judged(converted(draft(&[DOUBLES], 24_000_000, 400_000_000), 1_000_000))
        else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("layers.py:9"));
        assert!(finding.gain.low > 1.07 && finding.gain.high < 1.4, "{:?}", finding.gain);
    }

    #[test]
    fn numbers_that_were_seen_to_fit_are_found() {
        let fits = [DOUBLES, ("fits", "float32")];
        assert!(matches!(judged(draft(&fits, 24_000_000, 400_000_000)), Outcome::Findings(_)));
        assert_eq!(judged(draft(&[DOUBLES, ("fits", "float64")], 24_000_000, 400_000_000)), Outcome::Fine);
    }

    #[test]
    fn small_arrays_a_small_part_of_the_time_and_other_types_are_fine() {
        let fits = [DOUBLES, ("fits", "float32")];
        assert_eq!(judged(draft(&fits, 1_048_575, 400_000_000)), Outcome::Fine);
        assert_eq!(judged(draft(&fits, 24_000_000, 49_000_000)), Outcome::Fine);
        let single = [("dtype", "float32,float32->float32"), ("fits", "float32")];
        assert_eq!(judged(draft(&single, 24_000_000, 400_000_000)), Outcome::Fine);
    }

    #[test]
    fn without_a_look_at_the_numbers_nothing_is_told() {
        let missing = judged(draft(&[DOUBLES], 24_000_000, 400_000_000));
        assert!(matches!(missing, Outcome::NotEnough { .. }), "{missing:?}");
        let other = judged(converted(draft(&[DOUBLES], 24_000_000, 400_000_000), 2_000_000));
        assert!(matches!(other, Outcome::NotEnough { .. }), "{other:?}");
    }
}
