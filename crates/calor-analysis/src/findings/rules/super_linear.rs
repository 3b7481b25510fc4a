//! A scope takes more than its input grows: twice the size, four times the time. What is bearable today is not when the data
//! grows, and most of the time goes into the largest inputs.

use std::collections::BTreeMap;

use calor_model::{ScopeStats, StackId};

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, ScopeFacts, Topic, Unit,
};

/// The label that tells the size of what a scope works on.
const LABEL: &str = "n";
/// Fewer sizes do not show a curve.
const LEAST_SIZES: usize = 4;
/// The largest has to be so many times the smallest.
const LEAST_SPAN: f64 = 4.0;
/// Time grows with this power of the size, or more; sorting grows with 1.1.
const LEAST_POWER: f64 = 1.5;
/// And surely with more than this one.
const SURE_POWER: f64 = 1.3;
/// A scope with less of the time is left alone.
const LEAST_SHARE: f64 = 0.05;
/// What a better algorithm saves of the difference to `n log n`, as a power of it: its steps are dearer.
const LEAST_OF_RATIO: f64 = 0.4;
/// The smallest size shows what an element costs at most: it may grow there already. At least it costs a look-up, about.
const ELEMENT_NANOS: f64 = 10.0;
/// The part of the calls of a size that are quick because nothing disturbs them.
const UNDISTURBED: f64 = 0.2;
/// No more than this is told of the place.
const LOCAL_HIGH: f64 = 50.0;

pub(super) struct SuperLinear;

const ABOUT: About<'_> = About {
    id: "CPU-SUPER-LINEAR",
    version: 1,
    topic: Topic::Cpu,
    title: "time grows faster than the input",
    needs: &[Need::Scopes],
    suppresses: &["CPU-CRITICAL-SCOPE"],
};

/// By size: what was recorded of its calls.
type Sizes = BTreeMap<u64, ScopeStats>;

impl Rule for SuperLinear {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let mut scopes: BTreeMap<StackId, Sizes> = BTreeMap::new();
        for (key, stats) in facts.profile().scopes.iter() {
            let size = facts.label(key.labels, LABEL).and_then(|size| size.parse::<u64>().ok());
            if let Some(size) = size.filter(|size| *size > 1) {
                scopes.entry(key.stack).or_default().entry(size).or_default().add(stats);
            }
        }
        scopes.retain(|_, sizes| sizes.len() >= LEAST_SIZES && span(sizes) >= LEAST_SPAN);
        if scopes.is_empty() {
            return Outcome::NotEnough {
                missing: format!(
                    "a scope at {LEAST_SIZES} sizes or more, the largest {LEAST_SPAN} times the smallest"
                ),
                how: "label the scope with n=SIZE, and run the program with several sizes".to_owned(),
            };
        }
        let all = facts.scopes().iter();
        let found = all.filter_map(|scope| finding(facts, scope, scopes.get(&scope.stack)?));
        Outcome::of(found.collect())
    }
}

fn span(sizes: &Sizes) -> f64 {
    let ends = sizes.keys().next().zip(sizes.keys().next_back());
    ends.map_or(0.0, |(smallest, largest)| *largest as f64 / *smallest as f64)
}

fn finding(facts: &Facts<'_>, scope: &ScopeFacts, sizes: &Sizes) -> Option<Finding> {
    // Operations that are told explain the time: a product of matrices is what it is.
    if scope.stats.work.flops > 0 || scope.total_share.estimate < LEAST_SHARE {
        return None;
    }
    let (power, error) = power(sizes)?;
    if power < LEAST_POWER || power - 2.0 * error < SURE_POWER {
        return None;
    }
    let (smallest, stats) = sizes.first_key_value()?;
    let (smallest, first) = (*smallest as f64, call_nanos(stats)?);
    let expected: f64 = sizes
        .iter()
        .map(|(size, stats)| {
            let size = *size as f64;
            stats.calls as f64 * first * (size / smallest) * (size.ln() / smallest.ln())
        })
        .sum();
    let undisturbed = |stats: &ScopeStats| stats.calls as f64 * call_nanos(stats).unwrap_or(0.0);
    let spent: f64 = sizes.values().map(undisturbed).sum();
    let ratio = (spent / expected).max(1.0);
    let labelled: u64 = sizes.values().map(ScopeStats::inclusive_nanos).sum();
    let part = (labelled as f64 / scope.total_nanos.max(1) as f64).min(1.0);
    let elements: f64 = sizes.iter().map(|(size, stats)| *size as f64 * stats.calls as f64).sum();
    let most = (spent / (ELEMENT_NANOS * elements.max(1.0))).min(LOCAL_HIGH);
    let local = (ratio.powf(LEAST_OF_RATIO), most.max(ratio));
    let place = facts.place(scope.stack);
    let title = format!("the time of `{}` grows with the power {power:.1} of its input", place.function);
    let gain = Gain::faster(
        scope.total_share.scaled(part),
        local,
        "if it grows as sorting does, from dearer steps to those of a table",
    );
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(
                "Each element costs more the more of them there are, as when each is compared with every other, or a list is \
                 searched from its beginning for each.",
            )
            .with(Evidence {
                interval: Some((power - 2.0 * error, power + 2.0 * error)),
                ..Evidence::new("power of the size", power, Unit::Ratio).against(LEAST_POWER)
            })
            .with(Evidence::new("sizes", sizes.len() as f64, Unit::Count).against(LEAST_SIZES as f64))
            .with(Evidence::new("largest size against smallest", span(sizes), Unit::Ratio).against(LEAST_SPAN))
            .with(Evidence::share("share of the time", scope.total_share).against(LEAST_SHARE))
            .fixed_by(
                Fix::new("Find what is looked for by a table or in sorted order instead of by going over all of it again.")
                    .with_code(
                        "for x in &xs {\n    if seen.contains(x) { continue }   // a Vec\n    seen.push(x);\n}",
                        "for x in &xs {\n    if !seen.insert(x) { continue }   // a HashSet\n}",
                    ),
            ),
    )
}

/// How long a call takes that nothing disturbs: on a busy machine others have their turns in the slower ones.
fn call_nanos(stats: &ScopeStats) -> Option<f64> {
    let mean = || stats.inclusive_nanos() as f64 / stats.calls as f64;
    let nanos = stats.timed.quantile_nanos(UNDISTURBED).unwrap_or_else(mean);
    (stats.calls > 0 && nanos > 0.0).then_some(nanos)
}

/// The power of the size that the time of a call grows with, and its standard error: a line through the logarithms.
fn power(sizes: &Sizes) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .filter_map(|(size, stats)| Some(((*size as f64).ln(), call_nanos(stats)?.ln())))
        .collect();
    let n = points.len() as f64;
    if points.len() < LEAST_SIZES {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    let rest: f64 = points.iter().map(|point| (point.1 - y - slope * (point.0 - x)).powi(2)).sum();
    let error = (rest / (n - 2.0) / spread).sqrt();
    slope.is_finite().then_some((slope, error))
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;

    fn judged(sizes: &[u64], nanos: impl Fn(f64) -> f64, flops: u64) -> Outcome {
        let mut draft = Draft::new();
        let mut total = 0;
        for size in sizes {
            let total_nanos = 10 * nanos(*size as f64) as u64;
            total += total_nanos;
            let work = Work { flops, ..Work::default() };
            let stats = ScopeStats { calls: 10, total_nanos, work, ..ScopeStats::default() };
            draft = draft.scope_row("main", &["dedup"], &[("n", &size.to_string())], stats);
        }
        let profile = draft.seconds(total as f64 / 1e9).profile();
        SuperLinear.judge(&Facts::new(&profile, None))
    }

    const SIZES: [u64; 5] = [100, 200, 400, 800, 1600];

    #[test]
    fn time_that_grows_with_the_square_is_found() {
        let Outcome::Findings(found) = judged(&SIZES, |n| n * n, 0) else { panic!("found") };
        assert!(found[0].title.contains("with the power 2.0"), "{}", found[0].title);
        // 34.1 million spent, 4.6 thousand for each 100 elements of sorting: about eight times.
        assert!(
            found[0].gain.low > 1.9 && found[0].gain.low < 3.0 && found[0].gain.high == LOCAL_HIGH,
            "{:?}",
            found[0].gain
        );
    }

    #[test]
    fn lines_sorts_and_told_products_are_fine() {
        assert_eq!(judged(&SIZES, |n| 50.0 * n, 0), Outcome::Fine);
        assert_eq!(judged(&SIZES, |n| n * n.ln(), 0), Outcome::Fine);
        assert_eq!(judged(&SIZES, |n| 20.0 * n.powf(1.45), 0), Outcome::Fine);
        assert_eq!(judged(&SIZES, |n| n * n * n, 1000), Outcome::Fine);
        let noisy = |n: f64| n * n * if (n as u64 / 100).ilog2() % 2 == 1 { 12.0 } else { 1.0 };
        assert_eq!(judged(&SIZES, noisy, 0), Outcome::Fine, "it may be anything");
    }

    #[test]
    fn few_or_near_sizes_are_not_enough() {
        assert!(matches!(judged(&SIZES[..3], |n| n * n, 0), Outcome::NotEnough { .. }));
        assert!(matches!(judged(&[100, 120, 140, 160], |n| n * n, 0), Outcome::NotEnough { .. }));
        let profile = Draft::new().seconds(1.0).scope(&["run"], 10, 1000).profile();
        assert!(matches!(SuperLinear.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
