//! What is known of one variant against the first: verdict, effect, and what it would take to know more.

use std::fmt;

use super::{NullControl, Trimmed};
use crate::distribution::normal;
use crate::verdict::{Change, Metric, Sign, Verdict, bounds, percent};

/// One variant against the first.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The variant's number; the first, which it is compared with, is 0.
    pub variant: usize,
    /// What it came to.
    pub verdict: Verdict,
    /// Why it is undecided; `None` where it is decided.
    pub doubt: Option<Doubt>,
    /// By how much the variant differs; `None` for fewer than two pairs.
    pub change: Option<Change>,
    /// Where the difference lies with the certainty that sameness asks for, one in twenty on either side: all of it within the
    /// margin, as the 95 % interval of the change need not be. `None` where they are not the same.
    pub same_interval: Option<[f64; 2]>,
    /// How many pairs that is from.
    pub n_pairs: usize,
    /// What was measured.
    pub metric: Metric,
    /// Differences up to this part count as none.
    pub margin: f64,
    /// The least change that so many pairs find four times in five; `None` for fewer than two pairs.
    pub smallest_detectable: Option<f64>,
    /// About how many more pairs would decide, if the effect is what it seems to be; `None` where it is decided, where there are
    /// too few to know, and where none would help.
    pub needs_pairs: Option<usize>,
    /// The first variant against itself; `None` for fewer than eight runs of it.
    pub null_control: Option<NullControl>,
}

/// Why a comparison is undecided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// There are too few pairs to say anything, [`FEWEST_PAIRS`](crate::FEWEST_PAIRS) are the least.
    TooFewPairs,
    /// Both a change and none are possible.
    NotClear,
    /// The first variant differs from itself by as much.
    UnstableMachine,
}

impl Comparison {
    /// The least effect that pairs so spread tell from none four times in five.
    pub(super) fn smallest_detectable(trimmed: &Trimmed, missed: f64) -> f64 {
        let found =
            trimmed.reach(normal::upper_quantile(missed)) + trimmed.reach(normal::upper_quantile(0.2));
        found.exp_m1()
    }

    /// How many more pairs would show the effect, or that it is within the margin, four times in five.
    pub(super) fn needs_pairs(trimmed: &Trimmed, margin: f64, missed: f64) -> Option<usize> {
        let deviation = trimmed.error * (trimmed.n as f64).sqrt();
        let wanted = |tail: f64, distance: f64| {
            let reach = normal::upper_quantile(tail) + normal::upper_quantile(0.2);
            (distance > 0.0).then(|| (reach * deviation / distance).powi(2))
        };
        let change = wanted(missed, trimmed.centre.abs());
        let same = wanted(missed * 2.0, margin.ln_1p() - trimmed.centre.abs());
        let n = change.into_iter().chain(same).min_by(f64::total_cmp)?;
        // Where so many should have done already it was bad luck, and a few more will do.
        let more = (n.ceil() - trimmed.n as f64).max(trimmed.n as f64 / 4.0).max(1.0);
        (more < 1e9).then_some(more as usize)
    }
}

impl Comparison {
    /// The verdict as a sentence: `B is 8.1 % slower than A (95 % interval 6.9 to 9.4 %, 42 pairs, CPU time)`, with these names
    /// of the variant and of the first.
    #[must_use]
    pub fn sentence(&self, name: &str, first: &str) -> String {
        let metric = self.metric.name();
        let Some(change) = self.change else {
            let are = if self.n_pairs == 1 { "is" } else { "are" };
            let pairs = pairs(self.n_pairs, "");
            return format!("undecided: {pairs} {are} too few to compare {name} with {first}");
        };
        let basis = format!("{}, {metric}", pairs(self.n_pairs, ""));
        let (worse, better) = self.metric.worse_and_better();
        match self.verdict {
            Verdict::Regressed | Verdict::Improved => {
                let (word, sign) = if change.effect > 0.0 { (worse, 1.0) } else { (better, -1.0) };
                let mut interval = change.interval.map(|bound| sign * bound);
                interval.sort_unstable_by(f64::total_cmp);
                let (effect, bounds) = (percent(sign * change.effect), bounds(interval, Sign::Negative));
                format!("{name} is {effect} % {word} than {first} (95 % interval {bounds} %, {basis})")
            }
            Verdict::Same => {
                let margin = percent(self.margin);
                let change = match self.same_interval {
                    Some(interval) => {
                        let (effect, bounds) = (percent(change.effect), bounds(interval, Sign::Always));
                        format!("{effect:+} % (90 % interval {bounds} %)")
                    }
                    None => change.to_string(),
                };
                format!("{name} is the same as {first} within {margin} %: {change}, {basis}")
            }
            Verdict::Undecided => {
                let unstable = (self.doubt == Some(Doubt::UnstableMachine)).then(|| {
                    let by = self.null_control.map(|control| format!(" by {}", control.change));
                    let by = by.unwrap_or_default();
                    format!("; the machine is too unstable, {first} differs from itself{by}")
                });
                let few =
                    (self.doubt == Some(Doubt::TooFewPairs)).then(|| "; that is too few to tell".to_owned());
                let needs = self.needs_pairs.map(|n| format!("; about {} would tell", pairs(n, "more ")));
                let more = [unstable, few, needs].into_iter().flatten().collect::<String>();
                format!("undecided whether {name} differs from {first}: {change}, {basis}{more}")
            }
        }
    }
}

/// The verdict as a sentence, of variants that go by the letters of the alphabet.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(&letter(self.variant), "A"))
    }
}

/// A number of pairs, as it is read; `kind` stands before the noun.
fn pairs(n: usize, kind: &str) -> String {
    format!("{n} {kind}pair{}", if n == 1 { "" } else { "s" })
}

/// A for the first variant, B for the second, and numbers behind Z.
fn letter(variant: usize) -> String {
    match u8::try_from(variant) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        _ => format!("variant {}", variant + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(verdict: Verdict, effect: f64, low: f64, high: f64) -> Comparison {
        Comparison {
            variant: 1,
            verdict,
            doubt: (verdict == Verdict::Undecided).then_some(Doubt::NotClear),
            change: Some(Change { effect, interval: [low, high] }),
            same_interval: (verdict == Verdict::Same).then_some([-0.009, 0.013]),
            n_pairs: 42,
            metric: Metric::Cpu,
            margin: 0.02,
            smallest_detectable: Some(0.03),
            needs_pairs: (verdict == Verdict::Undecided).then_some(120),
            null_control: None,
        }
    }

    #[test]
    fn verdicts_read_as_sentences() {
        for (verdict, effect, low, high, expected) in [
            (
                Verdict::Regressed,
                0.081,
                0.069,
                0.094,
                "B is 8.1 % slower than A (95 % interval 6.9 to 9.4 %, 42 pairs, CPU time)",
            ),
            (
                Verdict::Improved,
                -0.25,
                -0.3,
                -0.2,
                "B is 25 % faster than A (95 % interval 20 to 30 %, 42 pairs, CPU time)",
            ),
            (
                Verdict::Same,
                0.002,
                -0.011,
                0.015,
                "B is the same as A within 2 %: +0.2 % (90 % interval -0.9 to +1.3 %), 42 pairs, CPU time",
            ),
            (
                Verdict::Undecided,
                0.02,
                -0.01,
                0.05,
                "undecided whether B differs from A: +2 % (-1 to +5 %), 42 pairs, CPU time; \
                 about 120 more pairs would tell",
            ),
        ] {
            assert_eq!(comparison(verdict, effect, low, high).to_string(), expected);
        }
        let none = Comparison {
            change: None,
            n_pairs: 1,
            variant: 2,
            ..comparison(Verdict::Undecided, 0.0, 0.0, 0.0)
        };
        assert_eq!(none.to_string(), "undecided: 1 pair is too few to compare C with A");
        let none = Comparison { n_pairs: 0, ..none };
        assert_eq!(none.to_string(), "undecided: 0 pairs are too few to compare C with A");
        let nearly = Comparison { needs_pairs: Some(1), ..comparison(Verdict::Undecided, 0.02, -0.01, 0.05) };
        assert!(nearly.to_string().ends_with("; about 1 more pair would tell"), "{nearly}");
        let few = Comparison { needs_pairs: None, doubt: Some(Doubt::TooFewPairs), n_pairs: 3, ..nearly };
        assert!(
            few.to_string().ends_with("(-1 to +5 %), 3 pairs, CPU time; that is too few to tell"),
            "{few}"
        );
        assert_eq!(letter(26), "variant 27");
    }

    #[test]
    fn more_pairs_are_wanted_for_less_distance() {
        let known = |centre, error| Trimmed { n: 100, centre, error, degrees: 59.0 };
        let needs = |centre, error| Comparison::needs_pairs(&known(centre, error), 0.02, 0.025);
        // An effect of one standard error takes 2.8 squared times as many.
        assert_eq!(needs(0.5, 0.5), Some(685));
        assert!(needs(0.02, 0.01) < needs(0.01, 0.01));
        // What seems to be no effect at all is within the margin.
        assert!(needs(0.0, 0.01).is_some_and(|more| (30..500).contains(&more)), "{:?}", needs(0.0, 0.01));
    }
}
