//! A piece of work that has nothing to do with the model, done between inferences: reading some megabytes of its own from the outer
//! caches, which is what writing a token does most. What it takes tells how fast the machine was just then, and runs are compared by
//! it.

use std::hint::black_box;

use calor_report::REFERENCE;

use super::packed::pages;
use super::{bytes_of, vector};
use crate::Error;

/// Passes after an inference.
const PASSES: usize = 4;
/// Floats that are read: more than the inner caches hold, and less than what is left of the outer one beside a model.
const FLOATS: usize = 2 << 20;

/// What is read.
pub(super) struct Reference {
    values: Vec<f32>,
    begin: usize,
}

impl Reference {
    pub(super) fn new() -> Result<Self, Error> {
        let (mut values, begin) = pages(FLOATS)?;
        values.resize(begin + FLOATS, 1.0);
        Ok(Self { values, begin })
    }

    /// Reads it some times.
    pub(super) fn read(&self) {
        for _ in 0..PASSES {
            calor::scope!(REFERENCE, bytes = bytes_of(FLOATS));
            let mut sums = [0.0; vector::SUMS];
            vector::add_up(black_box(&self.values[self.begin..]), &mut sums);
            black_box(sums);
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn a_pass_is_a_scope_that_tells_its_bytes() {
        let reference = Reference::new().expect("there is memory");
        calor::enable();
        reference.read();
        let profile = calor::snapshot();
        let named = |stack| profile.stack_name(stack) == REFERENCE;
        let (_, stats) = profile.scopes.iter().find(|(key, _)| named(key.stack)).expect("it is recorded");
        assert!(stats.calls >= PASSES as u64, "{stats:?}");
        assert_eq!(stats.work.bytes, stats.calls * (8 << 20));
    }
}
