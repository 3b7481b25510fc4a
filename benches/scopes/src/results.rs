//! What all rounds found, and the few statistics the tables need.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::figures::Figures;

/// The figures of every round.
#[derive(Debug)]
pub(crate) struct Results {
    n_rounds: usize,
    rounds: BTreeMap<(Case, &'static str), Vec<Option<Figures>>>,
}

/// The middle and the extremes of one figure over the rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Results {
    pub(crate) fn new(n_rounds: usize) -> Self {
        Self { n_rounds, rounds: BTreeMap::new() }
    }

    pub(crate) fn insert(&mut self, case: Case, who: &'static str, round: usize, figures: Figures) {
        self.rounds.entry((case, who)).or_insert_with(|| vec![None; self.n_rounds])[round] = Some(figures);
    }

    /// A figure over all rounds in which it was measured; `None` if it never was.
    pub(crate) fn spread(&self, case: Case, who: &str, name: &str) -> Option<Spread> {
        Spread::of(self.values(case, who, name).into_iter().flatten())
    }

    /// A figure of one participant over that of another, round by round.
    pub(crate) fn ratio(&self, case: Case, (who, to): (&str, &str), name: &str) -> Option<Spread> {
        self.pairs(case, (who, to), name, |own, other| own / other)
    }

    /// A figure of one participant less that of another, round by round.
    pub(crate) fn difference(&self, case: Case, (who, to): (&str, &str), name: &str) -> Option<Spread> {
        self.pairs(case, (who, to), name, |own, other| own - other)
    }

    fn pairs(
        &self,
        case: Case,
        (who, to): (&str, &str),
        name: &str,
        of: fn(f64, f64) -> f64,
    ) -> Option<Spread> {
        let (own, other) = (self.values(case, who, name), self.values(case, to, name));
        Spread::of(own.into_iter().zip(other).filter_map(|(own, other)| Some(of(own?, other?))))
    }

    fn values(&self, case: Case, who: &str, name: &str) -> Vec<Option<f64>> {
        let rounds = self.rounds.iter().find(|(key, _)| key.0 == case && key.1 == who);
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
pub(crate) fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
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
            results.insert(Case::Flat, "calor", round, quickest(own));
            results.insert(Case::Flat, "tsc2", round, quickest(floor));
        }
        let ratio = results.ratio(Case::Flat, ("calor", "tsc2"), "quickest");
        assert_eq!(ratio, Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
    }

    #[test]
    fn a_round_that_one_of_two_missed_does_not_count() {
        let mut results = Results::new(2);
        results.insert(Case::Flat, "calor", 0, quickest(20.0));
        results.insert(Case::Flat, "calor", 1, quickest(30.0));
        results.insert(Case::Flat, "tsc2", 1, quickest(10.0));
        let ratio = results.ratio(Case::Flat, ("calor", "tsc2"), "quickest");
        assert_eq!(ratio, Some(Spread { median: 3.0, min: 3.0, max: 3.0 }));
        assert_eq!(results.spread(Case::Wide, "calor", "quickest"), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        assert_eq!(median_of_sorted(&[1.0, 2.0, 3.0, 4.0]), 2.5);
    }
}
