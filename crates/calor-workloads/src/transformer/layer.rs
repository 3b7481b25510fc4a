//! One layer: attention, then an MLP, each on a normalised copy of the residual stream and added back to it.

use super::attention::Attention;
use super::cache::LayerCache;
use super::linear::Linear;
use super::norm::LayerNorm;
use super::session::Room;
use super::{Config, bytes_of, gelu};
use crate::Random;

#[derive(Debug)]
pub(super) struct Layer {
    attention_norm: LayerNorm,
    qkv: Linear,
    output: Linear,
    mlp_norm: LayerNorm,
    up: Linear,
    down: Linear,
}

impl Layer {
    pub(super) fn random(config: &Config, deviation: f32, random: &mut Random) -> Self {
        let width = config.width;
        // What is added to the residual stream is scaled down with depth, as in GPT-2, so that it does not grow.
        let residual = deviation / (2.0 * config.layers as f32).sqrt();
        Self {
            attention_norm: LayerNorm::random(width, deviation, random),
            qkv: Linear::random(width, 3 * width, deviation, random),
            output: Linear::random(width, width, residual, random),
            mlp_norm: LayerNorm::random(width, deviation, random),
            up: Linear::random(width, config.mlp_width(), deviation, random),
            down: Linear::random(config.mlp_width(), width, residual, random),
        }
    }

    /// Passes the new positions, whose residual stream is `room.hidden`, through the layer.
    pub(super) fn forward(&self, config: &Config, past: usize, cache: &mut LayerCache, room: &mut Room<'_>) {
        calor::scope!("layer");
        let rows = room.hidden.len() / config.width;

        normalise(&self.attention_norm, room.hidden, room.narrow);
        {
            calor::scope!("matmul qkv", flops = self.qkv.flops(rows), bytes = self.qkv.bytes(rows));
            self.qkv.apply(room.narrow, room.qkv);
        }
        Attention { config, past, qkv: room.qkv }.attend(cache, room.scores, room.narrow);
        {
            calor::scope!("matmul output", flops = self.output.flops(rows), bytes = self.output.bytes(rows));
            self.output.apply(room.narrow, room.added);
        }
        add(room.hidden, room.added);

        normalise(&self.mlp_norm, room.hidden, room.narrow);
        calor::scope!("mlp");
        {
            calor::scope!("matmul up", flops = self.up.flops(rows), bytes = self.up.bytes(rows));
            self.up.apply(room.narrow, room.wide);
        }
        gelu::apply(room.wide);
        {
            calor::scope!("matmul down", flops = self.down.flops(rows), bytes = self.down.bytes(rows));
            self.down.apply(room.wide, room.added);
        }
        add(room.hidden, room.added);
    }

    pub(super) fn parameters(&self) -> usize {
        let norms = self.attention_norm.parameters() + self.mlp_norm.parameters();
        norms + [&self.qkv, &self.output, &self.up, &self.down].map(Linear::parameters).iter().sum::<usize>()
    }
}

pub(super) fn normalise(norm: &LayerNorm, x: &[f32], y: &mut [f32]) {
    let rows = 2 * x.len() / norm.parameters();
    calor::scope!("layer norm", flops = norm.flops(rows), bytes = norm.bytes(rows));
    norm.apply(x, y);
}

fn add(hidden: &mut [f32], added: &[f32]) {
    calor::scope!("residual", flops = added.len() as u64, bytes = bytes_of(3 * added.len()));
    for (hidden, added) in hidden.iter_mut().zip(added) {
        *hidden += added;
    }
}
