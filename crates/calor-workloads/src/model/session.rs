//! What one sequence needs while a model works on it: keys and values of the positions seen so far, so that writing a token
//! looks at one new position and not at all of them again; and room for intermediate results. All of it is taken once.

use candle_core::{DType, Device, Tensor};

use super::Config;
use crate::Error;

/// A prompt is read in pieces of so many positions: enough that each weight is used often, few enough that the room for
/// intermediate results stays small.
pub(super) const MOST_ROWS: usize = 128;

/// The state of one sequence. It belongs to the model it was made for.
#[derive(Debug)]
pub struct Session {
    pub(super) seen: usize,
    /// Scores of the newest position, on the processor.
    pub(super) logits: Vec<f32>,
    pub(super) caches: Vec<Cache>,
    pub(super) room: Room,
}

/// What one layer remembers, heads × context × width of a head.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) keys: Tensor,
    pub(super) values: Tensor,
}

/// Room for intermediate results.
#[derive(Debug)]
pub(super) struct Room {
    /// The residual stream.
    pub(super) hidden: Tensor,
    /// The row of it that is of the newest position.
    pub(super) last: usize,
    /// Rows of the model's width: normalised, or found by attention.
    pub(super) narrow: Tensor,
    pub(super) qkv: Tensor,
    /// Rows inside the MLP.
    pub(super) wide: Tensor,
    /// Heads × rows × context.
    pub(super) scores: Tensor,
    pub(super) logits: Tensor,
}

impl Session {
    pub(super) fn new(config: &Config, device: &Device) -> Result<Self, Error> {
        calor::scope!("session");
        let rows = config.context.min(MOST_ROWS);
        let zeros = |shape: &[usize]| Ok::<_, Error>(Tensor::zeros(shape, DType::F32, device)?);
        let remembered = [config.heads, config.context, config.head_width()];
        let cache = |_| Ok::<_, Error>(Cache { keys: zeros(&remembered)?, values: zeros(&remembered)? });
        Ok(Self {
            seen: 0,
            logits: vec![0.0; config.vocabulary],
            caches: (0..config.layers).map(cache).collect::<Result<_, Error>>()?,
            room: Room {
                hidden: zeros(&[rows, config.width])?,
                last: 0,
                narrow: zeros(&[rows, config.width])?,
                qkv: zeros(&[rows, 3 * config.width])?,
                wide: zeros(&[rows, config.mlp_width()])?,
                scores: zeros(&[config.heads, rows, config.context])?,
                logits: zeros(&[1, config.vocabulary])?,
            },
        })
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

    /// What it takes: what is remembered, and room for intermediate results.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Room { hidden, narrow, qkv, wide, scores, logits, .. } = &self.room;
        let room = [hidden, narrow, qkv, wide, scores, logits].map(Tensor::elem_count).iter().sum::<usize>();
        let caches = self.caches.iter().map(|cache| cache.keys.elem_count() + cache.values.elem_count());
        super::bytes_of(room + self.logits.len() + caches.sum::<usize>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_sequence_takes_is_known_before() {
        for context in [5, 3 * MOST_ROWS] {
            let config = Config { width: 12, layers: 2, heads: 3, context, vocabulary: 40 };
            let session = Session::new(&config, &Device::Cpu).expect("there is memory");
            assert_eq!(session.bytes(), config.session_bytes());
        }
    }
}
