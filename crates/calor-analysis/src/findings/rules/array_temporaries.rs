//! One line computes a formula over large arrays operation by operation: each makes a whole array that the next one reads once.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::array_operation::{is_elementwise, is_in_place, outermost, place};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Place, Rule, Share, Topic, Unit,
};

/// So many operations of a formula make intermediate arrays worth avoiding.
const LEAST_OPERATIONS: usize = 3;
/// Arrays that fit into a near cache cost little to write and read again: bytes of an operation.
const LEAST_BYTES: f64 = 1_048_576.0;
/// The part of the whole that the line has to take.
const LEAST_SHARE: f64 = 0.05;
/// Of which so many make an array of their own: what NumPy writes into an array that the formula made before is `given`.
const LEAST_ARRAYS: u64 = 2;
/// A formula has an operator so many times at most.
const MOST_TIMES: u64 = 12;
/// How far the calls of an operation may be from a multiple of the turns.
const SAME_CALLS: f64 = 0.1;
/// How much faster the line is at least with results that are written in place.
const LEAST_FASTER: f64 = 1.12;
/// And at most for each operation, where the whole formula is done in one pass.
const MOST_FASTER_EACH: f64 = 0.9;

/// A line, and the operations of it that make arrays.
type Line<'f, 'p> = (Place, Vec<&'f Operation<'p>>);

pub(super) struct ArrayTemporaries;

const ABOUT: About<'_> = About {
    id: "ARRAY-TEMPORARIES",
    version: 2,
    topic: Topic::Arrays,
    title: "a formula makes an array for each of its operations",
    needs: &[Need::Operations],
    suppresses: &["HEAP-PAGE-FAULTS", "HEAP-TEMPORARY-ALLOCATIONS"],
};

impl Rule for ArrayTemporaries {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let mut lines: IndexMap<(String, Option<String>), Line<'_, '_>, RandomState> = IndexMap::default();
        let large = outermost(facts).filter(|operation| is_pass(operation));
        for operation in large {
            let place = place(facts, operation);
            let line = (place.function.clone(), place.source());
            lines.entry(line).or_insert_with(|| (place, Vec::new())).1.push(operation);
        }
        let found = lines.values().filter_map(|(place, operations)| finding(facts, place, operations));
        Outcome::of(found.collect())
    }
}

/// Whether an operation goes over large arrays.
fn is_pass(operation: &Operation<'_>) -> bool {
    is_elementwise(operation) && !is_in_place(operation) && operation.bytes_per_call() >= LEAST_BYTES
}

/// How often a formula was computed: its operations are called so often, or a small multiple of that, since an operator may come
/// more than once in it. What is called less often is not of the formula. Of operations that have nothing in common, the number
/// of the one that is called most.
fn turns(calls: impl Iterator<Item = u64>) -> u64 {
    let mut calls: Vec<u64> = calls.filter(|calls| *calls > 0).collect();
    calls.sort_unstable();
    let is_multiple = |calls: u64, turns: u64| {
        let times = calls as f64 / turns as f64;
        times < MOST_TIMES as f64 + 0.5 && (times - times.round()).abs() <= SAME_CALLS * times.round()
    };
    let is_turns =
        |turns: &u64| calls.iter().filter(|calls| *calls >= turns).all(|calls| is_multiple(*calls, *turns));
    calls.iter().copied().find(is_turns).unwrap_or(1)
}

fn finding(facts: &Facts<'_>, place: &Place, operations: &[&Operation<'_>]) -> Option<Finding> {
    let mut by_name: IndexMap<&str, u64, RandomState> = IndexMap::default();
    for operation in operations {
        *by_name.entry(operation.name).or_default() += operation.calls;
    }
    let turns = turns(by_name.values().copied());
    let times = |calls: u64| (calls + turns / 2) / turns;
    // Operations on operands of another kind are rows of their own.
    let is_of_formula = |operation: &&&Operation<'_>| by_name[operation.name] >= turns;
    let operations: Vec<&Operation<'_>> = operations.iter().filter(is_of_formula).copied().collect();
    let is_new = |operation: &&&Operation<'_>| facts.label(operation.labels, "out") != Some("given");
    let n_operations: u64 = by_name.values().map(|calls| times(*calls)).sum();
    let n_arrays = times(operations.iter().filter(is_new).map(|operation| operation.calls).sum());
    let sum = |all: Share, operation: &&Operation<'_>| all.with(operation.share);
    let share = operations.iter().fold(Share::default(), sum);
    if (n_operations as usize) < LEAST_OPERATIONS || n_arrays < LEAST_ARRAYS || share.estimate < LEAST_SHARE {
        return None;
    }
    // What is written into an array of the formula's is in place already: for sure only the others gain.
    let new = operations.iter().filter(is_new).fold(Share::default(), sum);
    let gaining = Share::between(new.low, share.estimate, share.high);
    let bytes: u64 = operations.iter().map(|operation| operation.stats.work.bytes).sum();
    let title = format!(
        "a line of `{}` makes {n_arrays} arrays of {:.0} MiB and more for one formula",
        place.function,
        operations.iter().map(|operation| operation.bytes_per_call()).fold(f64::INFINITY, f64::min)
            / f64::from(1 << 20)
            / 3.0
    );
    let most = (MOST_FASTER_EACH * n_operations as f64).max(1.5);
    let reason = "if results are written in place, or the formula is computed in one pass";
    Some(
        Finding::new(&ABOUT, title, place.clone(), Gain::faster(gaining, (LEAST_FASTER, most), reason))
            .because(
                "Each operation reads whole arrays and writes a new one, whose pages the system makes ready first, and the next \
                 reads it back from memory. Done in blocks that fit into a cache, the same work touches memory once.",
            )
            .with(Evidence::share("share of the time in the line", share).against(LEAST_SHARE))
            .with(
                Evidence::new("operations of the formula", n_operations as f64, Unit::Count)
                    .against(LEAST_OPERATIONS as f64),
            )
            .with(Evidence::new("bytes read and written", bytes as f64, Unit::Bytes))
            .fixed_by(
                Fix::new(
                    "Write into one array that is kept (out=, +=, *=), work in blocks that fit into the cache, or let a compiler \
                     of expressions do it in one pass (numexpr, Numba, torch.compile).",
                )
                .with_code(
                    "y = a * x + b * np.sqrt(x) - c",
                    "np.sqrt(x, out=y)\ny *= b\nnp.multiply(a, x, out=t)\ny += t\ny -= c",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:blend@image.py:9";

    fn draft(names: &[&str], bytes: u64, nanos_each: u64, labels: &[(&str, &str)]) -> Draft {
        let work = Work { bytes: 100 * bytes, ..Work::default() };
        names.iter().fold(Draft::new().seconds(1.0), |draft, name| {
            draft.operation(&[LINE, name], labels, 100, nanos_each, work.clone())
        })
    }

    fn judged(draft: Draft) -> Outcome {
        ArrayTemporaries.judge(&Facts::new(&draft.profile(), None))
    }

    const THREE: [&str; 3] = ["multiply", "add", "sqrt"];

    #[test]
    fn a_formula_over_large_arrays_is_found_at_its_line() {
        let Outcome::Findings(found) = judged(draft(&THREE, 24 << 20, 100_000_000, &[])) else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("image.py:9"));
        assert!(finding.title.contains("3 arrays of 8 MiB"), "{}", finding.title);
        assert!(finding.gain.low > 1.03 && finding.gain.high < 1.3, "{:?}", finding.gain);
    }

    #[test]
    fn an_operation_that_comes_twice_counts_twice() {
        let twice = Work { bytes: 200 * (24 << 20), ..Work::default() };
        let draft = draft(&["add"], 24 << 20, 100_000_000, &[]);
        let draft = draft.operation(&[LINE, "multiply"], &[], 200, 200_000_000, twice);
        assert!(matches!(judged(draft), Outcome::Findings(_)));
    }

    #[test]
    fn operators_that_come_again_and_results_that_numpy_writes_over_are_of_one_formula() {
        // a*w + b*(1-w) + c*c - a*b, forty times: sums go into arrays that the products made.
        let rows =
            [("multiply", 80, ""), ("multiply", 80, "b"), ("add", 80, "given"), ("subtract", 40, "given")];
        let draft = rows.iter().fold(Draft::new().seconds(1.0), |draft, (name, calls, out)| {
            let work = Work { bytes: calls * (24 << 20), ..Work::default() };
            draft.operation(&[LINE, name], &[("out", out)], *calls, calls * 2_000_000, work)
        });
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        assert!(found[0].title.contains("makes 4 arrays of 8 MiB"), "{}", found[0].title);
        assert_eq!(found[0].evidence[1].value, 7.0);
    }

    #[test]
    fn formulas_are_computed_as_often_as_their_rarest_operator() {
        for (calls, expected) in [
            (&[160, 80, 40][..], 40),
            (&[100, 100, 100], 100),
            (&[200, 100], 100),
            (&[100, 100, 30], 100),
            (&[100, 1], 100),
            (&[161, 80, 41, 2], 41),
        ] {
            assert_eq!(turns(calls.iter().copied()), expected, "{calls:?}");
        }
    }

    #[test]
    fn short_formulas_small_arrays_results_in_place_and_little_time_are_fine() {
        assert_eq!(judged(draft(&THREE[..2], 24 << 20, 100_000_000, &[])), Outcome::Fine);
        assert_eq!(judged(draft(&THREE, (1 << 20) - 1, 100_000_000, &[])), Outcome::Fine);
        assert_eq!(judged(draft(&THREE, 24 << 20, 100_000_000, &[("out", "given")])), Outcome::Fine);
        assert_eq!(judged(draft(&THREE, 24 << 20, 16_000_000, &[])), Outcome::Fine);
        let setup = Work { bytes: 30 * (24 << 20), ..Work::default() };
        let rare = draft(&THREE[..2], 24 << 20, 100_000_000, &[]);
        assert_eq!(judged(rare.operation(&[LINE, "sqrt"], &[], 30, 9_000_000, setup)), Outcome::Fine);
    }
}
