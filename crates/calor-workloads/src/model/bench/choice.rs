//! What to run, and what is refused.

use std::path::PathBuf;

use candle_core::Device;

use super::super::{Config, Model, Preset, Weights};
use super::Roof;
use crate::{Error, Watch, threads};
use calor_host::Room;

/// A run of more would not end while somebody waits.
pub const MOST_INFERENCES: u32 = 10_000;
/// Inferences unless told otherwise.
pub const INFERENCES: u32 = 3;
/// The same of an enhanced run, in ten rounds of twenty: some seconds of work, of which a moment that the machine was busy
/// elsewhere is little.
const ENHANCED_INFERENCES: u32 = 200;
/// Rounds at most: enough for an interval that is not much wider than with more.
const MOST_ROUNDS: u32 = 10;
/// What an inference writes unless told otherwise, where the context has room for it.
const TOKENS: usize = 50;
/// The same of a quick run, whose prompts are no longer than that either.
const QUICK_TOKENS: usize = 16;
/// A part of what a model needs, which the rest of the process may need beside it.
const MARGIN: u64 = 32;

/// What to run.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The models, one after the other.
    pub sizes: Vec<Size>,
    /// Inferences with each.
    pub inferences: u32,
    /// Whether they are done in rounds, by which a run knows how far it differs from itself.
    pub is_in_rounds: bool,
    /// Tokens that each inference writes; 50, or what the context has room for.
    pub tokens: Option<u32>,
    /// Tokens that it begins with; a quarter of the context, or what is left of it.
    pub prompt: Option<u32>,
    /// Threads that share the matrices of one inference.
    pub threads: u32,
    /// Decides weights, prompts and samples.
    pub seed: u64,
    /// Whether what was not told otherwise is shorter: 16 tokens after at most 16.
    pub is_quick: bool,
    /// Whether each layer has a scope of its own.
    pub has_layer_detail: bool,
    /// Where to run.
    pub place: Place,
    /// What the machine can do, where that is known.
    pub roof: Option<Roof>,
}

/// Where a model runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Place {
    /// On the processor.
    #[default]
    Cpu,
    /// On the first graphics processor of NVIDIA, in candle's own operations; in builds with the feature `cuda`.
    Cuda,
}

impl Place {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }

    /// Whether this build can run there.
    #[must_use]
    pub fn is_built_in(self) -> bool {
        self == Self::Cpu || cfg!(feature = "cuda")
    }

    pub(super) fn device(self) -> Result<Device, Error> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            Self::Cuda => Device::new_cuda(0).map_err(|cause| {
                Error::Failed(format!(
                    "no graphics processor can be used ({cause}): see `nvidia-smi`, or run on the processor with cpu"
                ))
            }),
        }
    }
}

/// A model to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// One that comes along.
    Preset(Preset),
    /// One of these sizes.
    Custom(Config),
    /// One whose weights are in a file of safetensors, with its number of heads where that is not as in GPT-2.
    File(PathBuf, Option<usize>),
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            sizes: Preset::BOTH.map(Size::Preset).to_vec(),
            inferences: INFERENCES,
            is_in_rounds: false,
            tokens: None,
            prompt: None,
            threads: 1,
            seed: 1,
            is_quick: false,
            has_layer_detail: false,
            place: Place::Cpu,
            roof: None,
        }
    }
}

impl Choice {
    /// Both models, and so many inferences with each that two runs can be told apart by little.
    #[must_use]
    pub fn enhanced() -> Self {
        Self { inferences: ENHANCED_INFERENCES, is_in_rounds: true, ..Self::default() }
    }

    /// So many rounds of as many inferences each; one where inferences cannot be shared out so.
    #[must_use]
    pub fn n_rounds(&self) -> u32 {
        let fits = |rounds: &u32| self.inferences.is_multiple_of(*rounds);
        if self.is_in_rounds { (1..=MOST_ROUNDS).rev().find(fits).unwrap_or(1) } else { 1 }
    }

    /// Refuses what cannot be run, with what can be.
    ///
    /// # Errors
    /// With the allowed values.
    pub fn check(&self) -> Result<(), Error> {
        if self.sizes.is_empty() {
            return Err(refused("size", "none", "small, medium, large, gpt2 or custom"));
        }
        let twice = self.sizes.iter().enumerate().find(|(at, size)| self.sizes[..*at].contains(size));
        if let Some((_, size)) = twice {
            return Err(Error::Twice { what: "size", given: size.name() });
        }
        if !self.place.is_built_in() {
            let allowed = "cpu; cuda needs a build with the feature: cargo build --release --features cuda";
            return Err(refused("device in this build", self.place.name(), allowed));
        }
        within("number of inferences", self.inferences, MOST_INFERENCES as usize)?;
        // On a graphics processor they change nothing.
        if self.place == Place::Cpu {
            threads::check(self.threads as usize)?;
        }
        for size in &self.sizes {
            // Of a file the sizes are known once it is read.
            if let Some(config) = size.config() {
                config.check()?;
                self.lengths(&config)?;
            }
        }
        self.check_room(calor_host::room())
    }

    /// Refuses what there is no memory for: the kernel would end us in the middle of it, and not tell why.
    fn check_room(&self, room: Option<Room>) -> Result<(), Error> {
        let Some(room) = room else { return Ok(()) };
        for size in &self.sizes {
            let needed = size.needed_bytes()?;
            // What allocators, threads and the recorder take beside it.
            if needed.saturating_add(needed / MARGIN) > room.bytes {
                let instead = match size {
                    Size::Preset(_) => "choose a smaller one with --size",
                    Size::Custom(_) => {
                        "choose a smaller --width, fewer --layers, or less --context and --vocabulary"
                    }
                    Size::File(..) => "give the weights of a smaller model",
                };
                let what = format!("the {} model", size.name());
                return Err(Error::Memory { what, needed, room, instead });
            }
        }
        Ok(())
    }

    /// How many tokens an inference of a model of these sizes begins with, and how many it writes.
    ///
    /// # Errors
    /// When they do not fit its context.
    pub fn lengths(&self, config: &Config) -> Result<(usize, usize), Error> {
        let context = config.context;
        // The last token that is written needs no room.
        let least_prompt = self.prompt.map_or(1, |prompt| prompt as usize);
        if let Some(prompt) = self.prompt {
            within("length of the prompt", prompt, context)?;
        }
        let room = context + 1 - least_prompt;
        let tokens = match self.tokens {
            None => if self.is_quick { QUICK_TOKENS } else { TOKENS }.min(room),
            Some(tokens) => {
                let what = if self.prompt.is_some() {
                    "number of tokens after that prompt"
                } else {
                    "number of tokens"
                };
                within(what, tokens, room).map_err(|error| wider(error, config))?
            }
        };
        let usual = if self.is_quick { QUICK_TOKENS.min(context / 4) } else { context / 4 };
        let prompt = self.prompt.map_or(usual.clamp(1, context + 1 - tokens), |prompt| prompt as usize);
        Ok((prompt, tokens))
    }
}

impl Size {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Preset(preset) => preset.name().to_owned(),
            Self::Custom(_) => "custom".to_owned(),
            Self::File(path, _) => {
                path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    fn config(&self) -> Option<Config> {
        match self {
            Self::Preset(preset) => Some(preset.config()),
            Self::Custom(config) => Some(*config),
            Self::File(..) => None,
        }
    }

    /// What making it and running it takes at most, about.
    fn needed_bytes(&self) -> Result<u64, Error> {
        match self {
            // The file as it is, and its weights with 32 bits each.
            Self::File(path, _) => Weights::needed_bytes(path),
            // The weights, the largest of them a second time while all are put into one piece, and two sequences: one that is
            // measured, and one that checks it.
            Self::Preset(_) | Self::Custom(_) => Ok(self.config().map_or(0, |config| {
                let largest = config.vocabulary.max(config.mlp_width()).saturating_mul(config.width);
                let weights = config.weight_bytes().saturating_add(4 * largest as u64);
                weights.saturating_add(2 * config.session_bytes())
            })),
        }
    }

    pub(super) fn model(&self, seed: u64, watch: &dyn Watch) -> Result<Model, Error> {
        let (config, weights) = match self {
            Self::Preset(preset) => {
                (preset.config(), Weights::seeded_watched(&preset.config(), seed, watch)?)
            }
            Self::Custom(config) => (*config, Weights::seeded_watched(config, seed, watch)?),
            Self::File(path, heads) => Weights::read_watched(path, *heads, watch)?,
        };
        Model::new(&self.name(), config, weights)
    }
}

fn within(what: &'static str, given: u32, most: usize) -> Result<usize, Error> {
    let given = given as usize;
    if (1..=most).contains(&given) {
        return Ok(given);
    }
    Err(refused(what, &given.to_string(), &format!("1 to {most}")))
}

fn refused(what: &'static str, given: &str, allowed: &str) -> Error {
    Error::Choice { what, given: given.to_owned(), allowed: allowed.to_owned() }
}

/// Says which model has the context that a number of tokens needs.
fn wider(error: Error, config: &Config) -> Error {
    match error {
        Error::Choice { what, given, allowed } => {
            let context = config.context;
            let allowed = format!("{allowed} with a context of {context}; larger sizes have a longer one");
            Error::Choice { what, given, allowed }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(tokens: Option<u32>, prompt: Option<u32>) -> Result<(usize, usize), Error> {
        Choice { tokens, prompt, ..Choice::default() }.lengths(&Preset::Small.config())
    }

    #[test]
    fn prompts_and_tokens_share_the_context() {
        assert_eq!(lengths(None, None).expect("it fits"), (15, 50));
        assert_eq!(lengths(Some(10), None).expect("it fits"), (16, 10));
        assert_eq!(lengths(Some(64), None).expect("it fits"), (1, 64));
        assert_eq!(lengths(None, Some(60)).expect("it fits"), (60, 5));
        for (tokens, prompt, allowed) in [
            (Some(65), None, "1 to 64"),
            (Some(0), None, "1 to 64"),
            (Some(6), Some(60), "1 to 5"),
            (None, Some(65), "1 to 64"),
        ] {
            let message = lengths(tokens, prompt).expect_err("it does not fit").to_string();
            assert!(message.contains(allowed), "{message}");
        }
    }

    #[test]
    fn a_quick_run_is_shorter_unless_told_otherwise() {
        let quick = Choice { is_quick: true, ..Choice::default() };
        for (preset, usual) in [(Preset::Small, (15, 50)), (Preset::Gpt2, (256, 50))] {
            assert_eq!(Choice::default().lengths(&preset.config()).expect("it fits"), usual);
            assert_eq!(quick.lengths(&preset.config()).expect("it fits"), (16, 16));
        }
        let told = Choice { tokens: Some(40), prompt: Some(20), ..quick };
        assert_eq!(told.lengths(&Preset::Small.config()).expect("it fits"), (20, 40));
    }

    #[test]
    fn rounds_have_as_many_inferences_each() {
        for (inferences, expected) in [(200, 10), (40, 10), (9, 9), (14, 7), (13, 1), (3, 3), (1, 1)] {
            let choice = Choice { inferences, ..Choice::enhanced() };
            assert_eq!(choice.n_rounds(), expected, "{inferences}");
            assert_eq!(Choice { inferences, ..Choice::default() }.n_rounds(), 1);
        }
        assert_eq!(Choice::enhanced().inferences, 200);
    }

    #[test]
    fn what_is_refused_is_named_with_what_is_allowed() {
        let cases = [
            (
                Choice { inferences: 0, ..Choice::default() },
                "no such number of inferences: 0; expected 1 to 10000",
            ),
            (Choice { threads: 0, ..Choice::default() }, "no such number of threads: 0; expected 1"),
            (
                Choice { sizes: vec![Size::Preset(Preset::Small); 2], ..Choice::default() },
                "the size small is given twice: name each size once",
            ),
            (Choice { sizes: Vec::new(), ..Choice::default() }, "small, medium, large, gpt2 or custom"),
            (
                Choice {
                    sizes: vec![Size::Custom(Config { heads: 3, ..Preset::Small.config() })],
                    ..Choice::default()
                },
                "a width of 128 cannot be shared by 3 heads",
            ),
        ];
        for (choice, expected) in cases {
            let message = choice.check().expect_err("it is refused").to_string();
            assert!(message.contains(expected), "{message}");
        }
        assert!(Choice::default().check().is_ok());
    }

    #[test]
    fn a_model_that_is_larger_than_memory_is_refused_with_the_numbers_and_what_to_do() {
        use calor_host::Bound;
        let config = Config { width: 28_672, layers: 1, ..Preset::Small.config() };
        let choice = Choice { sizes: vec![Size::Custom(config)], ..Choice::default() };
        for (bound, cure) in [
            (Bound::Free, "end other programs"),
            (Bound::Group, "raise that limit"),
            (Bound::AddressSpace, "ulimit -v unlimited"),
        ] {
            let room = |bytes| Some(Room { bytes, bound });
            let message = choice.check_room(room(20 << 30)).expect_err("it does not fit").to_string();
            for part in ["the custom model needs 49.2 GiB", "20.0 GiB can be had", "--width", cure] {
                assert!(message.contains(part), "{part} is not in {message}");
            }
            assert!(choice.check_room(room(52 << 30)).is_ok());
        }
        assert!(choice.check_room(None).is_ok());
    }

    #[test]
    fn a_graphics_processor_is_refused_by_builds_without_it() {
        let refused = Choice { place: Place::Cuda, ..Choice::default() }.check();
        assert_eq!(refused.is_ok(), cfg!(feature = "cuda"));
        if let Err(error) = refused {
            assert!(error.to_string().contains("--features cuda"), "{error}");
        }
    }
}
