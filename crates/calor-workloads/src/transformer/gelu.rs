//! The Gaussian error linear unit, in the form with a hyperbolic tangent that GPT-2 uses.

use super::bytes_of;

/// The square root of 2/π.
const SLOPE: f32 = 0.797_884_6;
const CUBIC: f32 = 0.044_715;

pub(super) fn apply(values: &mut [f32]) {
    calor::scope!("gelu", flops = flops(values.len()), bytes = bytes_of(2 * values.len()));
    for value in values {
        let x = *value;
        *value = 0.5 * x * (1.0 + (SLOPE * (x + CUBIC * x * x * x)).tanh());
    }
}

/// Nine operations a value, the hyperbolic tangent being one of them.
fn flops(values: usize) -> u64 {
    9 * values as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_unit_agrees_with_the_normal_distribution_to_three_digits() {
        // x times the share of the normal distribution below x.
        for (x, expected) in
            [(-3.0, -0.004_05), (-1.0, -0.158_66), (0.0, 0.0), (1.0, 0.841_34), (3.0, 2.995_95)]
        {
            let mut values = [x];
            super::apply(&mut values);
            assert!((values[0] - expected).abs() < 1e-3, "{x}: {}", values[0]);
        }
    }
}
