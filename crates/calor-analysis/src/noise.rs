//! Made-up measurements for the statistical tests of this crate: the kinds of noise that a shared machine has, each from a
//! seed, so that a rate found once is found every time.

use crate::chance::Chance;
use crate::distribution::normal;

/// How the times of one unchanged program scatter, as logarithms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Noise {
    /// Independent and normal.
    Independent,
    /// Independent, mostly near the quickest, with one in twenty far above.
    Skewed,
    /// Normal, each like the one before to this degree.
    Correlated(f64),
    /// Normal, while another program comes and goes: this many runs with it, as many without, a third slower.
    OnAndOff(usize),
    /// Normal, while the machine gets slower all the time, by a third over two hundred runs.
    Drifting,
}

impl Noise {
    pub(crate) const ALL: [Self; 6] = [
        Self::Independent,
        Self::Skewed,
        Self::Correlated(0.5),
        Self::Correlated(0.8),
        Self::OnAndOff(15),
        Self::Drifting,
    ];

    /// Logarithms of times of so many runs one after the other, with this standard deviation but for what the load adds.
    pub(crate) fn series(self, n: usize, deviation: f64, chance: &mut Chance) -> Vec<f64> {
        let mut before = gauss(chance);
        let phase = chance.below(60);
        (0..n)
            .map(|at| match self {
                Self::Independent => deviation * gauss(chance),
                Self::Skewed => {
                    // An exponential has deviation 1; the spikes are three of them higher.
                    let spike = if chance.below(20) == 0 { 3.0 } else { 0.0 };
                    deviation * (-unit(chance).ln() + spike) * 0.8
                }
                Self::Correlated(degree) => {
                    before = degree * before + (1.0 - degree * degree).sqrt() * gauss(chance);
                    deviation * before
                }
                Self::OnAndOff(length) => {
                    let load = if ((at + phase) / length).is_multiple_of(2) { 0.3 } else { 0.0 };
                    load + deviation * gauss(chance)
                }
                Self::Drifting => 0.3 * at as f64 / 200.0 + deviation * gauss(chance),
            })
            .collect()
    }
}

/// A number above 0 and below 1.
pub(crate) fn unit(chance: &mut Chance) -> f64 {
    ((chance.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A number of the normal distribution.
pub(crate) fn gauss(chance: &mut Chance) -> f64 {
    normal::upper_quantile(unit(chance))
}
