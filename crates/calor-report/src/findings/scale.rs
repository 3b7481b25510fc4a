//! The scale that gains are drawn on: one for all findings of a page, so that bars can be compared, and by ratios, so that
//! twice as fast is as far from once as four times is from twice.

use calor_analysis::findings::Finding;

/// The scale ends here at least, so that small gains look small,
const SHORTEST: f64 = 2.0;
/// and at most here: bars of more reach its end.
const LONGEST: f64 = 20.0;
/// What is written below it, as far as it reaches.
const TICKS: [f64; 6] = [1.0, 1.5, 2.0, 4.0, 10.0, 20.0];
/// A tick closer to the one before is left out.
const LEAST_DISTANCE: f64 = 0.12;

/// A scale from 1 on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    most: f64,
}

impl Scale {
    /// One that all gains fit on, as far as it may reach.
    pub(crate) fn of(found: &[Finding]) -> Self {
        let most = found.iter().map(|finding| finding.gain.most()).filter(|most| most.is_finite());
        Self { most: most.fold(SHORTEST, f64::max).min(LONGEST) }
    }

    /// Where a factor lies, from 0 to 1.
    pub(crate) fn place(self, factor: f64) -> f64 {
        (factor.max(1.0).ln() / self.most.ln()).min(1.0)
    }

    /// What is written below it.
    pub(crate) fn ticks(self) -> impl Iterator<Item = f64> {
        let mut last = -1.0;
        TICKS.into_iter().filter(move |tick| {
            let place = tick.ln() / self.most.ln();
            let is_shown = place <= 1.0 && place - last >= LEAST_DISTANCE;
            if is_shown {
                last = place;
            }
            is_shown
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_reaches_as_far_as_the_largest_gain_within_bounds() {
        let scale = Scale::of(&[]);
        assert_eq!((scale.place(1.0), scale.place(2.0), scale.place(50.0)), (0.0, 1.0, 1.0));
        assert!((scale.place(2.0_f64.sqrt()) - 0.5).abs() < 1e-12);
        assert_eq!((scale.place(f64::NAN), scale.ticks().collect::<Vec<_>>()), (0.0, vec![1.0, 1.5, 2.0]));
        let far = Scale { most: LONGEST };
        assert_eq!(far.ticks().collect::<Vec<_>>(), [1.0, 1.5, 4.0, 10.0, 20.0]);
    }
}
