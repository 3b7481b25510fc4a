//! What all rounds found, and the few statistics the tables need.

use std::collections::BTreeMap;

use crate::Figures;

/// The figures of every round, by case and participant.
#[derive(Debug)]
pub struct Results {
    n_rounds: usize,
    rounds: BTreeMap<(&'static str, &'static str), Vec<Option<Figures>>>,
    /// Why something could not be measured, the last reason of each.
    failures: BTreeMap<(&'static str, &'static str), String>,
}

/// The middle and the extremes of one figure over the rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The middle.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

impl Results {
    /// Nothing yet.
    #[must_use]
    pub fn new(n_rounds: usize) -> Self {
        Self { n_rounds, rounds: BTreeMap::new(), failures: BTreeMap::new() }
    }

    /// Keeps the figures of one round.
    pub fn insert(&mut self, case: &'static str, who: &'static str, round: usize, figures: Figures) {
        self.rounds.entry((case, who)).or_insert_with(|| vec![None; self.n_rounds])[round] = Some(figures);
    }

    /// Keeps why there are none.
    pub fn fail(&mut self, case: &'static str, who: &'static str, reason: String) {
        self.failures.insert((case, who), reason);
    }

    /// Why something could not be measured in the last round that failed: the first line of it.
    #[must_use]
    pub fn failure(&self, case: &str, who: &str) -> Option<&str> {
        let (_, reason) = self.failures.iter().find(|(key, _)| **key == (case, who))?;
        reason.lines().next()
    }

    /// A figure over all rounds in which it was measured; `None` if it never was.
    #[must_use]
    pub fn spread(&self, case: &str, who: &str, name: &str) -> Option<Spread> {
        Spread::of(self.values(case, who, name).into_iter().flatten())
    }

    /// A figure of one participant over that of another, round by round.
    #[must_use]
    pub fn ratio(&self, case: &str, (who, to): (&str, &str), name: &str) -> Option<Spread> {
        self.pairs(case, (who, to), name, |own, other| own / other)
    }

    /// A figure of one participant less that of another, round by round.
    #[must_use]
    pub fn difference(&self, case: &str, (who, to): (&str, &str), name: &str) -> Option<Spread> {
        self.pairs(case, (who, to), name, |own, other| own - other)
    }

    fn pairs(
        &self,
        case: &str,
        (who, to): (&str, &str),
        name: &str,
        of: fn(f64, f64) -> f64,
    ) -> Option<Spread> {
        let (own, other) = (self.values(case, who, name), self.values(case, to, name));
        Spread::of(own.into_iter().zip(other).filter_map(|(own, other)| Some(of(own?, other?))))
    }

    fn values(&self, case: &str, who: &str, name: &str) -> Vec<Option<f64>> {
        let rounds = self.rounds.iter().find(|(key, _)| **key == (case, who));
        rounds.map_or_else(Vec::new, |(_, figures)| {
            figures.iter().map(|figures| figures.as_ref().and_then(|figures| figures.get(name))).collect()
        })
    }
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        Some(Self { median: median_of_sorted(&values), min, max })
    }
}

/// The median of sorted values, of which there is at least one.
#[must_use]
pub fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quickest(value: f64) -> Figures {
        Figures::default().with("quickest", value)
    }

    #[test]
    fn a_ratio_is_taken_within_each_round_before_the_median() {
        let mut results = Results::new(3);
        for (round, (own, floor)) in [(20.0, 10.0), (90.0, 30.0), (40.0, 40.0)].into_iter().enumerate() {
            results.insert("flat", "calor", round, quickest(own));
            results.insert("flat", "tsc2", round, quickest(floor));
        }
        let ratio = results.ratio("flat", ("calor", "tsc2"), "quickest");
        assert_eq!(ratio, Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
    }

    #[test]
    fn a_round_that_one_of_two_missed_does_not_count() {
        let mut results = Results::new(2);
        results.insert("flat", "calor", 0, quickest(20.0));
        results.insert("flat", "calor", 1, quickest(30.0));
        results.insert("flat", "tsc2", 1, quickest(10.0));
        let ratio = results.ratio("flat", ("calor", "tsc2"), "quickest");
        assert_eq!(ratio, Some(Spread { median: 3.0, min: 3.0, max: 3.0 }));
        assert_eq!(results.spread("wide", "calor", "quickest"), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        assert_eq!(median_of_sorted(&[1.0, 2.0, 3.0, 4.0]), 2.5);
    }

    #[test]
    fn a_failure_is_told_in_its_first_line() {
        let mut results = Results::new(1);
        results.fail("flat", "calor", "no input\nmore".to_owned());
        assert_eq!(results.failure("flat", "calor"), Some("no input"));
        assert_eq!(results.failure("flat", "tracy"), None);
    }
}
