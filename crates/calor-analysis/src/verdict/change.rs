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

    /// The effect of the change that was judged, or else what the figures before and after say alone; `None` of what is nothing
    /// on one side.
    #[must_use]
    pub fn known_effect(judged: Option<&Self>, [before, after]: [f64; 2]) -> Option<f64> {
        let plain = || match before > 0.0 {
            true => (after > 0.0).then(|| after / before - 1.0),
            false => (after <= 0.0).then_some(0.0),
        };
        judged.map(|change| change.effect).or_else(plain)
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
        let effect = percent(self.effect);
        write!(f, "{effect:+} % ({} %)", bounds(self.interval, Sign::Always))
    }
}

/// Which numbers have a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    /// All but nothing.
    Always,
    /// Those below nothing.
    Negative,
}

/// Bounds in percent, `-0.41 to +1.5`. Where one has places, the other has them as well: 4.2 to 6.0 and not 4.2 to 6.
pub(crate) fn bounds(interval: [f64; 2], sign: Sign) -> String {
    let bounds = interval.map(percent);
    let has_places = |bound: f64| bound.fract() != 0.0;
    let is_exact = bounds.iter().any(|bound| has_places(*bound));
    let [low, high] = bounds.map(|bound| {
        let has_more = is_exact && !has_places(bound) && bound != 0.0 && bound.abs() < 100.0;
        match (sign, has_more) {
            (Sign::Always, true) => format!("{bound:+.1}"),
            (Sign::Always, false) => format!("{bound:+}"),
            (Sign::Negative, true) => format!("{bound:.1}"),
            (Sign::Negative, false) => bound.to_string(),
        }
    });
    format!("{low} to {high}")
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

    #[test]
    fn bounds_have_as_many_places_as_each_other() {
        assert_eq!(bounds([0.042, 0.06], Sign::Negative), "4.2 to 6.0");
        assert_eq!(bounds([-0.02, 0.061], Sign::Always), "-2.0 to +6.1");
        assert_eq!(bounds([0.2, 0.3], Sign::Negative), "20 to 30");
    }
}
