//! Numbers that look random and are the same for the same seed, on every machine and for ever: a workload that is
//! compared with itself must not depend on the version of a library.

/// The SplitMix64 generator (Steele, Lea and Flood, 2014): 64 bits of state, one multiplication chain a number.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator; equal seeds give equal numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f32 {
        // 24 bits are what an f32 holds exactly.
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// A whole number from 0 to `limit` (excluded); 0 when there is none.
    pub fn below(&mut self, limit: u32) -> u32 {
        // The upper half of the product: as even as 32 bits allow, without a division.
        (((self.bits() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// A number from the normal distribution around 0 (Box and Muller, 1958).
    pub fn normal(&mut self, deviation: f32) -> f32 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        deviation * radius * (std::f32::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn normal_numbers_have_the_mean_and_deviation_asked_for() {
        let mut random = Random::new(7);
        let numbers: Vec<f64> = (0..100_000).map(|_| f64::from(random.normal(0.5))).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((variance.sqrt() - 0.5).abs() < 0.01, "{variance}");
    }

    #[test]
    fn every_number_below_a_limit_is_drawn_and_none_beyond() {
        let mut random = Random::new(3);
        let mut drawn = [0; 5];
        (0..5_000).for_each(|_| drawn[random.below(5) as usize] += 1);
        assert!(drawn.iter().all(|n| (800..1_200).contains(n)), "{drawn:?}");
        assert_eq!(random.below(0), 0);
    }
}
