//! The model against its definition: the same weights, in plain loops over numbers of 64 bits, without a cache.

use std::collections::HashMap;

use calor_workloads::model::{Config, Model, Preset, Weights};

struct Reference {
    config: Config,
    weights: HashMap<String, Vec<f64>>,
}

impl Reference {
    fn new(config: Config, weights: &Weights) -> Self {
        let numbers = |tensor: &candle_core::Tensor| -> Vec<f64> {
            let flat: Vec<f32> =
                tensor.flatten_all().and_then(|t| t.to_vec1()).expect("floats on the processor");
            flat.into_iter().map(f64::from).collect()
        };
        let weights = weights.named().into_iter().map(|(name, tensor)| (name, numbers(tensor))).collect();
        Self { config, weights }
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let (gain, bias) = (&self.weights[&format!("{name}.weight")], &self.weights[&format!("{name}.bias")]);
        x.iter()
            .zip(gain.iter().zip(bias))
            .map(|(x, (g, b))| (x - mean) / (variance + 1e-5).sqrt() * g + b)
            .collect()
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (matrix, bias) =
            (&self.weights[&format!("{name}.weight")], &self.weights[&format!("{name}.bias")]);
        matrix.chunks_exact(x.len()).zip(bias).map(|(row, bias)| dot(row, x) + bias).collect()
    }

    /// The scores after the last of the tokens.
    fn logits(&self, tokens: &[u32]) -> Vec<f64> {
        let Config { width, layers, heads, .. } = self.config;
        let row = |name: &str, index: usize| &self.weights[name][index * width..][..width];
        let mut hidden: Vec<Vec<f64>> = tokens
            .iter()
            .enumerate()
            .map(|(at, token)| sum(row("wte.weight", *token as usize), row("wpe.weight", at)))
            .collect();
        for layer in 0..layers {
            let of = |part: &str| format!("h.{layer}.{part}");
            let qkv: Vec<Vec<f64>> =
                hidden.iter().map(|x| self.linear(&of("attn.c_attn"), &self.norm(&of("ln_1"), x))).collect();
            for (at, hidden) in hidden.iter_mut().enumerate() {
                let head_width = width / heads;
                let part = |position: usize, which: usize, head: usize| {
                    &qkv[position][which * width + head * head_width..][..head_width]
                };
                let mut found = vec![0.0; width];
                for head in 0..heads {
                    let fit = |seen| dot(part(at, 0, head), part(seen, 1, head)) / (head_width as f64).sqrt();
                    let shares: Vec<f64> = (0..=at).map(|seen| fit(seen).exp()).collect();
                    let whole: f64 = shares.iter().sum();
                    for (seen, share) in shares.iter().enumerate() {
                        let out = &mut found[head * head_width..][..head_width];
                        out.iter_mut()
                            .zip(part(seen, 2, head))
                            .for_each(|(out, value)| *out += share / whole * value);
                    }
                }
                *hidden = sum(hidden, &self.linear(&of("attn.c_proj"), &found));
                let mut wide = self.linear(&of("mlp.c_fc"), &self.norm(&of("ln_2"), hidden));
                wide.iter_mut().for_each(|x| *x = gelu(*x));
                *hidden = sum(hidden, &self.linear(&of("mlp.c_proj"), &wide));
            }
        }
        let last = self.norm("ln_f", hidden.last().expect("there are tokens"));
        self.weights["wte.weight"].chunks_exact(width).map(|row| dot(row, &last)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)).tanh())
}

fn check(config: Config, tokens: &[u32]) {
    let weights = Weights::seeded(&config, 7).expect("the sizes fit");
    let expected = Reference::new(config, &weights).logits(tokens);
    let model = Model::new("checked", config, weights).expect("they are its own");
    let mut session = model.session().expect("there is memory");
    // A prompt in one go, and then one by one.
    let (prompt, rest) = tokens.split_at(tokens.len() / 2);
    model.forward(prompt, &mut session).expect("it fits");
    rest.iter().for_each(|token| model.forward(&[*token], &mut session).expect("it fits"));
    let found = model.logits(&mut session).expect("the processor does not fail");
    assert_eq!(found.len(), expected.len());
    for (token, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(*found) - expected).abs() < 1e-4, "token {token}: {found} {expected}");
    }
}

#[test]
fn scores_follow_the_definition_of_the_model() {
    check(
        Config { width: 20, layers: 3, heads: 5, context: 12, vocabulary: 33 },
        &[1, 32, 5, 5, 0, 17, 2, 9, 30],
    );
    check(Preset::Small.config(), &[3, 141, 59, 265, 358, 97, 9]);
}
