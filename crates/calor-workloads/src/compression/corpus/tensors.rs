//! Weights of a model, row by row: normal numbers whose deviation differs from layer to layer, and a few channels that stand out,
//! as trained transformers have them (Dettmers et al., 2022: outliers in under 1 % of the features).

use crate::Random;

/// Numbers in a row.
const ROW: usize = 1_024;
/// Rows of a layer.
const ROWS: usize = 256;
/// One channel in so many stands out.
const OUTLIER_ONE_IN: u32 = 150;
const OUTLIER_TIMES: f32 = 12.0;
/// Numbers that share a scale when they are quantised.
const GROUP: usize = 128;

/// 32-bit floats, little-endian.
pub(super) fn write_f32(random: &mut Random, out: &mut Vec<u8>, length: usize) {
    let mut rows = Rows::default();
    while out.len() < length {
        for weight in rows.next(random) {
            out.extend_from_slice(&weight.to_le_bytes());
        }
    }
}

/// 8 bits, symmetric, a scale for each group of 128, which stands behind the group as a bfloat16.
pub(super) fn write_int8(random: &mut Random, out: &mut Vec<u8>, length: usize) {
    let mut rows = Rows::default();
    while out.len() < length {
        for group in rows.next(random).chunks(GROUP) {
            let most = group.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
            let scale = most / 127.0;
            out.extend(group.iter().map(|weight| (weight / scale).round() as i8 as u8));
            // The upper half of a float is a bfloat16.
            out.extend_from_slice(&scale.to_le_bytes()[2..]);
        }
    }
}

#[derive(Default)]
struct Rows {
    n_rows: usize,
    deviation: f32,
    gains: Vec<f32>,
    weights: Vec<f32>,
}

impl Rows {
    fn next(&mut self, random: &mut Random) -> &[f32] {
        if self.n_rows.is_multiple_of(ROWS) {
            self.deviation = 0.01 + 0.05 * random.unit();
            let gain =
                |random: &mut Random| if random.below(OUTLIER_ONE_IN) == 0 { OUTLIER_TIMES } else { 1.0 };
            self.gains = (0..ROW).map(|_| gain(random)).collect();
        }
        self.n_rows += 1;
        let deviation = self.deviation;
        self.weights.clear();
        self.weights.extend(self.gains.iter().map(|gain| gain * random.normal(deviation)));
        &self.weights
    }
}
