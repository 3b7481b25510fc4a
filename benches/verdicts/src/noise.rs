//! Made-up and recorded times of one unchanged program, as logarithms.

/// Numbers that follow from a seed (SplitMix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0 and below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f64) as usize
    }

    /// Of the normal distribution (Box and Muller).
    pub(crate) fn gauss(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// How times scatter.
#[derive(Clone, Copy)]
pub(crate) enum Noise {
    Independent,
    Skewed,
    Correlated(f64),
    OnAndOff,
    Drifting,
}

impl Noise {
    pub(crate) const OF_RUNS: [(&'static str, Self); 6] = [
        ("independent", Self::Independent),
        ("skewed", Self::Skewed),
        ("correlated .5", Self::Correlated(0.5)),
        ("correlated .8", Self::Correlated(0.8)),
        ("load on and off", Self::OnAndOff),
        ("drifting", Self::Drifting),
    ];

    /// So many runs one after the other, with this deviation but for what load adds.
    pub(crate) fn series(self, n: usize, deviation: f64, chance: &mut Chance) -> Vec<f64> {
        let mut before = chance.gauss();
        let phase = chance.below(60);
        let mut value = |at: usize| match self {
            Self::Independent => deviation * chance.gauss(),
            Self::Skewed => {
                let spike = if chance.below(20) == 0 { 3.0 } else { 0.0 };
                0.8 * deviation * (spike - chance.unit().ln())
            }
            Self::Correlated(degree) => {
                before = degree * before + (1.0 - degree * degree).sqrt() * chance.gauss();
                deviation * before
            }
            Self::OnAndOff => {
                let load = if ((at + phase) / 15).is_multiple_of(2) { 0.3 } else { 0.0 };
                load + deviation * chance.gauss()
            }
            Self::Drifting => 0.3 * at as f64 / 200.0 + deviation * chance.gauss(),
        };
        (0..n).map(&mut value).collect()
    }
}

/// The recorded runs: name, and logarithms of their CPU times.
pub(crate) fn recorded() -> [(&'static str, Vec<f64>); 3] {
    let logs = |text: &str| {
        let rows = text.lines().skip(1).filter_map(|line| line.split(',').next()?.parse::<f64>().ok());
        rows.map(f64::ln).collect()
    };
    [
        (
            "recorded, in use",
            logs(include_str!("../../../crates/calor-analysis/tests/fixtures/noise/in-use.csv")),
        ),
        (
            "recorded, steady load",
            logs(include_str!("../../../crates/calor-analysis/tests/fixtures/noise/steady.csv")),
        ),
        (
            "recorded, on and off",
            logs(include_str!("../../../crates/calor-analysis/tests/fixtures/noise/on-off.csv")),
        ),
    ]
}
