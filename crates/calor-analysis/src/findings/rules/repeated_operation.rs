//! The same operation on arrays of the same shape, over and over from one line: many calls that one call on a stack of arrays
//! could replace.

use crate::findings::array_operation::{
    OperationGroup, by_function, dispatch_nanos, is_elementwise, is_product, outermost,
};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Share, Topic, Unit,
};

/// Fewer calls of one shape are no loop worth changing.
const LEAST_CALLS: u64 = 1_000;
/// Arrays of more elements than this keep a core busy by themselves.
const MOST_ELEMENTS: f64 = 10_000.0;
/// The part of the whole that these operations have to take.
const LEAST_SHARE: f64 = 0.05;
/// Below so many times what calling any operation costs, it is a small one, which has its own rule.
const SMALL: f64 = 3.0;
/// Up to so many times that, the call itself is a good part of it.
const MOST_DISPATCHES: f64 = 10.0;
/// Functions of linear algebra check and copy in Python before they compute: so many times.
const MOST_DISPATCHES_OF_ALGEBRA: f64 = 100.0;
/// The part of a call to linear algebra on a small matrix that goes in a stack of them.
const REMOVED_OF_ALGEBRA: (f64, f64) = (0.3, 0.95);
/// The interpreter's loop goes too, and takes up to this part on top.
const WITH_THE_LOOP: f64 = 1.5;
/// Functions that work on stacks of matrices as well.
const ALGEBRA: [&str; 12] =
    ["solve", "inv", "det", "svd", "qr", "cholesky", "eig", "eigh", "eigvals", "eigvalsh", "pinv", "norm"];

pub(super) struct RepeatedOperation;

const ABOUT: About<'_> = About {
    id: "ARRAY-REPEATED-OPERATION",
    version: 1,
    topic: Topic::Arrays,
    title: "one operation on arrays of one shape is called over and over",
    needs: &[Need::Operations],
    suppresses: &[],
};

impl Rule for RepeatedOperation {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let repeated = outermost(facts).filter(|operation| removed(facts, operation).is_some());
        let groups = by_function(facts, repeated);
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group)).collect())
    }
}

/// The part of an operation's time that goes if its calls become one; `None` where it is no such operation.
fn removed(facts: &Facts<'_>, operation: &Operation<'_>) -> Option<(f64, f64)> {
    let (dispatch, nanos) = (dispatch_nanos(facts, operation.library), operation.usual_nanos());
    let ratio = nanos / dispatch;
    let elements = operation.elements_per_call();
    let is_of_one_shape = operation.shape.is_some() && elements > 0.0 && elements < MOST_ELEMENTS;
    if operation.calls < LEAST_CALLS || !is_of_one_shape || ratio < SMALL {
        return None;
    }
    if is_algebra(operation) && ratio <= MOST_DISPATCHES_OF_ALGEBRA {
        return Some(REMOVED_OF_ALGEBRA);
    }
    let is_stackable = is_elementwise(operation) || is_product(operation);
    (is_stackable && ratio <= MOST_DISPATCHES).then(|| (0.7 / ratio, (3.0 / ratio).min(0.95)))
}

fn is_algebra(operation: &Operation<'_>) -> bool {
    ALGEBRA.contains(&operation.name.rsplit('.').next().unwrap_or(operation.name))
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    if group.share.estimate < LEAST_SHARE {
        return None;
    }
    let first = group.operations[0];
    let parts: Vec<(f64, f64)> =
        group.operations.iter().filter_map(|operation| removed(facts, operation)).collect();
    let low = parts.iter().map(|part| part.0).fold(1.0, f64::min);
    let high = parts.iter().map(|part| part.1).fold(0.0, f64::max);
    let place = group.place.clone();
    let shape = first.shape.unwrap_or_default();
    let title =
        format!("`{}` calls {} {} times on arrays of {shape}", place.function, first.name, first.calls);
    let share = Share::between(group.share.low, group.share.estimate, WITH_THE_LOOP * group.share.high);
    let reason = "if one call on a stack of these arrays replaces the loop";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, (low, high), reason))
            .because(
                "The shape and the type are the same each time, so that the arrays can be stacked along another axis. One call \
                 on the stack pays for checks and for its result once, and has enough to do for vectors and caches.",
            )
            .with(Evidence::share("share of the time in these calls", group.share).against(LEAST_SHARE))
            .with(Evidence::new("calls", first.calls as f64, Unit::Count).against(LEAST_CALLS as f64))
            .with(Evidence::new("elements of a call", first.elements_per_call(), Unit::Count).against(MOST_ELEMENTS))
            .with(Evidence::new("time of a call", first.usual_nanos(), Unit::Nanos))
            .fixed_by(
                Fix::new("Stack the arrays and call once: @ and linear algebra work on the last two axes.").with_code(
                    "for i in range(len(a)):\n    x[i] = np.linalg.solve(a[i], b[i])",
                    "x = np.linalg.solve(a, b[..., None])[..., 0]",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:step@model.py:9";

    fn draft(name: &str, calls: u64, nanos_each: u64, elements: u64) -> Draft {
        let work = Work { elements: elements * calls, ..Work::default() };
        let labels = [("shape", "16x16,16x16"), ("dtype", "float64,float64->float64")];
        Draft::new().seconds(1.0).operation(&[LINE, name], &labels, calls, calls * nanos_each, work)
    }

    fn judged(draft: Draft) -> Outcome {
        RepeatedOperation.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn small_products_in_a_loop_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(draft("matmul", 200_000, 2_000, 256)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("model.py:9"));
        assert!(finding.title.contains("matmul 200000 times on arrays of 16x16,16x16"), "{}", finding.title);
        assert!(finding.gain.low > 1.04 && finding.gain.high < 1.6, "{:?}", finding.gain);
    }

    #[test]
    fn linear_algebra_has_more_to_save() {
        let Outcome::Findings(found) = judged(draft("linalg.solve", 40_000, 10_000, 90)) else {
            panic!("found")
        };
        assert!(found[0].gain.low > 1.13 && found[0].gain.high > 2.0, "{:?}", found[0].gain);
        assert_eq!(judged(draft("linalg.solve", 10_000, 36_000, 90)), Outcome::Fine);
    }

    #[test]
    fn few_calls_large_arrays_small_and_long_operations_are_fine() {
        assert_eq!(judged(draft("matmul", 999, 2_000, 256).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft("matmul", 1_000, 2_000, 256).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft("matmul", 200_000, 2_000, 10_000)), Outcome::Fine);
        assert_eq!(judged(draft("matmul", 200_000, 1_049, 256)), Outcome::Fine);
        assert_eq!(judged(draft("matmul", 200_000, 3_501, 256)), Outcome::Fine);
        assert_eq!(judged(draft("matmul", 24_000, 2_000, 256)), Outcome::Fine);
        assert_eq!(judged(draft("sort", 200_000, 2_000, 256)), Outcome::Fine);
    }
}
