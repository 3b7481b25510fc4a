//! An array grows in a loop by joining it with the next piece: each call copies all that was there already.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::array_operation::{outermost, place};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Place, Rule, Share, Topic, Unit,
};
use crate::shapes;

/// Fewer calls move too little to matter.
const LEAST_CALLS: u64 = 32;
/// An array that begins anew is whole again after so many calls at least.
const LEAST_CALLS_OF_A_ROUND: f64 = 16.0;
/// So many shapes whose array is the result of another call. Recorders keep the first eight shapes of a line apart.
const LEAST_LINKS: usize = 4;
/// How many times its piece an array is at these first calls. From nothing and by like pieces it is 5; where the two halves of
/// a tree are joined it is 2, and each element is copied once a level.
const LEAST_OF_A_PIECE: f64 = 3.0;
/// How large the array is in the mean, of all that was added to it. It is half of that if all stays; less where the front is
/// cut off again, as in a window, or where pieces became smaller.
const LEAST_KEPT: f64 = 0.25;
/// The part of the whole that the calls have to take.
const LEAST_SHARE: f64 = 0.05;
/// Of calls that are told by one row the last one moved up to twice what they did in the mean.
const LAST_OF_MEAN: f64 = 2.0;
/// What goes at least of the time that moving the bytes again took.
const REMOVED_OF_MOVED: f64 = 0.8;
/// An array that is made at its final size is only written: half of what joining all pieces once moves.
const WRITTEN_ONLY: f64 = 0.5;

pub(super) struct GrownPiecewise;

const ABOUT: About<'_> = About {
    id: "ARRAY-GROWN-PIECEWISE",
    version: 1,
    topic: Topic::Arrays,
    title: "an array grows by a piece at a time, copied whole for each",
    needs: &[Need::Operations],
    suppresses: &[
        "ARRAY-COPIES",
        "ARRAY-SMALL-OPERATIONS",
        "CPU-MEMORY-COPIES",
        "HEAP-CHURN",
        "HEAP-PAGE-FAULTS",
        "HEAP-STEPWISE-GROWTH",
        "HEAP-TEMPORARY-ALLOCATIONS",
    ],
};

impl Rule for GrownPiecewise {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let mut lines: IndexMap<(String, Option<String>, &str), Line<'_, '_>, RandomState> =
            IndexMap::default();
        for operation in outermost(facts).filter(|operation| is_joining(operation)) {
            let place = place(facts, operation);
            let line = (place.function.clone(), place.source(), operation.name);
            let none = || Line { place, operations: Vec::new() };
            lines.entry(line).or_insert_with(none).operations.push(operation);
        }
        Outcome::of(lines.values().filter_map(|line| finding(facts, line)).collect())
    }
}

/// Whether an operation makes a new array of all of an array and something more.
fn is_joining(operation: &Operation<'_>) -> bool {
    matches!(
        operation.name,
        "append"
            | "cat"
            | "column_stack"
            | "concat"
            | "concatenate"
            | "dstack"
            | "hstack"
            | "insert"
            | "row_stack"
            | "vstack"
    )
}

/// The calls of one operation at one line.
struct Line<'f, 'p> {
    place: Place,
    operations: Vec<&'f Operation<'p>>,
}

/// Calls on operands of one shape.
#[derive(Default)]
struct Join {
    calls: u64,
    /// Elements of the results of all of them.
    elements: u64,
    /// Elements of the largest operand.
    largest: u64,
}

impl Join {
    fn whole(&self) -> u64 {
        self.elements / self.calls.max(1)
    }

    fn piece(&self) -> u64 {
        self.whole().saturating_sub(self.largest)
    }
}

/// How an array grew at a line.
struct Growth {
    calls: u64,
    /// How often it began anew.
    rounds: u64,
    /// Of the elements moved those that need not have been, from and to.
    removed: (f64, f64),
}

fn growth(facts: &Facts<'_>, line: &Line<'_, '_>) -> Option<Growth> {
    let calls: u64 = line.operations.iter().map(|operation| operation.calls).sum();
    let elements: u64 = line.operations.iter().map(|operation| operation.stats.work.elements).sum();
    let joins = joins(facts, line);
    let is_result = |largest: u64| joins.iter().any(|join| join.whole() == largest && join.piece() > 0);
    let linked: Vec<&Join> =
        joins.iter().filter(|join| join.piece() > 0 && is_result(join.largest)).collect();
    let (wholes, pieces): (u64, u64) =
        linked.iter().fold((0, 0), |sums, join| (sums.0 + join.whole(), sums.1 + join.piece()));
    let grows = linked.len() >= LEAST_LINKS
        && 2 * linked.len() >= joins.len()
        && wholes as f64 >= LEAST_OF_A_PIECE * pieces as f64;
    let rounds = linked.iter().map(|join| join.calls).max()?;
    let calls_of_a_round = calls as f64 / rounds as f64;
    if !grows || calls < LEAST_CALLS || calls_of_a_round < LEAST_CALLS_OF_A_ROUND {
        return None;
    }
    let added = calls_of_a_round * pieces as f64 / linked.len() as f64;
    if (elements as f64) < LEAST_KEPT * added * calls as f64 {
        return None;
    }
    let last = line.operations.iter().map(|operation| operation.elements_per_call()).fold(0.0, f64::max);
    // Elements that have to be moved, as a part of those that were.
    let needed = |last: f64| (last * rounds as f64 / elements as f64).min(1.0);
    let removed = (REMOVED_OF_MOVED * (1.0 - needed(LAST_OF_MEAN * last)), 1.0 - WRITTEN_ONLY * needed(last));
    Some(Growth { calls, rounds, removed })
}

/// Calls on operands of known shapes, those that several paths and threads made of one shape together.
fn joins(facts: &Facts<'_>, line: &Line<'_, '_>) -> Vec<Join> {
    let mut joins: IndexMap<&str, Join, RandomState> = IndexMap::default();
    for operation in &line.operations {
        let Some(shape) = operation.shape.filter(|shape| !shape.ends_with('…')) else { continue };
        if facts.label(operation.labels, "shapes").is_some() {
            continue;
        }
        let lengths = shapes(shape).into_iter().map(|extents| extents.into_iter().product());
        let join = joins.entry(shape).or_default();
        join.calls += operation.calls;
        join.elements += operation.stats.work.elements;
        join.largest = lengths.max().unwrap_or(0);
    }
    joins.into_values().collect()
}

fn finding(facts: &Facts<'_>, line: &Line<'_, '_>) -> Option<Finding> {
    let share = line.operations.iter().fold(Share::default(), |sum, operation| sum.with(operation.share));
    if share.estimate < LEAST_SHARE {
        return None;
    }
    let Growth { calls, rounds, removed } = growth(facts, line)?;
    let (place, name) = (line.place.clone(), line.operations[0].name);
    let bytes: u64 = line.operations.iter().map(|operation| operation.stats.work.bytes).sum();
    let title = format!(
        "`{}` grows an array by {calls} calls of {name}, each of which copies all of it, {:.0} % of the time",
        place.function,
        100.0 * share.estimate
    );
    let reason = format!(
        "if pieces are joined once, {:.0} % to {:.0} % of what was moved is not",
        100.0 * removed.0,
        100.0 * removed.1
    );
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, removed, reason))
            .because(
                "An array has no room behind it: joining makes a new one and copies all that was there. For n pieces that moves \
                 about n / 2 times the final size.",
            )
            .with(Evidence::share("share of the time in these calls", share).against(LEAST_SHARE))
            .with(Evidence::new("calls", calls as f64, Unit::Count).against(LEAST_CALLS as f64))
            .with(Evidence::new("arrays that grew", rounds as f64, Unit::Count))
            .with(Evidence::new("bytes read and written", bytes as f64, Unit::Bytes))
            .fixed_by(
                Fix::new(
                    "Append the pieces to a list and join them once behind the loop. Where each step needs all there is so far, make the array \
                     at its final size, fill it, and pass on a view of what is filled.",
                )
                .with_code(
                    "out = np.zeros(0)\nfor part in parts:\n    out = np.concatenate([out, part])",
                    "pieces = []\nfor part in parts:\n    pieces.append(part)\nout = np.concatenate(pieces)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:load@load.py:9";
    const NANOS_PER_CALL: u64 = 100_000;

    /// How a recorder puts calls together whose shapes are too many.
    #[derive(Clone, Copy)]
    enum Rows {
        PowersOfTwo,
        One,
        Various,
    }

    /// Joins of arrays of these lengths, in this order, `times` over.
    fn draft(name: &str, joins: &[(u64, u64)], times: u64, rows: Rows) -> Draft {
        let mut sums: IndexMap<(String, &str), (u64, u64), RandomState> = IndexMap::default();
        let mut known: Vec<(u64, u64)> = Vec::new();
        for &(array, piece) in joins {
            let is_exact = known.contains(&(array, piece)) || known.len() < 8;
            if is_exact && !known.contains(&(array, piece)) {
                known.push((array, piece));
            }
            let row = match rows {
                _ if is_exact => (format!("{array},{piece}"), ""),
                Rows::PowersOfTwo => {
                    (format!("{},{}", array.next_power_of_two(), piece.next_power_of_two()), "rounded")
                }
                Rows::One => ("2048,256".to_owned(), "rounded"),
                Rows::Various => (String::new(), "various"),
            };
            let sum = sums.entry(row).or_default();
            sum.0 += times;
            sum.1 += times * (array + piece);
        }
        let mut draft = Draft::new().seconds(joins.len() as f64 * times as f64 * 1e-4);
        for ((shape, grain), (calls, elements)) in &sums {
            let labels = [("shape", &shape[..]), ("shapes", grain)];
            let labels: Vec<(&str, &str)> =
                labels.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            let work = Work { elements: *elements, bytes: 16 * elements, ..Work::default() };
            draft = draft.operation(&[LINE, name], &labels, *calls, calls * NANOS_PER_CALL, work);
        }
        draft
    }

    fn growing(n: u64, piece: u64) -> Vec<(u64, u64)> {
        (0..n).map(|i| (i * piece, piece)).collect()
    }

    fn judged(draft: Draft) -> Outcome {
        GrownPiecewise.judge(&Facts::new(&draft.profile(), None))
    }

    fn found(draft: Draft) -> Finding {
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one line: {found:?}") };
        finding.clone()
    }

    #[test]
    fn an_array_that_grows_is_found_at_its_line_however_its_shapes_are_put_together() {
        for rows in [Rows::PowersOfTwo, Rows::One, Rows::Various] {
            let finding = found(draft("concatenate", &growing(3_000, 200), 1, rows));
            assert_eq!(finding.place.source().as_deref(), Some("load.py:9"));
            assert!(finding.title.contains("3000 calls of concatenate"), "{}", finding.title);
            assert!(finding.gain.local_low > Some(4.5), "{:?}", finding.gain);
        }
    }

    #[test]
    fn an_array_that_grows_anew_for_each_request_has_less_to_save() {
        let whole = found(draft("append", &growing(400, 3), 1, Rows::PowersOfTwo));
        let short = found(draft("append", &growing(40, 3), 50, Rows::PowersOfTwo));
        assert!(short.gain.low < whole.gain.low && short.gain.low > 2.0, "{:?}", short.gain);
        assert_eq!(judged(draft("append", &growing(15, 3), 50, Rows::PowersOfTwo)), Outcome::Fine);
        assert_eq!(judged(draft("append", &growing(31, 3), 1, Rows::PowersOfTwo)), Outcome::Fine);
        found(draft("append", &growing(32, 3), 1, Rows::PowersOfTwo));
    }

    #[test]
    fn a_large_array_to_which_little_is_added_and_pieces_of_any_size_are_found() {
        let large: Vec<_> = (0..500).map(|i| (1_000_000 + i, 1)).collect();
        found(draft("append", &large, 1, Rows::PowersOfTwo));
        let pieces = (0..500).map(|i| 50 + i * 7_919 % 101);
        let whole = pieces.scan(0, |whole, piece| {
            *whole += piece;
            Some((*whole - piece, piece))
        });
        found(draft("vstack", &whole.collect::<Vec<_>>(), 1, Rows::PowersOfTwo));
    }

    #[test]
    fn batches_of_one_shape_and_of_many_that_do_not_follow_each_other_are_fine() {
        assert_eq!(judged(draft("concatenate", &[(64, 64); 1_000], 1, Rows::PowersOfTwo)), Outcome::Fine);
        let various: Vec<_> = (0..600).map(|i| (1_000 + i * 7_919 % 60_000, 200)).collect();
        assert_eq!(judged(draft("concatenate", &various, 1, Rows::PowersOfTwo)), Outcome::Fine);
    }

    #[test]
    fn halves_of_a_tree_and_windows_are_fine() {
        let tree = (0..13).flat_map(|level| vec![(1 << level, 1 << level); 1 << (12 - level)]);
        assert_eq!(
            judged(draft("concatenate", &tree.collect::<Vec<_>>(), 1, Rows::PowersOfTwo)),
            Outcome::Fine
        );
        let window: Vec<_> = (0..3_000).map(|i: u64| (i.min(100) * 200, 200)).collect();
        assert_eq!(judged(draft("concatenate", &window, 1, Rows::PowersOfTwo)), Outcome::Fine);
    }

    #[test]
    fn a_small_part_of_the_time_and_other_operations_are_fine() {
        let grown = || draft("hstack", &growing(500, 100), 1, Rows::PowersOfTwo);
        assert_eq!(judged(grown().seconds(1.01)), Outcome::Fine);
        found(grown().seconds(0.99));
        assert_eq!(judged(draft("add", &growing(500, 100), 1, Rows::PowersOfTwo)), Outcome::Fine);
    }
}
