//! An experiment while it runs: it is told measurements round by round and says whether to go on. Starting programs and
//! reading clocks is the business of who drives it.

use super::looks::Looks;
use super::{Comparison, Doubt, NullControl, Trimmed, stopped_interval};
use crate::Error;
use crate::chance::Chance;
use crate::distribution::normal;
use crate::verdict::{Change, Metric, Verdict};

/// Fewer pairs than this decide nothing: their spread is hardly known.
pub const FEWEST_PAIRS: usize = 5;
/// The allowed probability of calling a change where there is none, on either side.
pub(super) const MISSED: f64 = 0.025;
/// The allowed probability of calling variants the same that differ by the margin, as is usual for equivalence.
const MISSED_BY_SAME: f64 = 0.05;

/// How an experiment is set up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExperimentOptions {
    /// How many variants are compared, the first with each of the others; at least two.
    pub n_variants: usize,
    /// What is measured.
    pub metric: Metric,
    /// Differences up to this part count as none: 0.02 is 2 %.
    pub margin: f64,
    /// After so many rounds it ends.
    pub max_rounds: usize,
    /// How often it may end before.
    pub n_looks: usize,
    /// What the order of runs follows from.
    pub seed: u64,
}

impl Default for ExperimentOptions {
    fn default() -> Self {
        let (metric, margin, max_rounds, n_looks) = (Metric::Cpu, 0.02, 1_000, 10);
        Self { n_variants: 2, metric, margin, max_rounds, n_looks, seed: 0 }
    }
}

/// Variants that are run in turns.
///
/// ```
/// use calor_analysis::{Experiment, ExperimentOptions, Step, Verdict};
///
/// // Starts the program and tells its CPU time.
/// let run = |variant: usize| [10.0, 12.0][variant];
///
/// let mut experiment = Experiment::new(ExperimentOptions::default())?;
/// loop {
///     let mut times = [0.0; 2];
///     for &variant in experiment.order() {
///         times[variant] = run(variant);
///     }
///     if experiment.add(&times, 0.0)? == Step::Ended {
///         break;
///     }
/// }
/// assert_eq!(experiment.comparisons()[0].verdict, Verdict::Regressed);
/// # Ok::<(), calor_analysis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Experiment {
    options: ExperimentOptions,
    chance: Chance,
    order: Vec<usize>,
    /// Of each variant the logarithms of its measurements, in the order of time.
    logs: Vec<Vec<f64>>,
    change_looks: Looks,
    same_looks: Looks,
    /// Of each variant but the first, once it is decided.
    decided: Vec<Option<Comparison>>,
    /// Up to which of the evenly spread looks the budget is used up.
    n_passed: usize,
    is_ended: bool,
}

/// Whether an experiment goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Step {
    /// Another round is wanted.
    GoOn,
    /// It has ended, decided or not.
    Ended,
}

impl Experiment {
    /// An experiment without any round yet.
    ///
    /// # Errors
    /// Fewer than two variants, or a margin that is not a positive part.
    pub fn new(options: ExperimentOptions) -> Result<Self, Error> {
        if options.n_variants < 2 {
            return Err(Error::TooFewVariants { found: options.n_variants });
        }
        if !(options.margin > 0.0 && options.margin < 1.0) {
            return Err(Error::Margin { found: options.margin });
        }
        let mut experiment = Self {
            chance: Chance::new(options.seed),
            order: (0..options.n_variants).collect(),
            logs: vec![Vec::new(); options.n_variants],
            // Each comparison gets its part of the allowed errors.
            change_looks: Looks::new(MISSED / (options.n_variants - 1) as f64),
            same_looks: Looks::new(MISSED_BY_SAME),
            decided: vec![None; options.n_variants - 1],
            n_passed: 0,
            is_ended: false,
            options,
        };
        experiment.chance.shuffle(&mut experiment.order);
        Ok(experiment)
    }

    /// The order in which the variants are to be run in the next round.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// How many rounds there were.
    #[must_use]
    pub fn n_rounds(&self) -> usize {
        self.logs[0].len()
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Takes the measurements of a round, one of each variant, in the order of the variants. `spent` is the part of a
    /// budget other than rounds that is used up, such as time; 0 where there is none, and from 1 on this round is the last.
    /// Rounds after the end change nothing.
    ///
    /// # Errors
    /// As many measurements as variants are wanted, all above 0. The round does not count then.
    pub fn add(&mut self, measurements: &[f64], spent: f64) -> Result<Step, Error> {
        if measurements.len() != self.options.n_variants {
            let (expected, found) = (self.options.n_variants, measurements.len());
            return Err(Error::Measurements { expected, found });
        }
        if let Some(variant) = measurements.iter().position(|value| !(*value > 0.0 && value.is_finite())) {
            return Err(Error::Measurement { variant, found: measurements[variant] });
        }
        if !self.is_ended {
            for (logs, measurement) in self.logs.iter_mut().zip(measurements) {
                logs.push(measurement.ln());
            }
            self.chance.shuffle(&mut self.order);
            self.look(spent);
        }
        Ok(if self.is_ended { Step::Ended } else { Step::GoOn })
    }

    /// How a variant differs from the first as far as is known; `None` for fewer than two rounds. This is the usual 95 %
    /// interval, for people who watch: whether to stop is not to be read off it.
    #[must_use]
    pub fn running(&self, variant: usize) -> Option<Change> {
        let trimmed = Trimmed::of(&self.differences(variant))?;
        let reach = trimmed.reach(normal::upper_quantile(MISSED));
        Some(Change::from_logs(trimmed.centre, trimmed.centre - reach, trimmed.centre + reach))
    }

    /// Ends it here, as when nobody wants to wait any longer.
    pub fn end(&mut self) {
        if !self.is_ended {
            self.look(1.0);
        }
    }

    /// What it came to: one comparison with the first for each of the other variants. Before the end, those that are not
    /// decided yet are undecided.
    #[must_use]
    pub fn comparisons(&self) -> Vec<Comparison> {
        let of = |(variant, decided): (usize, &Option<Comparison>)| {
            decided.clone().unwrap_or_else(|| self.comparison(variant + 1))
        };
        self.decided.iter().enumerate().map(of).collect()
    }

    fn differences(&self, variant: usize) -> Vec<f64> {
        self.logs
            .get(variant)
            .into_iter()
            .flatten()
            .zip(&self.logs[0])
            .map(|(other, first)| other - first)
            .collect()
    }

    fn look(&mut self, spent: f64) {
        let n = self.n_rounds();
        let spent = if spent.is_finite() { spent } else { 1.0 };
        let progress = spent.max(n as f64 / self.options.max_rounds.max(1) as f64).min(1.0);
        let n_looks = self.options.n_looks.max(1);
        // A hair more, so that three tenths of ten looks are three.
        let n_passed = (progress * n_looks as f64 + 1e-9) as usize;
        let is_last = n_passed >= n_looks;
        let is_due = n_passed > self.n_passed && n >= FEWEST_PAIRS;
        if !is_last && !is_due {
            return;
        }
        self.n_passed = n_passed;
        self.is_ended = is_last;
        if self.change_looks.taken().last().is_none_or(|last| last.n < n as f64) && n > 1 {
            self.change_looks.look(n, progress);
            self.same_looks.look(n, progress);
        }
        for variant in 1..self.options.n_variants {
            let is_open = self.decided[variant - 1].is_none();
            if is_open && (is_last || self.is_decided(variant)) {
                self.decided[variant - 1] = Some(self.comparison(variant));
            }
        }
        self.is_ended |= self.decided.iter().all(Option::is_some);
    }

    /// Whether the last look tells the variant from the first, or that there is nothing to tell.
    fn is_decided(&self, variant: usize) -> bool {
        let trimmed = Trimmed::of(&self.differences(variant));
        trimmed.is_some_and(|trimmed| {
            // Only an unstable machine needs the interval, which takes longest.
            self.is_same(&trimmed)
                || (self.is_change(&trimmed) && self.comparison(variant).verdict != Verdict::Undecided)
        })
    }

    fn is_same(&self, trimmed: &Trimmed) -> bool {
        let margin = self.options.margin.ln_1p();
        let from_margin = trimmed.deviations_above(-margin).min(-trimmed.deviations_above(margin));
        crosses(&self.same_looks, trimmed.n, from_margin)
    }

    fn is_change(&self, trimmed: &Trimmed) -> bool {
        crosses(&self.change_looks, trimmed.n, trimmed.deviations_above(0.0).abs())
    }

    fn comparison(&self, variant: usize) -> Comparison {
        let differences = self.differences(variant);
        let null_control = NullControl::of(&self.logs[0]);
        let options = &self.options;
        let mut comparison = Comparison {
            variant,
            verdict: Verdict::Undecided,
            doubt: Some(Doubt::TooFewPairs),
            change: None,
            same_interval: None,
            n_pairs: differences.len(),
            metric: options.metric,
            margin: options.margin,
            smallest_detectable: None,
            needs_pairs: None,
            null_control,
        };
        let Some(trimmed) = Trimmed::of(&differences) else { return comparison };
        let missed = MISSED / (options.n_variants - 1) as f64;
        let looks = self.change_looks.taken();
        let [below, above] = stopped_interval::reaches(looks, trimmed.deviations_above(0.0), missed)
            .map(|reach| trimmed.reach(reach));
        let change = Change::from_logs(trimmed.centre, trimmed.centre - below, trimmed.centre + above);
        comparison.change = Some(change);
        comparison.smallest_detectable = Some(Comparison::smallest_detectable(&trimmed, missed));
        let (verdict, doubt) = if self.is_same(&trimmed) {
            (Verdict::Same, None)
        } else if trimmed.n < FEWEST_PAIRS {
            (Verdict::Undecided, Some(Doubt::TooFewPairs))
        } else if !self.is_change(&trimmed) {
            (Verdict::Undecided, Some(Doubt::NotClear))
        } else if null_control.is_none_or(|control| control.is_exceeded_by(&change)) {
            (Verdict::of_change(change.effect), None)
        } else {
            (Verdict::Undecided, Some(Doubt::UnstableMachine))
        };
        (comparison.verdict, comparison.doubt) = (verdict, doubt);
        if let (Verdict::Same, Some(look)) = (verdict, self.same_looks.taken().last()) {
            let reach = trimmed.reach(look.boundary);
            let tested = Change::from_logs(trimmed.centre, trimmed.centre - reach, trimmed.centre + reach);
            comparison.same_interval = Some(tested.interval);
        }
        if doubt == Some(Doubt::NotClear) {
            comparison.needs_pairs = Comparison::needs_pairs(&trimmed, options.margin, missed);
        }
        comparison
    }
}

/// Whether the last look was at so many pairs, and what it saw lies beyond the boundary.
fn crosses(looks: &Looks, n: usize, deviations: f64) -> bool {
    let last = looks.taken().last().filter(|look| look.n == n as f64);
    last.is_some_and(|look| deviations >= look.boundary)
}

#[cfg(test)]
mod tests;
