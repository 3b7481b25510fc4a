//! Operations on arrays whose elements do not lie side by side, which are slower than the same operations on arrays whose
//! elements do.

use crate::findings::array_operation::{bytes_of, is_elementwise, outermost, place};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// The part of the whole that such an operation has to take.
const LEAST_SHARE: f64 = 0.05;
/// Smaller operations cost the call, whatever the order of the elements.
const LEAST_BYTES: f64 = 65_536.0;
/// It has to be so many times slower for a byte than what it is held against.
const LEAST_RATIO: f64 = 2.0;
/// What it is held against works on at most so many times more or fewer bytes: caches make smaller ones faster.
const SIMILAR: f64 = 8.0;
/// The part of the difference that is gained at least: to change the order of elements may need a copy.
const LEAST_GAINED: f64 = 0.3;
/// Bytes of a line of a cache: of one that is fetched for one element, the others are for nothing. That much comes back for sure;
/// what else makes it slow may stay.
const LINE_BYTES: f64 = 64.0;
/// Bytes of an element where the type does not tell.
const USUAL_ELEMENT: f64 = 8.0;
/// The part of the machine's bandwidth that operations on contiguous arrays reach.
const REACHED: f64 = 0.5;

pub(super) struct StridedOperands;

const ABOUT: About<'_> = About {
    id: "ARRAY-STRIDED-OPERANDS",
    version: 1,
    topic: Topic::Arrays,
    title: "operations on arrays whose elements lie apart are slow",
    needs: &[Need::Operations],
    suppresses: &[],
};

impl Rule for StridedOperands {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let heavy = || outermost(facts).filter(|operation| is_strided(facts, operation));
        let compared: Vec<(&Operation<'_>, Option<f64>)> =
            heavy().map(|operation| (operation, rate_of_contiguous(facts, operation))).collect();
        if !compared.is_empty() && compared.iter().all(|(_, rate)| rate.is_none()) {
            return Outcome::NotEnough {
                missing:
                    "the same operation on contiguous arrays, or the machine's bandwidth, to compare with"
                        .to_owned(),
                how: "calor machine".to_owned(),
            };
        }
        let found = compared.into_iter().filter_map(|(operation, rate)| finding(facts, operation, rate?));
        Outcome::of(found.collect())
    }
}

/// Whether elements that are worked on one after the other lie apart: in one of the arrays, or in one of two that lie in memory
/// in different orders.
fn is_strided(facts: &Facts<'_>, operation: &Operation<'_>) -> bool {
    (operation.is_contiguous == Some(false) || is_mixed(facts, operation))
        && operation.bytes_per_call() >= LEAST_BYTES
        && operation.share.estimate >= LEAST_SHARE
}

fn is_mixed(facts: &Facts<'_>, operation: &Operation<'_>) -> bool {
    facts.label(operation.labels, "order") == Some("mixed")
}

/// Bytes a second of the same operation on contiguous arrays of about the size, of any elementwise operation for one that is,
/// or of what the machine's memory gives.
fn rate_of_contiguous(facts: &Facts<'_>, strided: &Operation<'_>) -> Option<f64> {
    let is_similar = |other: &&Operation<'_>| {
        let ratio = other.bytes_per_call() / strided.bytes_per_call();
        other.is_contiguous == Some(true)
            && !is_mixed(facts, other)
            && (1.0 / SIMILAR..=SIMILAR).contains(&ratio)
    };
    let median = |mut rates: Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len() / 2).copied()
    };
    let rates = |is_kind: &dyn Fn(&&Operation<'_>) -> bool| {
        let like = facts.operations().iter().filter(is_similar).filter(|other| is_kind(other));
        median(like.filter_map(Operation::bytes_per_second).collect())
    };
    let of_machine = || {
        let bandwidth = facts.machine()?.bandwidth_at(strided.bytes_per_call() as u64)?;
        is_elementwise(strided).then_some(REACHED * bandwidth)
    };
    rates(&|other| other.name == strided.name)
        .or_else(|| is_elementwise(strided).then(|| rates(&|other| is_elementwise(other))).flatten())
        .or_else(of_machine)
}

fn finding(facts: &Facts<'_>, operation: &Operation<'_>, contiguous: f64) -> Option<Finding> {
    let rate = operation.bytes_per_second()?;
    let ratio = contiguous / rate;
    if ratio < LEAST_RATIO {
        return None;
    }
    let place = place(facts, operation);
    let title = format!(
        "{} in `{}` works on elements that lie apart, {ratio:.1} times slower than on contiguous arrays",
        operation.name, place.function
    );
    let (operands, _) = operation.dtypes();
    let element = operands.first().and_then(|dtype| bytes_of(dtype)).map_or(USUAL_ELEMENT, f64::from);
    let sure = ratio.min((LINE_BYTES / element).max(LEAST_RATIO));
    let local = (1.0 + LEAST_GAINED * (sure - 1.0), 1.2 * ratio);
    let reason = "if the arrays are laid out in the order in which they are used";
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(operation.share, local, reason))
            .because(
                "Memory comes in lines of 64 bytes, and vectors are loaded from elements side by side. An operation that goes \
                 down a column, over a transposed array or over every n-th element uses a part of each line, and no vectors.",
            )
            .with(Evidence::share("share of the time in the operation", operation.share).against(LEAST_SHARE))
            .with(Evidence::new("times slower for a byte", ratio, Unit::Ratio).against(LEAST_RATIO))
            .with(Evidence::new("bytes a second", rate, Unit::BytesPerSecond))
            .with(Evidence::new("bytes a second of contiguous arrays", contiguous, Unit::BytesPerSecond))
            .fixed_by(
                Fix::new(
                    "Keep the axis that is worked on last, or make one contiguous copy (np.ascontiguousarray) before the loop \
                     that uses it often.",
                )
                .with_code(
                    "for j in range(table.shape[1]):\n    use(table[:, j] * w)",
                    "columns = np.ascontiguousarray(table.T)\nfor column in columns:\n    use(column * w)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::MachineFigures;
    use crate::findings::draft::Draft;

    /// An operation on strided arrays that moves so many bytes in so long, 100 times.
    fn draft(bytes: u64, total: u64) -> Draft {
        let work = Work { bytes: 100 * bytes, ..Work::default() };
        let labels = [("contiguous", "false")];
        Draft::new().seconds(1.0).operation(&["py:columns@table.py:9", "multiply"], &labels, 100, total, work)
    }

    fn beside(draft: Draft, name: &str, bytes: u64, total: u64) -> Draft {
        let work = Work { bytes: 100 * bytes, ..Work::default() };
        draft.operation(&["py:rows@table.py:30", name], &[("contiguous", "true")], 100, total, work)
    }

    fn judged(draft: Draft) -> Outcome {
        StridedOperands.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn an_operation_that_is_slower_than_on_contiguous_arrays_is_found_at_its_line() {
        let draft = beside(draft(1 << 20, 400_000_000), "multiply", 1 << 20, 100_000_000);
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("table.py:9"));
        assert!(finding.title.contains("4.0 times slower"), "{}", finding.title);
        assert!(finding.gain.low > 1.2 && finding.gain.high < 1.5, "{:?}", finding.gain);
    }

    #[test]
    fn arrays_that_lie_in_different_orders_are_found_though_each_is_without_gaps() {
        let add = |order: &[(&str, &str)]| {
            let work = Work { bytes: 100 << 20, ..Work::default() };
            let labels: Vec<_> = [("contiguous", "true")].iter().chain(order).copied().collect();
            let draft = Draft::new().seconds(1.0);
            let draft = draft.operation(&["py:mix@mix.py:5", "add"], &labels, 100, 400_000_000, work);
            judged(beside(draft, "multiply", 1 << 20, 50_000_000))
        };
        assert!(matches!(add(&[("order", "mixed")]), Outcome::Findings(_)));
        assert_eq!(add(&[]), Outcome::Fine);
    }

    #[test]
    fn no_more_is_sure_than_what_lines_of_caches_waste() {
        let gain = |ratio: u64| {
            let draft = beside(draft(1 << 20, 700_000_000), "multiply", 1 << 20, 700_000_000 / ratio);
            let Outcome::Findings(found) = judged(draft) else { panic!("found") };
            found[0].gain.clone()
        };
        assert!((gain(8).low - gain(28).low).abs() < 1e-3, "{:?} {:?}", gain(8), gain(28));
        assert!(gain(28).high > gain(8).high && gain(8).low > gain(4).low);
    }

    #[test]
    fn what_is_nearly_as_fast_small_or_a_small_part_of_the_time_is_fine() {
        assert_eq!(
            judged(beside(draft(1 << 20, 199_000_000), "multiply", 1 << 20, 100_000_000)),
            Outcome::Fine
        );
        assert_eq!(
            judged(beside(draft(65_535, 400_000_000), "multiply", 65_535, 100_000_000)),
            Outcome::Fine
        );
        assert_eq!(judged(beside(draft(1 << 20, 49_000_000), "multiply", 1 << 20, 1_000_000)), Outcome::Fine);
    }

    #[test]
    fn other_sizes_and_other_kinds_are_no_comparison_but_the_machine_is() {
        let other_size = beside(draft(1 << 20, 400_000_000), "multiply", 65_536, 1_000_000);
        assert!(matches!(judged(other_size), Outcome::NotEnough { .. }));
        let other_kind = beside(draft(1 << 20, 400_000_000), "sort", 1 << 20, 10_000_000);
        assert!(matches!(judged(other_kind), Outcome::NotEnough { .. }));
        assert!(matches!(
            judged(beside(draft(1 << 20, 400_000_000), "add", 1 << 20, 10_000_000)),
            Outcome::Findings(_)
        ));
        let machine = MachineFigures { bandwidth: vec![(1 << 30, 2e10)], ..MachineFigures::default() };
        let profile = draft(1 << 20, 400_000_000).profile();
        let outcome = StridedOperands.judge(&Facts::new(&profile, Some(&machine)));
        assert!(matches!(outcome, Outcome::Findings(_)), "{outcome:?}");
    }
}
