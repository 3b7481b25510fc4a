//! What experiments measured.

use std::time::Duration;

/// One experiment.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Experiment {
    /// The scope that was to be faster; `None` where nothing was.
    pub scope: Option<String>,
    /// How many times as fast; 1 where nothing was.
    pub factor: f64,
    /// The number of its round: the experiments of one are compared with each other.
    pub round: u64,
    /// How many visits of the progress point were measured; 0 where it is the whole run.
    pub visits: u64,
    /// How long it took.
    pub wall: Duration,
    /// How long it would have taken if the scope were that much faster.
    pub effective: Duration,
}

impl Experiment {
    /// What a visit would have taken, in nanoseconds, or the whole run.
    #[must_use]
    pub fn nanos_each(&self) -> f64 {
        self.effective.as_nanos() as f64 / self.visits.max(1) as f64
    }
}

/// What a series of experiments measured.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// All that were completed, in order.
    pub experiments: Vec<Experiment>,
    /// Threads that were behind the others when the experiments ended, because they came to no boundary at which they
    /// could be slowed: give their work scopes. What they do was as fast as ever beside what was slowed.
    pub behind: Vec<String>,
    /// Threads that took no part because 256 others did.
    pub left_alone: u64,
    /// How many threads took part.
    pub threads: u64,
    /// How often one of them began or went on because of another, and that was told. Where several threads took part and
    /// nothing was told, those that waited were slowed as if they had worked, and gains look smaller than they are.
    pub waits_told: u64,
}

impl Outcome {
    /// How many times as fast the program would be: the middle one of all rounds. `None` where no round has both an
    /// experiment with this speed-up and one without any.
    #[must_use]
    pub fn overall(&self, scope: &str, factor: f64) -> Option<f64> {
        let mut ratios: Vec<f64> =
            self.pairs(scope, factor).into_iter().map(|(without, with)| without / with).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let middle = ratios.len() / 2;
        match ratios.len() {
            0 => None,
            even if even % 2 == 0 => Some(f64::midpoint(ratios[middle - 1], ratios[middle])),
            _ => Some(ratios[middle]),
        }
    }

    /// What a visit took in each round, in nanoseconds: with nothing faster, and with this speed-up.
    #[must_use]
    pub fn pairs(&self, scope: &str, factor: f64) -> Vec<(f64, f64)> {
        let is_meant = |tried: &&Experiment| tried.scope.as_deref() == Some(scope) && tried.factor == factor;
        let mut pairs = Vec::new();
        for tried in self.experiments.iter().filter(is_meant) {
            let beside = |other: &&Experiment| other.scope.is_none() && other.round == tried.round;
            let without: Vec<f64> =
                self.experiments.iter().filter(beside).map(Experiment::nanos_each).collect();
            let with = tried.nanos_each();
            if !without.is_empty() && with > 0.0 {
                pairs.push((without.iter().sum::<f64>() / without.len() as f64, with));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(scope: Option<&str>, round: u64, visits: u64, millis: u64) -> Experiment {
        let effective = Duration::from_millis(millis);
        let factor = if scope.is_some() { 2.0 } else { 1.0 };
        Experiment { scope: scope.map(str::to_owned), factor, round, visits, wall: effective, effective }
    }

    #[test]
    fn a_speedup_is_compared_with_what_was_beside_it() {
        let experiments = vec![
            tried(None, 1, 10, 100),
            tried(Some("a"), 1, 10, 80),
            tried(Some("a"), 2, 20, 400),
            tried(None, 2, 10, 180),
            tried(None, 2, 10, 220),
            tried(Some("a"), 3, 10, 1),
        ];
        let outcome = Outcome { experiments, ..Outcome::default() };
        let millis = |pair: (f64, f64)| (pair.0 / 1e6, pair.1 / 1e6);
        let pairs: Vec<_> = outcome.pairs("a", 2.0).into_iter().map(millis).collect();
        assert_eq!(pairs, [(10.0, 8.0), (20.0, 20.0)]);
        assert_eq!(outcome.overall("a", 2.0), Some(1.125));
        assert_eq!((outcome.overall("a", 3.0), outcome.overall("b", 2.0)), (None, None));
    }
}
