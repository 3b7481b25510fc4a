//! The model: embeddings, layers and logits.

use candle_core::Device;

use super::layer::{self, Pass};
use super::operation::{Embed, Score, Span, with_floats};
use super::session::MOST_ROWS;
use super::workers::Workers;
use super::{Config, Preset, Session, Weights, bytes_of, plain};
use crate::Error;

/// A model with its weights.
#[derive(Debug)]
pub struct Model {
    name: String,
    config: Config,
    weights: Weights,
    device: Device,
    workers: Workers,
    /// Opens one call for each inference; its labels tell what the model is.
    site: &'static calor::Site,
    /// One for all layers, or one for each.
    layers: Vec<&'static calor::Site>,
    is_plain: bool,
}

impl Model {
    /// A model of these sizes, on the processor and on one thread. Its inferences are calls of the scope `NAME model`, whose
    /// labels are its name, sizes and parameters.
    ///
    /// # Errors
    /// When the sizes do not fit together, or the weights are of another model.
    pub fn new(name: &str, config: Config, weights: Weights) -> Result<Self, Error> {
        config.check()?;
        let (found, expected) = (weights.parameters(), config.parameters());
        if found != expected {
            let problem = format!("there are {found} weights, and the sizes say {expected}");
            return Err(Error::Shape { problem });
        }
        let site = site(name, &format!("{name} model"), &config);
        let layers = vec![calor::site!("layer"); config.layers];
        let workers = Workers::new(1)?;
        let name = name.to_owned();
        Ok(Self { name, config, weights, device: Device::Cpu, workers, site, layers, is_plain: false })
    }

    /// A model that comes along, with weights made from a seed.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn of_preset(preset: Preset, seed: u64) -> Result<Self, Error> {
        Self::new(preset.name(), preset.config(), Weights::seeded(&preset.config(), seed)?)
    }

    /// The same with inferences that are calls of a scope of this name. Profiles of one model each are compared scope by scope where
    /// the scopes of their inferences have one name; which model it is, the labels tell.
    #[must_use]
    pub fn in_scope(self, scope: &str) -> Self {
        Self { site: site(&self.name, scope, &self.config), ..self }
    }

    /// The same on several threads, which share the matrices of one inference.
    ///
    /// # Errors
    /// When they cannot be started.
    pub fn with_threads(self, threads: usize) -> Result<Self, Error> {
        Ok(Self { workers: Workers::new(threads)?, ..self })
    }

    /// The same with a scope for each layer, `layer 0` and so on, instead of one for all.
    #[must_use]
    pub fn with_layer_detail(self) -> Self {
        let site =
            |index| calor::Site::made(&format!("layer {index}"), module_path!(), file!(), line!(), &[]);
        Self { layers: (0..self.config.layers).map(site).collect(), ..self }
    }

    /// The same on another device, in candle's own operations.
    ///
    /// # Errors
    /// When the device has no room for the weights.
    pub fn on_device(self, device: &Device) -> Result<Self, Error> {
        Ok(Self {
            weights: self.weights.on_device(device)?,
            device: device.clone(),
            is_plain: !device.is_cpu(),
            ..self
        })
    }

    /// The same in candle's own operations, whatever the device.
    #[must_use]
    pub fn in_plain_operations(self) -> Self {
        Self { is_plain: true, ..self }
    }

    /// Its sizes.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What it learnt.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Where it runs.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether the thread that runs an inference does all of it.
    pub(super) fn is_on_one_thread(&self) -> bool {
        self.device.is_cpu() && self.workers.threads() == 1
    }

    /// The scope of its inferences.
    #[must_use]
    pub fn site(&self) -> &'static calor::Site {
        self.site
    }

    /// The state of a new sequence.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn session(&self) -> Result<Session, Error> {
        Session::new(&self.config, &self.device)
    }

    /// Passes the next tokens of a sequence through all layers and remembers what later tokens will look at.
    ///
    /// # Errors
    /// When a token is unknown or the context is full; the sequence is then as it was.
    pub fn forward(&self, tokens: &[u32], session: &mut Session) -> Result<(), Error> {
        let Config { context, vocabulary, .. } = self.config;
        let asked = session.seen + tokens.len();
        if asked > context {
            return Err(Error::ContextFull { asked, context });
        }
        if let Some(&token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
            return Err(Error::UnknownToken { token, vocabulary });
        }
        let before = session.seen;
        for tokens in tokens.chunks(MOST_ROWS) {
            let outcome = if self.is_plain {
                plain::forward(self, tokens, session)
            } else {
                self.pass(tokens, session)
            };
            if let Err(error) = outcome {
                session.seen = before;
                return Err(error);
            }
            session.seen += tokens.len();
        }
        Ok(())
    }

    /// A score for each token to come next.
    ///
    /// # Errors
    /// When the device fails.
    pub fn logits<'a>(&self, session: &'a mut Session) -> Result<&'a mut [f32], Error> {
        if self.is_plain {
            plain::logits(self, session)?;
            return Ok(&mut session.logits);
        }
        let Session { room, logits, .. } = session;
        let Config { width, vocabulary, .. } = self.config;
        layer::normalise(&self.weights.norm, room, room.last, 1, width)?;
        let n = vocabulary * width;
        calor::scope!(
            "head",
            flops = 2 * n as u64,
            bytes = bytes_of(n + width + vocabulary),
            backend = layer::backend(1)
        );
        room.logits.inplace_op3(&room.narrow, &self.weights.tokens, &Score { workers: &self.workers })?;
        with_floats(&room.logits, |scored| logits.copy_from_slice(scored))?;
        Ok(logits)
    }

    fn pass(&self, tokens: &[u32], session: &mut Session) -> Result<(), Error> {
        let Session { seen: past, room, caches, .. } = session;
        let (past, rows, width) = (*past, tokens.len(), self.config.width);
        {
            calor::scope!("embed", flops = (rows * width) as u64, bytes = bytes_of(3 * rows * width));
            let embed = Embed { tokens, past, width };
            room.hidden.inplace_op3(&self.weights.tokens, &self.weights.positions, &embed)?;
        }
        let pass = Pass { span: Span { config: &self.config, past, rows }, workers: &self.workers };
        for (index, (layer, cache)) in self.weights.layers.iter().zip(&*caches).enumerate() {
            let _scope = self.layer_scope(index);
            pass.layer(layer, cache, room)?;
        }
        room.last = rows - 1;
        Ok(())
    }

    pub(super) fn layer_scope(&self, index: usize) -> calor::Scope {
        calor::Scope::enter(self.layers[index])
    }
}

/// A scope whose labels tell what the model is.
fn site(name: &str, scope: &str, config: &Config) -> &'static calor::Site {
    let sizes = [
        ("parameters", config.parameters()),
        ("width", config.width),
        ("layers", config.layers),
        ("heads", config.heads),
        ("context", config.context),
        ("vocabulary", config.vocabulary),
    ]
    .map(|(key, size)| (key, size.to_string()));
    let mut labels = vec![("model", name)];
    labels.extend(sizes.iter().map(|(key, size)| (*key, size.as_str())));
    calor::Site::made(scope, module_path!(), file!(), line!(), &labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Config = Config { width: 24, layers: 2, heads: 3, context: 10, vocabulary: 50 };

    fn model(seed: u64) -> Model {
        Model::new("tiny", TINY, Weights::seeded(&TINY, seed).expect("the sizes fit"))
            .expect("they are its own")
    }

    /// The logits after tokens that are given in pieces.
    fn logits(model: &Model, pieces: &[&[u32]]) -> Vec<f32> {
        let mut session = model.session().expect("there is memory");
        for piece in pieces {
            model.forward(piece, &mut session).expect("the sequence fits the model");
        }
        model.logits(&mut session).expect("the processor does not fail").to_vec()
    }

    fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn a_sequence_gives_the_same_scores_in_one_go_and_token_by_token_on_one_thread_and_on_two() {
        let tokens = [3, 1, 4, 1, 5, 9, 2];
        let model = model(2);
        let whole = logits(&model, &[&tokens]);
        let single: Vec<&[u32]> = tokens.chunks(1).collect();
        assert!(largest_difference(&whole, &logits(&model, &single)) < 1e-5);
        assert!(largest_difference(&whole, &logits(&model, &[&tokens[..3], &tokens[3..]])) < 1e-5);
        let model = model.with_threads(2).expect("a thread can be started");
        assert!(largest_difference(&whole, &logits(&model, &single)) < 1e-5);
    }

    #[test]
    fn our_operations_and_those_of_candle_agree() {
        let tokens = [7, 0, 49, 7, 30];
        let ours = logits(&model(3), &[&tokens[..4], &tokens[4..]]);
        let theirs = logits(&model(3).in_plain_operations(), &[&tokens[..4], &tokens[4..]]);
        assert!(largest_difference(&ours, &theirs) < 1e-4);
        assert!(largest_difference(&ours, &logits(&model(3), &[&[7, 0, 49, 7, 31]])) > 1e-4, "tokens matter");
    }

    #[test]
    fn a_session_begins_anew_and_a_prompt_may_be_longer_than_one_piece() {
        let config = Config { context: 3 * MOST_ROWS, ..TINY };
        let model =
            Model::new("long", config, Weights::seeded(&config, 1).expect("the sizes fit")).expect("its own");
        let tokens: Vec<u32> = (0..2 * MOST_ROWS as u32 + 5).map(|n| n * 7 % 50).collect();
        let whole = logits(&model, &[&tokens]);
        let plain = logits(&model.in_plain_operations(), &[&tokens]);
        assert!(largest_difference(&whole, &plain) < 1e-4);
        let model = self::model(1);
        let mut session = model.session().expect("there is memory");
        model.forward(&[1, 2, 3], &mut session).expect("it fits");
        session.clear();
        model.forward(&[4, 5], &mut session).expect("it fits");
        let again = model.logits(&mut session).expect("the processor does not fail").to_vec();
        assert_eq!(again, logits(&model, &[&[4, 5]]));
    }

    #[test]
    fn tokens_that_do_not_fit_are_refused_and_leave_the_sequence_as_it_was() {
        let model = model(4);
        let mut session = model.session().expect("there is memory");
        model.forward(&[1; 8], &mut session).expect("the sequence fits the model");
        let error = model.forward(&[1; 3], &mut session).expect_err("there is room for two");
        assert!(error.to_string().contains("11 positions were asked for, and the model has 10"), "{error}");
        let error = model.forward(&[0, 50], &mut session).expect_err("tokens end at 49");
        assert!(error.to_string().contains("no such token: 50; the model knows 0 to 49"), "{error}");
        assert_eq!(session.seen(), 8);
    }

    #[test]
    fn weights_of_another_model_are_refused() {
        let weights = Weights::seeded(&TINY, 1).expect("the sizes fit");
        let error =
            Model::new("other", Config { layers: 3, ..TINY }, weights).expect_err("a layer is missing");
        assert!(error.to_string().contains("the sizes say"), "{error}");
    }
}
