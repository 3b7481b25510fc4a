//! One line computes a formula over large arrays operation by operation: each makes a whole array that the next one reads once.

use std::cmp::Reverse;

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
/// Operations whose calls differ by more than this factor are not of one formula.
const SAME_CALLS: f64 = 2.0;
/// How much faster the line is at least with results that are written in place.
const LEAST_FASTER: f64 = 1.12;
/// And at most for each operation, where the whole formula is done in one pass.
const MOST_FASTER_EACH: f64 = 0.9;

/// A line, and the operations of it that make arrays.
type Line<'f, 'p> = (Place, Vec<&'f Operation<'p>>);

pub(super) struct ArrayTemporaries;

const ABOUT: About<'_> = About {
    id: "ARRAY-TEMPORARIES",
    version: 1,
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
        let large = outermost(facts).filter(|operation| is_intermediate(facts, operation));
        for operation in large {
            let place = place(facts, operation);
            let line = (place.function.clone(), place.source());
            lines.entry(line).or_insert_with(|| (place, Vec::new())).1.push(operation);
        }
        let found = lines.values().filter_map(|(place, operations)| finding(place, operations));
        Outcome::of(found.collect())
    }
}

/// Whether an operation makes a large array of its own: one that writes into a given array (`out`) does not.
fn is_intermediate(facts: &Facts<'_>, operation: &Operation<'_>) -> bool {
    is_elementwise(operation)
        && !is_in_place(operation)
        && operation.bytes_per_call() >= LEAST_BYTES
        && facts.label(operation.labels, "out") != Some("given")
}

fn finding(place: &Place, operations: &[&Operation<'_>]) -> Option<Finding> {
    // Names may come more than once in a formula: then one row has twice the calls of another.
    let mut calls: Vec<u64> = operations.iter().map(|operation| operation.calls).collect();
    calls.sort_by_key(|calls| Reverse(*calls));
    let turns = calls[calls.len() / 2].max(1);
    let n_operations: u64 = calls.iter().map(|calls| (*calls + turns / 2) / turns).sum();
    let is_one_formula = operations.iter().all(|operation| {
        let ratio = operation.calls as f64 / turns as f64;
        ratio >= 1.0 / SAME_CALLS
    });
    let share = operations.iter().fold(Share::default(), |all, operation| all.with(operation.share));
    if (n_operations as usize) < LEAST_OPERATIONS || !is_one_formula || share.estimate < LEAST_SHARE {
        return None;
    }
    let bytes: u64 = operations.iter().map(|operation| operation.stats.work.bytes).sum();
    let title = format!(
        "a line of `{}` makes {n_operations} arrays of {:.0} MiB and more for one formula",
        place.function,
        operations.iter().map(|operation| operation.bytes_per_call()).fold(f64::INFINITY, f64::min)
            / f64::from(1 << 20)
            / 3.0
    );
    let most = (MOST_FASTER_EACH * n_operations as f64).max(1.5);
    let reason = "if results are written in place, or the formula is computed in one pass";
    Some(
        Finding::new(&ABOUT, title, place.clone(), Gain::faster(share, (LEAST_FASTER, most), reason))
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
