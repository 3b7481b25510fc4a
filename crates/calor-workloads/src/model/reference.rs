//! A piece of work that is the same in every build, done between inferences: reading all weights once. Writing a token does the
//! same at the least, so what it takes tells how fast the machine was just then, and runs are compared by it.

use std::hint::black_box;

use calor_report::REFERENCE;

use super::operation::with_floats;
use super::{Model, vector};
use crate::Error;

/// Passes after an inference.
const PASSES: usize = 3;

/// Reads the weights of a model on the processor some times; those on another device tell nothing of this one.
pub(super) fn read_weights(model: &Model) -> Result<(), Error> {
    if !model.device().is_cpu() {
        return Ok(());
    }
    let tensors = model.weights().named();
    let bytes = model.config().weight_bytes();
    for _ in 0..PASSES {
        calor::scope!(REFERENCE, bytes = bytes);
        let mut sums = [0.0; vector::SUMS];
        for (_, tensor) in &tensors {
            with_floats(tensor, |floats| vector::add_up(floats, &mut sums))?;
        }
        black_box(sums);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Preset;
    use super::*;

    #[test]
    fn every_number_is_read() {
        for n in [0, 1, vector::SUMS, 3 * vector::SUMS + 7] {
            let floats: Vec<f32> = (0..n).map(|n| n as f32).collect();
            let mut sums = [0.0; vector::SUMS];
            vector::add_up(&floats, &mut sums);
            assert_eq!(sums.iter().sum::<f32>(), floats.iter().sum::<f32>());
        }
    }

    #[test]
    fn a_pass_is_a_scope_with_the_bytes_of_the_weights() {
        let model = Model::of_preset(Preset::Small, 1).expect("it fits");
        calor::enable();
        read_weights(&model).expect("it is on the processor");
        let profile = calor::snapshot();
        let named = |stack| profile.stack_name(stack) == REFERENCE;
        let (_, stats) = profile.scopes.iter().find(|(key, _)| named(key.stack)).expect("it is recorded");
        assert!(stats.calls >= PASSES as u64, "{stats:?}");
        assert_eq!(stats.work.bytes, stats.calls * 4 * 470_528);
    }
}
