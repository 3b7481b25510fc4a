//! The model: embeddings, layers and logits.

use super::layer::{self, Layer};
use super::linear::Matrix;
use super::norm::LayerNorm;
use super::{Config, Session, bytes_of};
use crate::{Error, Random};

/// How far the weights spread; the value GPT-2 starts from.
const DEVIATION: f32 = 0.02;

/// A model with its weights.
#[derive(Debug)]
pub struct Model {
    config: Config,
    /// From the model's width to a score for each token; its transposed rows are the embeddings of the tokens.
    tokens: Matrix,
    positions: Vec<f32>,
    layers: Vec<Layer>,
    norm: LayerNorm,
    site: &'static calor::Site,
}

impl Model {
    /// A model with random weights.
    ///
    /// # Errors
    /// When the sizes do not fit together.
    pub fn new(config: Config, seed: u64) -> Result<Self, Error> {
        config.check()?;
        Ok(Self::with_site(config, seed, calor::site!("inference")))
    }

    /// A model of checked sizes whose inferences are scopes of the given site.
    pub(super) fn with_site(config: Config, seed: u64, site: &'static calor::Site) -> Self {
        calor::scope!("random weights", bytes = bytes_of(config.parameters()));
        let random = &mut Random::new(seed);
        Self {
            config,
            tokens: Matrix::random(config.width, config.vocabulary, DEVIATION, random),
            positions: (0..config.context * config.width).map(|_| random.normal(DEVIATION)).collect(),
            layers: (0..config.layers).map(|_| Layer::random(&config, DEVIATION, random)).collect(),
            norm: LayerNorm::random(config.width, DEVIATION, random),
            site,
        }
    }

    /// Its sizes.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How many weights it holds.
    #[must_use]
    pub fn parameters(&self) -> usize {
        let layers = self.layers.iter().map(Layer::parameters).sum::<usize>();
        self.tokens.parameters() + self.positions.len() + layers + self.norm.parameters()
    }

    /// The state of a new sequence.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(&self.config)
    }

    pub(super) fn site(&self) -> &'static calor::Site {
        self.site
    }

    /// Passes the next tokens of a sequence through all layers and remembers what later tokens will look at.
    ///
    /// # Errors
    /// When a token is unknown or the context is full; the sequence is then as it was.
    pub fn forward(&self, tokens: &[u32], session: &mut Session) -> Result<(), Error> {
        let Config { width, context, vocabulary, .. } = self.config;
        let (past, rows) = (session.seen, tokens.len());
        if past + rows > context {
            return Err(Error::ContextFull { asked: past + rows, context });
        }
        if let Some(&token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
            return Err(Error::UnknownToken { token, vocabulary });
        }
        if rows == 0 {
            return Ok(());
        }
        let (caches, mut room) = session.room(&self.config, rows);
        self.embed(tokens, past, room.hidden);
        for (layer, cache) in self.layers.iter().zip(caches) {
            layer.forward(&self.config, past, cache, &mut room);
        }
        room.last_row.copy_from_slice(&room.hidden[(rows - 1) * width..]);
        session.seen += rows;
        Ok(())
    }

    /// A score for each token to come next.
    pub fn logits<'a>(&self, session: &'a mut Session) -> &'a [f32] {
        calor::scope!("logits");
        let Session { last_row, narrow, logits, .. } = session;
        let row = &mut narrow[..self.config.width];
        layer::normalise(&self.norm, last_row, row);
        calor::scope!("matmul logits", flops = self.tokens.flops(1), bytes = self.tokens.bytes(1));
        self.tokens.multiply(row, logits);
        logits
    }

    fn embed(&self, tokens: &[u32], past: usize, hidden: &mut [f32]) {
        let width = self.config.width;
        calor::scope!("embedding", flops = hidden.len() as u64, bytes = bytes_of(3 * hidden.len()));
        let positions = self.positions[past * width..].chunks_exact(width);
        for ((row, &token), position) in hidden.chunks_exact_mut(width).zip(tokens).zip(positions) {
            self.tokens.copy_output(token as usize, row);
            for (value, position) in row.iter_mut().zip(position) {
                *value += position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Config = Config { width: 24, layers: 2, heads: 3, context: 10, vocabulary: 50 };

    fn tokens(model: &Model, n: usize) -> Vec<u32> {
        let mut random = Random::new(9);
        (0..n).map(|_| random.below(model.config().vocabulary as u32)).collect()
    }

    fn logits(model: &Model, parts: &[&[u32]]) -> Vec<f32> {
        let mut session = model.session();
        for part in parts {
            model.forward(part, &mut session).expect("the sequence fits the model");
        }
        model.logits(&mut session).to_vec()
    }

    fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn a_token_written_with_the_cache_equals_one_computed_from_the_start() {
        let models = [Model::new(TINY, 1).expect("the sizes fit"), super::super::Preset::Small.model(2)];
        for model in &models {
            let tokens = tokens(model, TINY.context);
            let mut session = model.session();
            model.forward(&tokens[..3], &mut session).expect("the sequence fits the model");
            for seen in 4..=tokens.len() {
                model.forward(&tokens[seen - 1..seen], &mut session).expect("the sequence fits the model");
                let whole = logits(model, &[&tokens[..seen]]);
                let difference = largest_difference(model.logits(&mut session), &whole);
                assert!(difference < 1e-4, "{seen}: {difference}");
                // The comparison means something: another first token is seen by the last one.
                let mut other = tokens[..seen].to_vec();
                other[0] = (other[0] + 1) % 50;
                assert!(largest_difference(&logits(model, &[&other]), &whole) > 1e-4);
            }
        }
    }

    #[test]
    fn a_session_that_was_cleared_is_as_good_as_new() {
        let model = Model::new(TINY, 3).expect("the sizes fit");
        let tokens = tokens(&model, 6);
        let mut session = model.session();
        model.forward(&tokens, &mut session).expect("the sequence fits the model");
        session.clear();
        model.forward(&tokens[2..5], &mut session).expect("the sequence fits the model");
        assert_eq!(session.seen(), 3);
        assert_eq!(model.logits(&mut session), logits(&model, &[&tokens[2..5]]));
    }

    #[test]
    fn the_seed_decides_the_weights() {
        let of_seed = |seed| logits(&Model::new(TINY, seed).expect("the sizes fit"), &[&[1, 2, 3]]);
        assert_eq!(of_seed(1), of_seed(1));
        assert!(largest_difference(&of_seed(1), &of_seed(2)) > 1e-4);
    }

    #[test]
    fn tokens_that_do_not_fit_are_refused_and_leave_the_sequence_as_it_was() {
        let model = Model::new(TINY, 4).expect("the sizes fit");
        let mut session = model.session();
        model.forward(&[1; 8], &mut session).expect("the sequence fits the model");
        let error = model.forward(&[1; 3], &mut session).expect_err("there is room for two");
        assert!(error.to_string().contains("11 positions were asked for, and the model has 10"), "{error}");
        let error = model.forward(&[0, 50], &mut session).expect_err("tokens end at 49");
        assert!(error.to_string().contains("no such token: 50; the model knows 0 to 49"), "{error}");
        assert_eq!(session.seen(), 8);
    }
}
