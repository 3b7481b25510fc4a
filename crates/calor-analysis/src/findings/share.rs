//! A part of the whole program, with how sure it is: what every gain begins with.

use crate::share_interval;

/// A part of a whole, from 0 to 1, and the interval that it lies in with 95 % certainty.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Share {
    /// Not less than this.
    pub low: f64,
    /// The best guess.
    pub estimate: f64,
    /// Not more than this.
    pub high: f64,
}

impl Share {
    /// A part that was measured and not counted in samples.
    #[must_use]
    pub fn exact(share: f64) -> Self {
        Self::between(share, share, share)
    }

    /// A part of which the bounds are known by other means.
    #[must_use]
    pub fn between(low: f64, estimate: f64, high: f64) -> Self {
        let bounded = |share: f64| if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let estimate = bounded(estimate);
        Self { low: bounded(low).min(estimate), estimate, high: bounded(high).max(estimate) }
    }

    /// A part of which `n_hits` of `n_samples` were seen.
    #[must_use]
    pub fn counted(n_hits: u64, n_samples: u64) -> Self {
        match share_interval(n_hits, n_samples) {
            Some((low, high)) => Self::between(low, n_hits as f64 / n_samples as f64, high),
            None => Self::default(),
        }
    }

    /// This part and another one that has nothing of it, together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.estimate + other.estimate, self.high + other.high)
    }

    /// The same as a part of something else: each bound times `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::between(self.low * factor, self.estimate * factor, self.high * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stay_in_order_and_within_the_whole() {
        assert_eq!(Share::between(0.5, 0.2, 0.1), Share { low: 0.2, estimate: 0.2, high: 0.2 });
        assert_eq!(Share::exact(7.0).high, 1.0);
        assert_eq!(Share::exact(f64::NAN), Share::default());
        assert_eq!(Share::counted(0, 0), Share::default());
        let half = Share::counted(500, 1000).scaled(0.5);
        assert!(half.low > 0.23 && half.low < half.estimate && half.high < 0.27, "{half:?}");
    }
}
