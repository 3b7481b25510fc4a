//! The crate `tokenizers`, which is the reference: read from a tokenizer.json, or trained on text of ours.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder};
use tokenizers::models::{ModelWrapper, TrainerWrapper};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{Encoding, Tokenizer};

use super::bpe::model_name;
use crate::{Error, input};

/// Words that the crate's cache has room for unless told otherwise (`DEFAULT_CACHE_CAPACITY` of 0.23).
pub const CRATE_CACHE: usize = 10_000;

/// Files beyond this are no tokenisers: the largest vocabularies that are published take 40 MB.
const LARGEST: u64 = 512 << 20;

const HINT: &str =
    "expected the tokenizer.json of a Hugging Face model, as it lies in the model's repository";

/// A tokeniser of the crate.
#[derive(Debug)]
pub struct Reference {
    tokenizer: Tokenizer,
    /// Where it is from, for the head of the page.
    pub origin: String,
    /// What was switched off in it, so that all of a text is encoded and nothing else.
    pub switched_off: Vec<&'static str>,
}

impl Reference {
    /// A byte-level BPE with so many tokens, trained on a text by the crate itself.
    ///
    /// # Errors
    /// When the crate cannot train.
    pub fn trained(text: &str, vocabulary: usize) -> Result<Self, Error> {
        let failed = |cause: tokenizers::Error| Error::Failed(format!("cannot train a vocabulary ({cause})"));
        let trainer = BpeTrainerBuilder::new()
            .vocab_size(vocabulary)
            .min_frequency(2)
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .show_progress(false)
            .build();
        let mut tokenizer = Tokenizer::new(BPE::default());
        tokenizer
            .with_pre_tokenizer(Some(ByteLevel::new(false, true, true)))
            .with_post_processor(Some(ByteLevel::new(false, true, true)))
            .with_decoder(Some(ByteLevel::new(false, true, true)));
        tokenizer
            .train(&mut TrainerWrapper::BpeTrainer(trainer), text.split_inclusive('\n'))
            .map_err(failed)?;
        Ok(Self { tokenizer, origin: "trained on generated text".to_owned(), switched_off: Vec::new() })
    }

    /// A tokeniser from a tokenizer.json.
    ///
    /// # Errors
    /// When there is no such file, or it is something else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let refused = |problem: String| Error::File { path: path.to_owned(), problem };
        let mut content = Vec::new();
        let instead = format!("{HINT}, or leave --model out to have one trained");
        input::open(path, &instead)?
            .take(LARGEST + 1)
            .read_to_end(&mut content)
            .map_err(|cause| input::unread(path, &cause, &instead))?;
        if content.len() as u64 > LARGEST {
            return Err(refused(format!(
                "it is larger than {} MiB, so it is no tokenizer.json",
                LARGEST >> 20
            )));
        }
        // What is no JSON, or lacks what every tokeniser has, is some other file: where its reader gave up does not help.
        let json: Result<Value, _> = serde_json::from_slice(&content);
        match &json {
            Err(cause) => {
                return Err(refused(format!(
                    "it is no JSON (line {}, column {}): {HINT}",
                    cause.line(),
                    cause.column()
                )));
            }
            Ok(json) if json.get("model").is_none() => {
                return Err(refused(format!("it is JSON and no tokeniser, which has a `model`: {HINT}")));
            }
            Ok(_) => {}
        }
        drop(json);
        // The crate takes some files that are not consistent for granted, and panics.
        let read = catch_unwind(AssertUnwindSafe(|| Tokenizer::from_bytes(&content)));
        let mut tokenizer = match read {
            Ok(Ok(tokenizer)) => tokenizer,
            Ok(Err(cause)) => {
                return Err(refused(format!("it is no tokeniser that is understood here ({cause}): {HINT}")));
            }
            Err(_) => return Err(refused(format!("it is no consistent tokeniser: {HINT}"))),
        };
        let mut switched_off = Vec::new();
        if tokenizer.get_truncation().is_some() {
            switched_off.push("truncation");
            tokenizer.with_truncation(None).map_err(|cause| refused(cause.to_string()))?;
        }
        if tokenizer.get_padding().is_some() {
            switched_off.push("padding");
            tokenizer.with_padding(None);
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { tokenizer, origin: name, switched_off })
    }

    /// The tokeniser itself.
    #[must_use]
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// What kind of model it has, such as `BPE`.
    #[must_use]
    pub fn model_name(&self) -> &'static str {
        model_name(self.tokenizer.get_model())
    }

    /// Tokens that it knows.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The ids of a text, without tokens that stand for its beginning and end.
    ///
    /// # Errors
    /// When the crate cannot encode it.
    pub fn encode(&self, text: &str) -> Result<Encoding, Error> {
        let failed = |cause| Error::Failed(format!("the tokeniser cannot encode this text ({cause})"));
        self.tokenizer.encode_fast(text, false).map_err(failed)
    }

    /// Whether the rule of its cache is known here: that of BPE is.
    #[must_use]
    pub fn has_word_cache(&self) -> bool {
        matches!(self.tokenizer.get_model(), ModelWrapper::BPE(model)
            if model.dropout.is_none_or(|dropout| dropout == 0.0))
    }

    /// The same tokeniser with room for so many words in its cache, which is empty. `None` where it has none of that kind.
    #[must_use]
    pub fn with_cache(&self, words: usize) -> Option<Tokenizer> {
        if !self.has_word_cache() {
            return None;
        }
        let mut model = self.tokenizer.get_model().clone();
        model.resize_cache(words);
        let mut tokenizer = self.tokenizer.clone();
        tokenizer.with_model(model);
        Some(tokenizer)
    }

    /// The first added token that a text has, such as `<|endoftext|>`.
    #[must_use]
    pub fn added_token_in(&self, text: &str) -> Option<String> {
        let mut tokens: Vec<String> =
            self.tokenizer.get_added_tokens_decoder().into_iter().map(|(_, token)| token.content).collect();
        tokens.sort_unstable();
        tokens.into_iter().find(|token| !token.is_empty() && text.contains(token.as_str()))
    }
}
