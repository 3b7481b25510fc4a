//! The same model in candle's own operations, which run on any device it knows: for graphics processors, and to check the
//! operations of our own by.

use candle_core::{D, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::session::{Cache, Session};
use super::vector::EPSILON;
use super::weights::{LayerWeights, Linear, Norm};
use super::{Config, Model};
use crate::Error;

/// Passes tokens through all layers and leaves the residual stream of the newest position in the session.
pub(super) fn forward(model: &Model, tokens: &[u32], session: &mut Session) -> Result<(), Error> {
    let (config, weights, past) = (model.config(), model.weights(), session.seen);
    let mut hidden = {
        calor::scope!("embed");
        let tokens = Tensor::new(tokens, model.device())?;
        let positions = weights.positions.narrow(0, past, tokens.dim(0)?)?;
        (weights.tokens.index_select(&tokens, 0)? + positions)?
    };
    let rows = hidden.dim(0)?;
    let mask = mask(model, past, rows)?;
    for (index, (layer, cache)) in weights.layers.iter().zip(&session.caches).enumerate() {
        let _scope = model.layer_scope(index);
        hidden = pass(config, layer, cache, past, &mask, &hidden)?;
    }
    session.room.hidden = hidden.narrow(0, rows - 1, 1)?.contiguous()?;
    session.room.last = 0;
    Ok(())
}

/// Scores all tokens by the newest position.
pub(super) fn logits(model: &Model, session: &mut Session) -> Result<(), Error> {
    let row = normalise(&model.weights().norm, &session.room.hidden)?;
    calor::scope!("head");
    let logits = row.matmul(&model.weights().tokens.t()?)?;
    session.logits = logits.squeeze(0)?.to_vec1()?;
    Ok(())
}

/// What is added to scores: nothing for positions that may be looked at.
fn mask(model: &Model, past: usize, rows: usize) -> Result<Tensor, Error> {
    let seen = past + rows;
    let values: Vec<f32> = (0..rows)
        .flat_map(|row| (0..seen).map(move |at| if at <= past + row { 0.0 } else { f32::NEG_INFINITY }))
        .collect();
    Ok(Tensor::from_vec(values, (rows, seen), model.device())?)
}

fn pass(
    config: &Config,
    layer: &LayerWeights,
    cache: &Cache,
    past: usize,
    mask: &Tensor,
    hidden: &Tensor,
) -> Result<Tensor, Error> {
    let rows = hidden.dim(0)?;
    let qkv = {
        let normal = normalise(&layer.attention_norm, hidden)?;
        calor::scope!("qkv");
        multiply(&layer.qkv, &normal)?
    };
    // Heads × rows × width of a head.
    let part = |index: usize| {
        let part = qkv.narrow(D::Minus1, index * config.width, config.width)?;
        part.reshape((rows, config.heads, config.head_width()))?.transpose(0, 1)?.contiguous()
    };
    {
        calor::scope!("cache");
        cache.keys.slice_set(&part(1)?, 1, past)?;
        cache.values.slice_set(&part(2)?, 1, past)?;
    }
    let scores = {
        calor::scope!("scores");
        let keys = cache.keys.narrow(1, 0, past + rows)?;
        let scale = 1.0 / (config.head_width() as f64).sqrt();
        (part(0)?.matmul(&keys.t()?)? * scale)?.broadcast_add(mask)?
    };
    let shares = {
        calor::scope!("softmax");
        softmax_last_dim(&scores)?
    };
    let found = {
        calor::scope!("context");
        let found = shares.matmul(&cache.values.narrow(1, 0, past + rows)?.contiguous()?)?;
        found.transpose(0, 1)?.contiguous()?.reshape((rows, config.width))?
    };
    let hidden = {
        calor::scope!("proj");
        (hidden + multiply(&layer.proj, &found)?)?
    };
    let normal = normalise(&layer.mlp_norm, &hidden)?;
    let wide = {
        calor::scope!("mlp_up");
        multiply(&layer.up, &normal)?
    };
    let wide = {
        calor::scope!("gelu");
        wide.gelu()?
    };
    calor::scope!("mlp_down");
    Ok((hidden + multiply(&layer.down, &wide)?)?)
}

fn normalise(norm: &Norm, x: &Tensor) -> Result<Tensor, Error> {
    calor::scope!("ln");
    Ok(layer_norm(x, &norm.gain, &norm.bias, EPSILON)?)
}

fn multiply(linear: &Linear, x: &Tensor) -> Result<Tensor, Error> {
    Ok(x.matmul(&linear.weight.t()?)?.broadcast_add(&linear.bias)?)
}
