//! Keys and values of the positions seen so far, so that writing a token looks at one new position, not at all of
//! them again.

use super::Config;

/// What one layer remembers.
#[derive(Debug)]
pub(super) struct LayerCache {
    context: usize,
    head_width: usize,
    /// Head after head, in each position after position: what one head looks through lies in one piece.
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl LayerCache {
    pub(super) fn new(config: &Config) -> Self {
        let empty = vec![0.0; config.context * config.width];
        let head_width = config.head_width();
        Self { context: config.context, head_width, keys: empty.clone(), values: empty }
    }

    /// Remembers a position: its key and its value, each as wide as the model.
    pub(super) fn remember(&mut self, position: usize, key: &[f32], value: &[f32]) {
        let (context, head_width) = (self.context, self.head_width);
        for (row, remembered) in [(key, &mut self.keys), (value, &mut self.values)] {
            for (head, part) in row.chunks_exact(head_width).enumerate() {
                let at = (head * context + position) * head_width;
                remembered[at..at + head_width].copy_from_slice(part);
            }
        }
    }

    /// A head's keys, position after position, of the first `positions`.
    pub(super) fn keys(&self, head: usize, positions: usize) -> impl Iterator<Item = &[f32]> {
        self.rows(&self.keys, head, positions)
    }

    /// The same of its values.
    pub(super) fn values(&self, head: usize, positions: usize) -> impl Iterator<Item = &[f32]> {
        self.rows(&self.values, head, positions)
    }

    fn rows<'a>(
        &self,
        all: &'a [f32],
        head: usize,
        positions: usize,
    ) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        let start = head * self.context * self.head_width;
        all[start..start + positions * self.head_width].chunks_exact(self.head_width)
    }
}
