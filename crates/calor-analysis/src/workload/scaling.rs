//! How the time of a token grows from one model to a larger one, beside its parameters.

use super::ModelRun;

/// Where a ratio of times is called the same as one of parameters.
const IN_PROPORTION: f64 = 0.1;
/// The part of the time of inferences that may be lost before their figures count as disturbed.
const DISTURBED: f64 = 0.2;

/// Ratios of a model to a smaller one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModelScaling {
    /// How many times as long a token takes.
    pub time: f64,
    /// How far that goes, by how much the inferences of either model differ; `None` where that is not known, as of one inference.
    pub interval: Option<[f64; 2]>,
    /// How many times as many parameters it has.
    pub parameters: f64,
}

/// Whether time grows as parameters do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelGrowth {
    /// It grows less.
    Less,
    /// It grows as they do.
    Proportional,
    /// It grows more.
    More,
    /// Inferences differ by too much to tell.
    Open,
}

impl ModelScaling {
    /// `None` where one of the models does not tell its time or its parameters.
    #[must_use]
    pub fn of(small: &ModelRun, large: &ModelRun) -> Option<Self> {
        let time = large.token_ns()? / small.token_ns()?;
        let parameters = large.size("parameters")? as f64 / small.size("parameters")? as f64;
        let interval = small
            .spread
            .zip(large.spread)
            .map(|([small_low, small_high], [low, high])| [time * low / small_high, time * high / small_low]);
        let is_known = time.is_finite() && parameters.is_finite() && time > 0.0;
        is_known.then_some(Self { time, interval, parameters })
    }

    /// The ratio of parameters by that of times: at 1 a parameter costs the same in both.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.parameters / self.time
    }

    /// How far that goes.
    #[must_use]
    pub fn efficiency_interval(&self) -> Option<[f64; 2]> {
        self.interval.map(|[low, high]| [self.parameters / high, self.parameters / low])
    }

    /// What that comes to.
    #[must_use]
    pub fn growth(&self) -> ModelGrowth {
        // Without a spread there is nothing to tell a difference from chance by.
        let [low, high] = self.interval.unwrap_or([0.0, f64::INFINITY]);
        let least = self.parameters * (1.0 - IN_PROPORTION);
        let most = self.parameters * (1.0 + IN_PROPORTION);
        if high < least {
            ModelGrowth::Less
        } else if low > most {
            ModelGrowth::More
        } else if low >= least && high <= most {
            ModelGrowth::Proportional
        } else {
            ModelGrowth::Open
        }
    }
}

impl ModelRun {
    /// The part of the time of inferences in which they did not run, where that is so much that all figures are disturbed.
    #[must_use]
    pub fn disturbed(&self) -> Option<f64> {
        self.lost().filter(|lost| *lost > DISTURBED)
    }
}
