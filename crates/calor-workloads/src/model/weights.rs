//! What a model learnt, as tensors of candle: made from a seed, or read from a file. Matrices are outputs × inputs, so that
//! the weights that lead to one output lie in one piece; nothing is transposed while a model runs.

use calor_analysis::quantity;
use candle_core::{Device, Tensor};

use super::Config;
use crate::{Error, Random, Unwatched, Watch};

/// The weights of a model. What belongs to which has the names of GPT-2.
#[derive(Clone, Debug)]
pub struct Weights {
    /// `wte`, vocabulary × width: embeddings of the tokens, and what they are scored by.
    pub tokens: Tensor,
    /// `wpe`, context × width.
    pub positions: Tensor,
    /// `h`.
    pub layers: Vec<LayerWeights>,
    /// `ln_f`.
    pub norm: Norm,
}

/// The weights of one layer.
#[derive(Clone, Debug)]
pub struct LayerWeights {
    /// `ln_1`.
    pub attention_norm: Norm,
    /// `attn.c_attn`: query, key and value side by side.
    pub qkv: Linear,
    /// `attn.c_proj`.
    pub proj: Linear,
    /// `ln_2`.
    pub mlp_norm: Norm,
    /// `mlp.c_fc`.
    pub up: Linear,
    /// `mlp.c_proj`.
    pub down: Linear,
}

/// A layer normalisation.
#[derive(Clone, Debug)]
pub struct Norm {
    /// What is multiplied.
    pub gain: Tensor,
    /// What is added.
    pub bias: Tensor,
}

/// A matrix of outputs × inputs and a bias.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The matrix.
    pub weight: Tensor,
    /// What is added.
    pub bias: Tensor,
}

/// A tensor that a model needs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Wanted {
    /// What GPT-2 calls it.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// As it is kept here.
    pub(super) shape: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Embedding,
    Gain,
    Bias,
    /// Kept as inputs × outputs by GPT-2.
    Matrix,
    /// The same, of what is added to the residual stream.
    ResidualMatrix,
}

/// How far seeded weights spread; the value GPT-2 starts from.
const DEVIATION: f32 = 0.02;
/// After so many numbers, which take some milliseconds, we look whether somebody asked for the end.
const LOOK: usize = 1 << 20;

impl Weights {
    /// Weights that look random and are the same for the same seed.
    ///
    /// # Errors
    /// When the sizes do not fit together.
    pub fn seeded(config: &Config, seed: u64) -> Result<Self, Error> {
        Self::seeded_watched(config, seed, &Unwatched)
    }

    /// The same while somebody waits, who may ask for the end.
    ///
    /// # Errors
    /// When the sizes do not fit together, there is no memory for them, or the end was asked for.
    pub fn seeded_watched(config: &Config, seed: u64, watch: &dyn Watch) -> Result<Self, Error> {
        config.check()?;
        calor::scope!("weights", bytes = config.weight_bytes());
        let mut n = 0;
        Self::collect(config, &mut |wanted| {
            // Each tensor has a stream of its own, and does not depend on those before it.
            n += 1;
            seeded(config, &wanted, &mut Random::new(Random::new(seed.wrapping_add(n)).bits()), watch)
        })?
        .packed(config)
    }

    /// How many numbers there are.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.named().iter().map(|(_, tensor)| tensor.elem_count()).sum()
    }

    /// All tensors, by the names that GPT-2 has for them.
    #[must_use]
    pub fn named(&self) -> Vec<(String, &Tensor)> {
        let mut all =
            vec![("wte.weight".to_owned(), &self.tokens), ("wpe.weight".to_owned(), &self.positions)];
        for (index, layer) in self.layers.iter().enumerate() {
            let parts = [
                ("ln_1", &layer.attention_norm.gain, &layer.attention_norm.bias),
                ("attn.c_attn", &layer.qkv.weight, &layer.qkv.bias),
                ("attn.c_proj", &layer.proj.weight, &layer.proj.bias),
                ("ln_2", &layer.mlp_norm.gain, &layer.mlp_norm.bias),
                ("mlp.c_fc", &layer.up.weight, &layer.up.bias),
                ("mlp.c_proj", &layer.down.weight, &layer.down.bias),
            ];
            for (part, weight, bias) in parts {
                all.push((format!("h.{index}.{part}.weight"), weight));
                all.push((format!("h.{index}.{part}.bias"), bias));
            }
        }
        all.push(("ln_f.weight".to_owned(), &self.norm.gain));
        all.push(("ln_f.bias".to_owned(), &self.norm.bias));
        all
    }

    /// The same on another device.
    ///
    /// # Errors
    /// When the device has no room for them.
    pub fn on_device(&self, device: &Device) -> Result<Self, Error> {
        // All of them are in one piece, which would be moved whole with each.
        let moved = |tensor: &Tensor| match tensor.device().same_device(device) {
            true => Ok::<_, Error>(tensor.clone()),
            false => Ok(tensor.force_contiguous()?.to_device(device)?),
        };
        let norm = |norm: &Norm| Ok::<_, Error>(Norm { gain: moved(&norm.gain)?, bias: moved(&norm.bias)? });
        let linear = |linear: &Linear| {
            Ok::<_, Error>(Linear { weight: moved(&linear.weight)?, bias: moved(&linear.bias)? })
        };
        let layer = |layer: &LayerWeights| {
            Ok::<_, Error>(LayerWeights {
                attention_norm: norm(&layer.attention_norm)?,
                qkv: linear(&layer.qkv)?,
                proj: linear(&layer.proj)?,
                mlp_norm: norm(&layer.mlp_norm)?,
                up: linear(&layer.up)?,
                down: linear(&layer.down)?,
            })
        };
        Ok(Self {
            tokens: moved(&self.tokens)?,
            positions: moved(&self.positions)?,
            layers: self.layers.iter().map(layer).collect::<Result<_, Error>>()?,
            norm: norm(&self.norm)?,
        })
    }

    /// Puts together what `get` gives for each tensor that a model of these sizes has.
    pub(super) fn collect(
        config: &Config,
        get: &mut dyn FnMut(Wanted) -> Result<Tensor, Error>,
    ) -> Result<Self, Error> {
        let (width, wide) = (config.width, config.mlp_width());
        let embedding = |get: &mut dyn FnMut(Wanted) -> _, name: &str, rows| {
            get(Wanted { name: format!("{name}.weight"), kind: Kind::Embedding, shape: vec![rows, width] })
        };
        Ok(Self {
            tokens: embedding(get, "wte", config.vocabulary)?,
            positions: embedding(get, "wpe", config.context)?,
            layers: (0..config.layers)
                .map(|index| {
                    let of = |part: &str| format!("h.{index}.{part}");
                    Ok(LayerWeights {
                        attention_norm: norm(get, &of("ln_1"), width)?,
                        qkv: linear(get, &of("attn.c_attn"), Kind::Matrix, [3 * width, width])?,
                        proj: linear(get, &of("attn.c_proj"), Kind::ResidualMatrix, [width, width])?,
                        mlp_norm: norm(get, &of("ln_2"), width)?,
                        up: linear(get, &of("mlp.c_fc"), Kind::Matrix, [wide, width])?,
                        down: linear(get, &of("mlp.c_proj"), Kind::ResidualMatrix, [width, wide])?,
                    })
                })
                .collect::<Result<_, Error>>()?,
            norm: norm(get, "ln_f", width)?,
        })
    }
}

fn norm(
    get: &mut dyn FnMut(Wanted) -> Result<Tensor, Error>,
    name: &str,
    width: usize,
) -> Result<Norm, Error> {
    let gain = get(Wanted { name: format!("{name}.weight"), kind: Kind::Gain, shape: vec![width] })?;
    Ok(Norm { gain, bias: bias(get, name, width)? })
}

fn linear(
    get: &mut dyn FnMut(Wanted) -> Result<Tensor, Error>,
    name: &str,
    kind: Kind,
    shape: [usize; 2],
) -> Result<Linear, Error> {
    let weight = get(Wanted { name: format!("{name}.weight"), kind, shape: shape.to_vec() })?;
    Ok(Linear { weight, bias: bias(get, name, shape[0])? })
}

fn bias(
    get: &mut dyn FnMut(Wanted) -> Result<Tensor, Error>,
    name: &str,
    width: usize,
) -> Result<Tensor, Error> {
    get(Wanted { name: format!("{name}.bias"), kind: Kind::Bias, shape: vec![width] })
}

fn seeded(config: &Config, wanted: &Wanted, random: &mut Random, watch: &dyn Watch) -> Result<Tensor, Error> {
    let deviation = match wanted.kind {
        // What is added to the residual stream is scaled down with depth, as in GPT-2, so that it does not grow.
        Kind::ResidualMatrix => DEVIATION / (2.0 * config.layers as f32).sqrt(),
        _ => DEVIATION,
    };
    let middle = if wanted.kind == Kind::Gain { 1.0 } else { 0.0 };
    let n = wanted.shape.iter().product::<usize>();
    // Even, not normal: of one spread, and a hundred million of them are made in a moment.
    let scale = deviation * 12.0_f32.sqrt() / (1 << 24) as f32;
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| {
        let (name, size) = (&wanted.name, quantity::bytes(super::bytes_of(n)));
        Error::Failed(format!("there is no memory for {name}, which takes {size}: choose a smaller model"))
    })?;
    while values.len() < n {
        // A tensor of a large model takes seconds.
        if values.len().is_multiple_of(LOOK) && watch.is_stopped() {
            return Err(Error::Stopped);
        }
        let bits = random.bits();
        for half in [bits >> 40, (bits >> 8) & 0xff_ffff] {
            if values.len() < n {
                values.push(middle + (half as f32 - (1 << 23) as f32) * scale);
            }
        }
    }
    Ok(Tensor::from_vec(values, wanted.shape.as_slice(), &Device::Cpu)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Config = Config { width: 12, layers: 2, heads: 3, context: 5, vocabulary: 40 };

    fn values(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().and_then(|flat| flat.to_vec1()).expect("floats on the processor")
    }

    #[test]
    fn the_seed_decides_the_weights_and_each_tensor_has_its_own() {
        let of = |seed| values(&Weights::seeded(&TINY, seed).expect("the sizes fit").tokens);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let weights = Weights::seeded(&TINY, 1).expect("the sizes fit");
        assert_ne!(values(&weights.layers[0].qkv.weight), values(&weights.layers[1].qkv.weight));
        assert_eq!(weights.parameters(), TINY.parameters());
    }

    #[test]
    fn the_making_of_weights_ends_when_that_is_asked_for() {
        struct Impatient;
        impl Watch for Impatient {
            fn at(&self, _: usize, _: usize, _: &str) {}
            fn is_stopped(&self) -> bool {
                true
            }
        }
        assert!(matches!(Weights::seeded_watched(&TINY, 1, &Impatient), Err(Error::Stopped)));
    }

    #[test]
    fn weights_spread_as_those_of_gpt_2_and_gains_lie_around_one() {
        let config = Config { width: 128, layers: 2, heads: 1, context: 4, vocabulary: 4 };
        let weights = Weights::seeded(&config, 3).expect("the sizes fit");
        let spread = |tensor: &Tensor, middle: f32| {
            let values = values(tensor);
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            assert!((mean - middle).abs() < 0.005, "{mean}");
            (values.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / values.len() as f32).sqrt()
        };
        assert!((spread(&weights.layers[0].up.weight, 0.0) - 0.02).abs() < 5e-4);
        assert!((spread(&weights.layers[0].down.weight, 0.0) - 0.01).abs() < 5e-4);
        assert!((spread(&weights.norm.gain, 1.0) - 0.02).abs() < 4e-3);
    }

    #[test]
    fn the_order_in_which_tensors_are_asked_for_is_that_of_their_names() {
        let mut asked = Vec::new();
        let weights = Weights::collect(&TINY, &mut |wanted| {
            let tensor = Tensor::zeros(wanted.shape.as_slice(), candle_core::DType::F32, &Device::Cpu)?;
            asked.push(wanted.name);
            Ok(tensor)
        });
        let weights = weights.expect("zeros are always there");
        let named: Vec<String> = weights.named().into_iter().map(|(name, _)| name).collect();
        assert_eq!(asked, named);
    }
}
