//! What one sequence needs while a model works on it: the cache of what it has seen, and room for intermediate
//! results, taken once so that writing a token allocates nothing.

use super::Config;
use super::cache::LayerCache;

/// The state of one sequence. It belongs to the model it was made for.
#[derive(Debug)]
pub struct Session {
    pub(super) seen: usize,
    /// The residual stream of the newest position, after all layers.
    pub(super) last_row: Vec<f32>,
    pub(super) narrow: Vec<f32>,
    pub(super) logits: Vec<f32>,
    caches: Vec<LayerCache>,
    hidden: Vec<f32>,
    added: Vec<f32>,
    qkv: Vec<f32>,
    wide: Vec<f32>,
    scores: Vec<f32>,
}

/// Room for the intermediate results of so many new positions.
pub(super) struct Room<'a> {
    /// The residual stream.
    pub(super) hidden: &'a mut [f32],
    /// Rows of the model's width: normalised, or found by attention.
    pub(super) narrow: &'a mut [f32],
    /// What is added to the residual stream.
    pub(super) added: &'a mut [f32],
    pub(super) qkv: &'a mut [f32],
    /// Rows inside the MLP.
    pub(super) wide: &'a mut [f32],
    pub(super) scores: &'a mut [f32],
    pub(super) last_row: &'a mut [f32],
}

impl Session {
    pub(super) fn new(config: &Config) -> Self {
        let rows = |width: usize| vec![0.0; config.context * width];
        Self {
            caches: (0..config.layers).map(|_| LayerCache::new(config)).collect(),
            seen: 0,
            last_row: vec![0.0; config.width],
            logits: vec![0.0; config.vocabulary],
            hidden: rows(config.width),
            narrow: rows(config.width),
            added: rows(config.width),
            qkv: rows(3 * config.width),
            wide: rows(config.mlp_width()),
            scores: rows(config.context * config.heads),
        }
    }

    /// Forgets the sequence, to begin another in the same memory.
    pub fn clear(&mut self) {
        self.seen = 0;
    }

    /// How many positions the model has seen.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The caches, and room for the intermediate results of `rows` new positions.
    pub(super) fn room(&mut self, config: &Config, rows: usize) -> (&mut [LayerCache], Room<'_>) {
        let room = Room {
            hidden: &mut self.hidden[..rows * config.width],
            narrow: &mut self.narrow[..rows * config.width],
            added: &mut self.added[..rows * config.width],
            qkv: &mut self.qkv[..rows * 3 * config.width],
            wide: &mut self.wide[..rows * config.mlp_width()],
            scores: &mut self.scores,
            last_row: &mut self.last_row,
        };
        (&mut self.caches, room)
    }
}
