//! Layer normalisation: every position is shifted and scaled to mean 0 and variance 1, then by what was learnt.

use super::{bytes_of, reduction};
use crate::Random;

/// Keeps a row of equal numbers from being divided by zero; the value GPT-2 uses.
const EPSILON: f32 = 1e-5;

#[derive(Debug)]
pub(super) struct LayerNorm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl LayerNorm {
    pub(super) fn random(width: usize, deviation: f32, random: &mut Random) -> Self {
        let gain = (0..width).map(|_| 1.0 + random.normal(deviation)).collect();
        Self { gain, bias: (0..width).map(|_| random.normal(deviation)).collect() }
    }

    /// Normalises every row of `x` into `y`.
    pub(super) fn apply(&self, x: &[f32], y: &mut [f32]) {
        let width = self.gain.len();
        for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
            let mean = reduction::sum(x) / width as f32;
            for (y, x) in y.iter_mut().zip(x) {
                *y = x - mean;
            }
            let variance = reduction::dot(y, y) / width as f32;
            let scale = 1.0 / (variance + EPSILON).sqrt();
            for ((y, gain), bias) in y.iter_mut().zip(&self.gain).zip(&self.bias) {
                *y = *y * scale * gain + bias;
            }
        }
    }

    pub(super) fn parameters(&self) -> usize {
        self.gain.len() + self.bias.len()
    }

    /// For each number: added to the mean, shifted, squared and added to the variance, scaled twice, shifted.
    pub(super) fn flops(&self, rows: usize) -> u64 {
        7 * (rows * self.gain.len()) as u64
    }

    pub(super) fn bytes(&self, rows: usize) -> u64 {
        bytes_of(2 * rows * self.gain.len() + self.parameters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_comes_out_with_the_mean_and_variance_that_were_learnt() {
        let norm = LayerNorm { gain: vec![3.0; 12], bias: vec![2.0; 12] };
        let x: Vec<f32> = (0..24).map(|n| (n * n) as f32).collect();
        let mut y = vec![0.0; 24];
        norm.apply(&x, &mut y);
        for row in y.chunks_exact(12) {
            let mean = row.iter().sum::<f32>() / 12.0;
            let variance = row.iter().map(|y| (y - mean).powi(2)).sum::<f32>() / 12.0;
            assert!((mean - 2.0).abs() < 1e-4 && (variance - 9.0).abs() < 1e-3, "{mean} {variance}");
        }
    }

    #[test]
    fn a_row_of_equal_numbers_becomes_the_bias() {
        let norm = LayerNorm { gain: vec![1.0; 8], bias: vec![0.5; 8] };
        let mut y = vec![0.0; 8];
        norm.apply(&[4.0; 8], &mut y);
        assert_eq!(y, [0.5; 8]);
    }
}
