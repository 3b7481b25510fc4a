//! Where the runs of a command lie: the one in the middle, and the half of them around it.

/// The middle of some values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Middle {
    /// How many there are.
    pub n: usize,
    /// Half lie below.
    pub median: f64,
    /// A quarter lies below.
    pub low: f64,
    /// A quarter lies above.
    pub high: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Middle {
    /// Of the values that are numbers; `None` where there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (n, min, max) = (sorted.len(), *sorted.first()?, *sorted.last()?);
        let quantile = |part: f64| {
            let place = part * (n - 1) as f64;
            let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Self { n, median: quantile(0.5), low: quantile(0.25), high: quantile(0.75), min, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_values_lie_in_the_middle() {
        let middle = Middle::of(&[9.0, 1.0, f64::NAN, 5.0, 3.0, 100.0]).unwrap();
        assert_eq!((middle.n, middle.median, middle.low, middle.high), (5, 5.0, 3.0, 9.0));
        assert_eq!((middle.min, middle.max), (1.0, 100.0));
        assert_eq!(Middle::of(&[4.0, 2.0]).unwrap().median, 3.0);
        assert_eq!(Middle::of(&[f64::NAN]), None);
    }
}
