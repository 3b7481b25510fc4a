//! Operands of two types make a result of the wider one: one float64 among float32 turns all that follows into float64.

use crate::findings::array_operation::{OperationGroup, by_function, bytes_of, is_floating, outermost};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Share, Topic, Unit,
};

/// The part of the whole that such operations have to take in a function.
const LEAST_SHARE: f64 = 0.03;
/// Operations on less memory are not slower for wider numbers.
const LEAST_BYTES: f64 = 65_536.0;
/// How much faster an operation is at least and at most if nothing has to be converted and half the bytes are written.
const FASTER: (f64, f64) = (1.2, 3.0);

pub(super) struct DtypeUpcast;

const ABOUT: About<'_> = About {
    id: "ARRAY-DTYPE-UPCAST",
    version: 1,
    topic: Topic::Arrays,
    title: "operands of mixed types make wider results",
    needs: &[Need::Operations],
    suppresses: &["ARRAY-DOUBLE-PRECISION"],
};

impl Rule for DtypeUpcast {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        if facts.operations().iter().all(|operation| operation.dtypes().1.is_none()) {
            return Outcome::NotEnough {
                missing: "types of operands and results".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        let mixed = outermost(facts).filter(|operation| widened(operation).is_some());
        let groups = by_function(facts, mixed);
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group)).collect())
    }
}

/// The narrower type of floating-point numbers among operands of several types, and the wider one of the result.
fn widened<'o>(operation: &'o Operation<'_>) -> Option<(&'o str, &'o str)> {
    let (operands, result) = operation.dtypes();
    let result = result.filter(|result| is_floating(result))?;
    let wide = bytes_of(result)?;
    let is_narrow = |dtype: &&&str| is_floating(dtype) && bytes_of(dtype).is_some_and(|bytes| bytes < wide);
    let narrow = operands.iter().find(is_narrow)?;
    let is_mixed = operands.iter().any(|dtype| dtype != narrow);
    (is_mixed && operation.bytes_per_call() >= LEAST_BYTES).then_some((*narrow, result))
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    if group.share.estimate < LEAST_SHARE {
        return None;
    }
    let first = group.operations[0];
    let (narrow, wide) = widened(first)?;
    // What follows computes with the wider type as well, as far as nothing else makes it wide.
    let follows = outermost(facts).filter(|operation| operation.dtypes().0.contains(&wide));
    let following: f64 = follows.map(|operation| operation.share.estimate).sum();
    let share = Share::between(group.share.low, group.share.estimate, group.share.high.max(following));
    let place = group.place.clone();
    let dtypes = first.dtype.unwrap_or_default();
    let title = format!("`{}` turns {narrow} into {wide}: {} of {dtypes}", place.function, first.name);
    let reason = format!("if these operations, and at most all that follow in {wide}, stay {narrow}");
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(share, FASTER, reason))
            .because(format!(
                "One operand is wider than the others, often a constant or an array made without a type. The {narrow} operand is \
                 converted piece by piece, the result takes twice the bytes, and all that is computed from it does as well."
            ))
            .with(Evidence::share("share of the time in mixed operations", group.share).against(LEAST_SHARE))
            .with(Evidence::new("calls", first.calls as f64, Unit::Count))
            .with(Evidence::new("bytes of a call", first.bytes_per_call(), Unit::Bytes).against(LEAST_BYTES))
            .with(Evidence::new(&format!("share of operations on {wide}"), following, Unit::Share))
            .fixed_by(
                Fix::new("Give constants and new arrays the type of the data.").with_code(
                    "noise = rng.normal(size=x.shape)          # float64\ny = x + noise                           # x is float32",
                    "noise = rng.standard_normal(x.shape, dtype=np.float32)\ny = x + noise",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    fn draft(dtype: &str, bytes: u64, total: u64) -> Draft {
        let work = Work { bytes: 100 * bytes, ..Work::default() };
        let path = ["py:blend@image.py:9", "add"];
        Draft::new().seconds(1.0).operation(&path, &[("dtype", dtype)], 100, total, work)
    }

    fn judged(draft: Draft) -> Outcome {
        DtypeUpcast.judge(&Facts::new(&draft.profile(), None))
    }

    const MIXED: &str = "float32,float64->float64";

    #[test]
    fn mixed_operands_are_found_at_their_line_and_what_follows_bounds_the_gain() {
        let after = Work { bytes: 1 << 20, ..Work::default() };
        let path = ["py:sharpen@image.py:20", "multiply"];
        let dtype = [("dtype", "float64,float64->float64")];
        let draft = draft(MIXED, 1 << 20, 200_000_000).operation(&path, &dtype, 10, 300_000_000, after);
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("image.py:9"));
        assert!(finding.title.contains("turns float32 into float64"), "{}", finding.title);
        assert!(finding.gain.low > 1.03 && finding.gain.high > 1.4, "{:?}", finding.gain);
    }

    #[test]
    fn integers_among_floats_widen_too_and_other_mixtures_do_not() {
        assert!(matches!(
            judged(draft("int64,float32->float64", 1 << 20, 200_000_000)),
            Outcome::Findings(_)
        ));
        for dtype in [
            "float32,float32->float32",
            "float32,float32->float64",
            "int32,int64->int64",
            "float64,int64->float64",
            "float32,bool->float32",
        ] {
            assert_eq!(judged(draft(dtype, 1 << 20, 200_000_000)), Outcome::Fine, "{dtype}");
        }
    }

    #[test]
    fn small_arrays_and_a_small_part_of_the_time_are_fine() {
        assert_eq!(judged(draft(MIXED, 65_535, 200_000_000)), Outcome::Fine);
        assert_eq!(judged(draft(MIXED, 1 << 20, 29_000_000)), Outcome::Fine);
        assert!(matches!(judged(draft(MIXED, 1 << 20, 31_000_000)), Outcome::Findings(_)));
    }

    #[test]
    fn without_the_type_of_results_nothing_is_told() {
        assert!(matches!(judged(draft("float32,float64", 1 << 20, 200_000_000)), Outcome::NotEnough { .. }));
    }
}
