//! Matrix times rows, which is where a transformer spends most of its time.
//!
//! Weights are kept in panels of sixteen outputs, input after input, so that one pass reads them in order, and the
//! running sums of a panel stay in registers. While a prompt is read, a panel is used for every row before the next
//! one is fetched; when one token is written, each weight is read once and used once.

use super::bytes_of;
use crate::Random;

/// Outputs that are computed together: four vectors of the narrowest x86-64, one or two of wider ones.
const LANES: usize = 16;

type Lanes = [f32; LANES];

/// A matrix of `inputs` x `outputs`.
#[derive(Debug)]
pub(super) struct Matrix {
    inputs: usize,
    outputs: usize,
    /// Panel after panel, in each input after input; the last panel is filled up with zeros.
    panels: Vec<Lanes>,
}

/// A matrix and a bias: `y = x W + b`.
#[derive(Debug)]
pub(super) struct Linear {
    matrix: Matrix,
    bias: Vec<f32>,
}

impl Matrix {
    pub(super) fn random(inputs: usize, outputs: usize, deviation: f32, random: &mut Random) -> Self {
        let mut matrix =
            Self { inputs, outputs, panels: vec![[0.0; LANES]; outputs.div_ceil(LANES) * inputs] };
        for output in 0..outputs {
            for input in 0..inputs {
                *matrix.weight_mut(input, output) = random.normal(deviation);
            }
        }
        matrix
    }

    /// Multiplies every row of `x`.
    pub(super) fn multiply(&self, x: &[f32], y: &mut [f32]) {
        for (index, panel) in self.panels.chunks_exact(self.inputs).enumerate() {
            let first = index * LANES;
            let last = self.outputs.min(first + LANES);
            let mut x_pairs = x.chunks_exact(2 * self.inputs);
            let mut y_pairs = y.chunks_exact_mut(2 * self.outputs);
            for (x, y) in x_pairs.by_ref().zip(y_pairs.by_ref()) {
                let (x_first, x_second) = x.split_at(self.inputs);
                let (y_first, y_second) = y.split_at_mut(self.outputs);
                let sums = two_rows(panel, x_first, x_second);
                y_first[first..last].copy_from_slice(&sums[0][..last - first]);
                y_second[first..last].copy_from_slice(&sums[1][..last - first]);
            }
            let (x, y) = (x_pairs.remainder(), y_pairs.into_remainder());
            if !x.is_empty() {
                y[first..last].copy_from_slice(&one_row(panel, x)[..last - first]);
            }
        }
    }

    /// The weights that lead to one output: a row of the transposed matrix.
    pub(super) fn copy_output(&self, output: usize, into: &mut [f32]) {
        let panel = &self.panels[output / LANES * self.inputs..][..self.inputs];
        for (value, lanes) in into.iter_mut().zip(panel) {
            *value = lanes[output % LANES];
        }
    }

    pub(super) fn parameters(&self) -> usize {
        self.inputs * self.outputs
    }

    /// Floating-point operations for so many rows.
    pub(super) fn flops(&self, rows: usize) -> u64 {
        2 * (rows * self.parameters()) as u64
    }

    /// The least that must be moved for so many rows: weights and inputs read, outputs written.
    pub(super) fn bytes(&self, rows: usize) -> u64 {
        bytes_of(self.parameters() + rows * (self.inputs + self.outputs))
    }

    fn weight_mut(&mut self, input: usize, output: usize) -> &mut f32 {
        &mut self.panels[output / LANES * self.inputs + input][output % LANES]
    }
}

impl Linear {
    pub(super) fn random(inputs: usize, outputs: usize, deviation: f32, random: &mut Random) -> Self {
        let matrix = Matrix::random(inputs, outputs, deviation, random);
        Self { matrix, bias: (0..outputs).map(|_| random.normal(deviation)).collect() }
    }

    pub(super) fn apply(&self, x: &[f32], y: &mut [f32]) {
        self.matrix.multiply(x, y);
        for row in y.chunks_exact_mut(self.bias.len()) {
            for (value, bias) in row.iter_mut().zip(&self.bias) {
                *value += bias;
            }
        }
    }

    pub(super) fn parameters(&self) -> usize {
        self.matrix.parameters() + self.bias.len()
    }

    pub(super) fn flops(&self, rows: usize) -> u64 {
        self.matrix.flops(rows) + (rows * self.bias.len()) as u64
    }

    pub(super) fn bytes(&self, rows: usize) -> u64 {
        self.matrix.bytes(rows) + bytes_of(self.bias.len())
    }
}

/// Two rows by one panel: eight sums of four, enough to hide the latency of an addition.
fn two_rows(panel: &[Lanes], x_first: &[f32], x_second: &[f32]) -> [Lanes; 2] {
    let mut sums = [[0.0; LANES]; 2];
    for ((weights, &first), &second) in panel.iter().zip(x_first).zip(x_second) {
        for lane in 0..LANES {
            sums[0][lane] += first * weights[lane];
            sums[1][lane] += second * weights[lane];
        }
    }
    sums
}

/// One row by one panel. Even and odd inputs are summed apart, which makes eight sums here too.
fn one_row(panel: &[Lanes], x: &[f32]) -> Lanes {
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    let ((panels, last_panel), (inputs, last_input)) = (panel.as_chunks::<2>(), x.as_chunks::<2>());
    for (weights, input) in panels.iter().zip(inputs) {
        for lane in 0..LANES {
            even[lane] += input[0] * weights[0][lane];
            odd[lane] += input[1] * weights[1][lane];
        }
    }
    for (weights, input) in last_panel.iter().zip(last_input) {
        for lane in 0..LANES {
            even[lane] += input * weights[lane];
        }
    }
    std::array::from_fn(|lane| even[lane] + odd[lane])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_layer_is_the_sum_of_products_and_its_bias_for_any_sizes() {
        for (rows, inputs, outputs) in [(1, 1, 1), (1, 7, 5), (2, 16, 16), (3, 9, 33), (5, 32, 48)] {
            let mut random = Random::new(5);
            let linear = Linear::random(inputs, outputs, 1.0, &mut random);
            let x: Vec<f32> = (0..rows * inputs).map(|_| random.normal(1.0)).collect();
            let mut y = vec![f32::NAN; rows * outputs];
            linear.apply(&x, &mut y);
            let mut column = vec![0.0; inputs];
            for row in 0..rows {
                for output in 0..outputs {
                    linear.matrix.copy_output(output, &mut column);
                    let products = x[row * inputs..].iter().zip(&column).map(|(x, w)| f64::from(x * w));
                    let expected = products.sum::<f64>() + f64::from(linear.bias[output]);
                    let found = f64::from(y[row * outputs + output]);
                    assert!((found - expected).abs() < 1e-4, "{rows}x{inputs}x{outputs}: {found} {expected}");
                }
            }
            assert_eq!(linear.parameters(), inputs * outputs + outputs);
        }
    }
}
