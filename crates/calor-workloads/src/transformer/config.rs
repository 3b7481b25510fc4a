//! The sizes of a model, from which everything else about its cost follows.

use crate::Error;

/// The sizes of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Numbers that stand for one position.
    pub width: usize,
    /// Layers of attention and MLP.
    pub layers: usize,
    /// Attention heads in a layer; they share the width evenly.
    pub heads: usize,
    /// Positions the model can look back on.
    pub context: usize,
    /// Tokens it knows.
    pub vocabulary: usize,
}

impl Config {
    /// How many numbers the model learns, as for GPT-2: biases everywhere, the logits share the token embedding.
    #[must_use]
    pub fn parameters(&self) -> usize {
        let width = self.width;
        let linear = |inputs: usize, outputs: usize| inputs * outputs + outputs;
        let norm = 2 * width;
        let attention = linear(width, 3 * width) + linear(width, width);
        let mlp = linear(width, self.mlp_width()) + linear(self.mlp_width(), width);
        let embeddings = (self.vocabulary + self.context) * width;
        embeddings + self.layers * (norm + attention + norm + mlp) + norm
    }

    /// Numbers a head has of one position.
    pub(super) fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// Numbers between the two matrices of an MLP.
    pub(super) fn mlp_width(&self) -> usize {
        4 * self.width
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let problem = if [self.width, self.layers, self.heads, self.context, self.vocabulary].contains(&0) {
            String::from("none of them may be 0")
        } else if !self.width.is_multiple_of(self.heads) {
            format!("a width of {} cannot be shared by {} heads", self.width, self.heads)
        } else if u32::try_from(self.vocabulary).is_err() {
            format!("a vocabulary of {} is more than 32 bits can number", self.vocabulary)
        } else {
            return Ok(());
        };
        Err(Error::Shape { problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_together_are_refused() {
        let good = Config { width: 8, layers: 1, heads: 2, context: 4, vocabulary: 10 };
        assert!(good.check().is_ok());
        for (config, expected) in [
            (Config { heads: 3, ..good }, "a width of 8 cannot be shared by 3 heads"),
            (Config { heads: 0, ..good }, "none of them may be 0"),
            (Config { context: 0, ..good }, "none of them may be 0"),
        ] {
            assert!(config.check().unwrap_err().to_string().contains(expected));
        }
    }
}
