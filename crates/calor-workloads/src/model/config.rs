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

    /// What its weights take.
    #[must_use]
    pub fn weight_bytes(&self) -> u64 {
        super::bytes_of(self.parameters())
    }

    /// What the keys and values of so many positions take.
    #[must_use]
    pub fn cache_bytes(&self, positions: usize) -> u64 {
        super::bytes_of(2 * self.layers * positions * self.width)
    }

    /// What a sequence takes: what is remembered, and room for intermediate results.
    #[must_use]
    pub fn session_bytes(&self) -> u64 {
        let rows = self.context.min(super::MOST_ROWS);
        let room = rows * (5 * self.width + self.mlp_width() + self.heads * self.context);
        self.cache_bytes(self.context) + super::bytes_of(room + 2 * self.vocabulary)
    }

    /// The smallest matrix of weights: what attention passes through on its way back, or the embedding of positions or
    /// tokens where that is smaller still.
    #[must_use]
    pub fn smallest_matrix_bytes(&self) -> u64 {
        super::bytes_of(self.width * self.width.min(self.context).min(self.vocabulary))
    }

    /// The least that must be moved to write the next token after so many positions: every weight but the embeddings of
    /// other tokens and positions is read once, and so is what is remembered.
    #[must_use]
    pub fn decode_bytes(&self, positions: usize) -> u64 {
        // The embedding of tokens is read as a whole for the logits.
        let other_positions = self.context.saturating_sub(1) * self.width;
        self.weight_bytes() - super::bytes_of(other_positions) + self.cache_bytes(positions)
    }

    /// Operations to pass so many new positions through the model after so many others, and to score tokens once.
    #[must_use]
    pub fn flops(&self, past: usize, rows: usize) -> u64 {
        let matrices = self.layers * 12 * self.width * self.width;
        let pairs = rows * past + rows * (rows + 1) / 2;
        2 * (rows * matrices + 2 * self.layers * pairs * self.width + self.vocabulary * self.width) as u64
    }

    /// Refuses sizes that do not fit together.
    ///
    /// # Errors
    /// With what does not fit.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [self.width, self.layers, self.heads, self.context, self.vocabulary];
        let problem = if sizes.contains(&0) {
            String::from("none of them may be 0")
        } else if sizes.iter().any(|size| *size > MOST) {
            format!("none of them may be more than {MOST}")
        } else if !self.width.is_multiple_of(self.heads) {
            format!(
                "a width of {} cannot be shared by {} heads: choose heads that divide it, {}",
                self.width,
                self.heads,
                divisors(self.width)
            )
        } else if self.most_bytes() > MOST_BYTES {
            format!("weights and what is remembered would take more than {} GiB", MOST_BYTES >> 30)
        } else {
            return Ok(());
        };
        Err(Error::Shape { problem })
    }

    /// Weights and cache, counted so that no size overflows.
    fn most_bytes(&self) -> u128 {
        let [width, layers, context, vocabulary] =
            [self.width, self.layers, self.context, self.vocabulary].map(|size| size as u128);
        4 * (layers * (12 * width * width + 13 * width + 2 * context * width)
            + (context + vocabulary + 2) * width)
    }

    /// Numbers a head has of one position.
    pub(super) fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// Numbers between the two matrices of an MLP.
    pub(super) fn mlp_width(&self) -> usize {
        4 * self.width
    }
}

/// No model has more of anything, and products of two still fit.
const MOST: usize = 1 << 24;
/// A model that is larger is a slip of the pen, and would not fit most machines.
const MOST_BYTES: u128 = 64 << 30;

/// The numbers that divide a width, as a list for people.
fn divisors(width: usize) -> String {
    let all: Vec<String> =
        (1..=width.min(256)).filter(|n| width.is_multiple_of(*n)).map(|n| n.to_string()).collect();
    format!("such as {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_together_are_refused() {
        let good = Config { width: 8, layers: 1, heads: 2, context: 4, vocabulary: 10 };
        assert!(good.check().is_ok());
        for (config, expected) in [
            (
                Config { heads: 3, ..good },
                "a width of 8 cannot be shared by 3 heads: choose heads that divide it, such as 1, 2, 4, 8",
            ),
            (Config { width: 1 << 20, ..good }, "more than 64 GiB"),
            (Config { layers: usize::MAX, ..good }, "none of them may be more than 16777216"),
            (Config { heads: 0, ..good }, "none of them may be 0"),
            (Config { context: 0, ..good }, "none of them may be 0"),
        ] {
            assert!(config.check().unwrap_err().to_string().contains(expected));
        }
    }

    #[test]
    fn what_a_token_costs_follows_from_the_sizes() {
        let config = Config { width: 8, layers: 2, heads: 2, context: 4, vocabulary: 10 };
        let layer = 8 * 24 + 24 + 8 * 8 + 8 + 8 * 32 + 32 + 32 * 8 + 8 + 4 * 8;
        assert_eq!(config.parameters(), (10 + 4) * 8 + 2 * layer + 16);
        assert_eq!(config.cache_bytes(3), 4 * 2 * 2 * 3 * 8);
        assert_eq!(config.smallest_matrix_bytes(), 4 * 4 * 8);
        assert_eq!(config.decode_bytes(0), config.weight_bytes() - 4 * 3 * 8);
        // Two layers of 12 · 8 · 8 weights, one pair each for scores and values, and ten tokens scored.
        assert_eq!(config.flops(0, 1), 2 * (2 * 12 * 64 + 2 * 2 * 8 + 80));
    }
}
