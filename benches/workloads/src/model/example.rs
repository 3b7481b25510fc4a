//! A GPT-2 as one writes it with candle-nn, in the style of candle's examples: layers of `Linear`, `LayerNorm` and
//! `Embedding`, and keys and values that are joined to those before with `Tensor::cat`.

use calor_workloads::model::{Config, LayerWeights, Norm, Weights};
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::{Embedding, LayerNorm, Linear, Module, ops::softmax_last_dim};

const EPSILON: f64 = 1e-5;

/// The model, with what it remembers of a sequence.
pub(super) struct Example {
    tokens: Embedding,
    positions: Embedding,
    layers: Vec<Layer>,
    norm: LayerNorm,
    head: Linear,
    seen: usize,
}

struct Layer {
    attention_norm: LayerNorm,
    qkv: Linear,
    proj: Linear,
    mlp_norm: LayerNorm,
    up: Linear,
    down: Linear,
    heads: usize,
    remembered: Option<(Tensor, Tensor)>,
}

impl Example {
    /// One that shares the weights.
    pub(super) fn new(config: &Config, weights: &Weights) -> Self {
        Self {
            tokens: Embedding::new(weights.tokens.clone(), config.width),
            positions: Embedding::new(weights.positions.clone(), config.width),
            layers: weights.layers.iter().map(|layer| Layer::new(config, layer)).collect(),
            norm: norm(&weights.norm),
            head: Linear::new(weights.tokens.clone(), None),
            seen: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.seen = 0;
        self.layers.iter_mut().for_each(|layer| layer.remembered = None);
    }

    /// Passes the next tokens through all layers; the scores are those of the last of them.
    pub(super) fn forward(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let (n, seen) = (tokens.len(), self.seen);
        let input = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let places = Tensor::arange(seen as u32, (seen + n) as u32, &Device::Cpu)?;
        let mut hidden = self.tokens.forward(&input)?.broadcast_add(&self.positions.forward(&places)?)?;
        let mask = (n > 1).then(|| mask(n, seen)).transpose()?;
        for layer in &mut self.layers {
            hidden = layer.forward(&hidden, mask.as_ref())?;
        }
        self.seen += n;
        let last = hidden.narrow(1, n - 1, 1)?.squeeze(1)?;
        self.head.forward(&self.norm.forward(&last.contiguous()?)?)?.squeeze(0)?.to_vec1()
    }
}

impl Layer {
    fn new(config: &Config, weights: &LayerWeights) -> Self {
        let linear = |linear: &calor_workloads::model::Linear| {
            Linear::new(linear.weight.clone(), Some(linear.bias.clone()))
        };
        Self {
            attention_norm: norm(&weights.attention_norm),
            qkv: linear(&weights.qkv),
            proj: linear(&weights.proj),
            mlp_norm: norm(&weights.mlp_norm),
            up: linear(&weights.up),
            down: linear(&weights.down),
            heads: config.heads,
            remembered: None,
        }
    }

    fn forward(&mut self, hidden: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        let hidden = (hidden + self.attend(&self.attention_norm.forward(hidden)?, mask)?)?;
        let inside = self.up.forward(&self.mlp_norm.forward(&hidden)?)?.gelu()?;
        &hidden + self.down.forward(&inside)?
    }

    fn attend(&mut self, normal: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        let (batch, n, width) = normal.dims3()?;
        let qkv = self.qkv.forward(normal)?;
        let part = |index: usize| {
            let part = qkv.narrow(D::Minus1, index * width, width)?;
            part.reshape((batch, n, self.heads, width / self.heads))?.transpose(1, 2)?.contiguous()
        };
        let (query, mut keys, mut values) = (part(0)?, part(1)?, part(2)?);
        if let Some((before, before_values)) = &self.remembered {
            keys = Tensor::cat(&[before, &keys], 2)?;
            values = Tensor::cat(&[before_values, &values], 2)?;
        }
        self.remembered = Some((keys.clone(), values.clone()));
        let scale = 1.0 / ((width / self.heads) as f64).sqrt();
        let mut scores = (query.matmul(&keys.t()?)? * scale)?;
        if let Some(mask) = mask {
            scores = scores.broadcast_add(mask)?;
        }
        let found = softmax_last_dim(&scores)?.matmul(&values)?;
        self.proj.forward(&found.transpose(1, 2)?.reshape((batch, n, width))?)
    }
}

fn norm(norm: &Norm) -> LayerNorm {
    LayerNorm::new(norm.gain.clone(), norm.bias.clone(), EPSILON)
}

/// What is added to scores: nothing for positions that may be looked at.
fn mask(n: usize, seen: usize) -> Result<Tensor> {
    let values: Vec<f32> = (0..n)
        .flat_map(|row| (0..seen + n).map(move |at| if at <= seen + row { 0.0 } else { f32::NEG_INFINITY }))
        .collect();
    Tensor::from_vec(values, (n, seen + n), &Device::Cpu)?.to_dtype(DType::F32)
}
