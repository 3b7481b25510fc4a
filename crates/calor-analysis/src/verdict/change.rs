//! How much something changed, and between which bounds that is known.

use std::fmt;

/// A relative change with its 95 % interval: 0.05 is 5 % more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// The best guess.
    pub effect: f64,
    /// Where it truly lies, in 95 of 100 such comparisons.
    pub interval: [f64; 2],
}

impl Change {
    /// From logarithms of ratios.
    pub(crate) fn from_logs(centre: f64, low: f64, high: f64) -> Self {
        Self { effect: centre.exp_m1(), interval: [low.exp_m1(), high.exp_m1()] }
    }

    /// Whether no change at all is among what is possible.
    #[must_use]
    pub fn holds_none(&self) -> bool {
        self.interval[0] <= 0.0 && self.interval[1] >= 0.0
    }
}

/// `+8.1 % (+6.9 to +9.4 %)`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [effect, low, high] = [self.effect, self.interval[0], self.interval[1]].map(percent);
        write!(f, "{effect:+} % ({low:+} to {high:+} %)")
    }
}

/// In percent, to as many places as a reader needs: one, or two below 1 %.
pub(crate) fn percent(share: f64) -> f64 {
    let percent = share * 100.0;
    let scale = if percent.abs() < 1.0 { 100.0 } else { 10.0 };
    // The sum turns a negative zero into zero.
    (percent * scale).round() / scale + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_as_percent_with_its_bounds() {
        let change = Change { effect: 0.081_4, interval: [0.069, 0.0939] };
        assert_eq!(change.to_string(), "+8.1 % (+6.9 to +9.4 %)");
        let change = Change { effect: -0.000_001, interval: [-0.001_23, 1.5] };
        assert_eq!(change.to_string(), "+0 % (-0.12 to +150 %)");
        assert!(change.holds_none());
    }
}
