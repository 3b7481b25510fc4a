//! What all rounds found, and the few statistics the tables need.

use std::collections::BTreeMap;

use crate::figures::Figures;

/// The figures of every round, by case and participant.
#[derive(Debug)]
pub(crate) struct Results {
    n_rounds: usize,
    rounds: BTreeMap<(&'static str, &'static str), Vec<Option<Figures>>>,
    /// Why something could not be measured, the last reason of each.
    failures: BTreeMap<(&'static str, &'static str), String>,
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
        Self { n_rounds, rounds: BTreeMap::new(), failures: BTreeMap::new() }
    }

    pub(crate) fn insert(&mut self, case: &'static str, who: &'static str, round: usize, figures: Figures) {
        self.rounds.entry((case, who)).or_insert_with(|| vec![None; self.n_rounds])[round] = Some(figures);
    }

    pub(crate) fn fail(&mut self, case: &'static str, who: &'static str, reason: String) {
        self.failures.insert((case, who), reason);
    }

    pub(crate) fn failure(&self, case: &'static str, who: &'static str) -> Option<&str> {
        self.failures.get(&(case, who)).map(String::as_str)
    }

    /// A figure over all rounds in which it was measured; `None` if it never was.
    pub(crate) fn spread(&self, case: &'static str, who: &'static str, name: &str) -> Option<Spread> {
        Spread::of(self.values(case, who, name).into_iter().flatten())
    }

    /// A figure of one participant over that of another, round by round.
    pub(crate) fn ratio(
        &self,
        case: &'static str,
        (who, to): (&'static str, &'static str),
        name: &str,
    ) -> Option<Spread> {
        let (own, other) = (self.values(case, who, name), self.values(case, to, name));
        Spread::of(own.into_iter().zip(other).filter_map(|(own, other)| Some(own? / other?)))
    }

    fn values(&self, case: &'static str, who: &'static str, name: &str) -> Vec<Option<f64>> {
        let rounds = self.rounds.get(&(case, who)).map_or(&[][..], Vec::as_slice);
        rounds.iter().map(|figures| figures.as_ref().and_then(|figures| figures.get(name))).collect()
    }
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        Some(Self { median, min, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(value: f64) -> Figures {
        Figures::default().with("cpu_s", value)
    }

    #[test]
    fn a_ratio_is_taken_within_each_round_before_the_median() {
        let mut results = Results::new(3);
        for (round, (own, peer)) in [(20.0, 10.0), (90.0, 30.0), (40.0, 40.0)].into_iter().enumerate() {
            results.insert("flame", "calor", round, cpu(own));
            results.insert("flame", "inferno", round, cpu(peer));
        }
        let ratio = results.ratio("flame", ("calor", "inferno"), "cpu_s");
        assert_eq!(ratio, Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
    }

    #[test]
    fn a_round_that_one_of_two_missed_does_not_count() {
        let mut results = Results::new(2);
        results.insert("flame", "calor", 0, cpu(20.0));
        results.insert("flame", "calor", 1, cpu(30.0));
        results.insert("flame", "inferno", 1, cpu(10.0));
        let ratio = results.ratio("flame", ("calor", "inferno"), "cpu_s");
        assert_eq!(ratio, Some(Spread { median: 3.0, min: 3.0, max: 3.0 }));
        assert_eq!(results.spread("report", "calor", "cpu_s"), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0].into_iter());
        assert_eq!(spread, Some(Spread { median: 2.5, min: 1.0, max: 4.0 }));
    }
}
