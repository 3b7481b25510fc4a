//! What an encoder knows: merges, single bytes, whole words, how text is normalised and cut. Made from a tokeniser of the
//! crate `tokenizers` where that is a byte-level BPE; where it is not, the answer is why.

use std::borrow::Cow;
use std::collections::HashMap;

use tokenizers::models::ModelWrapper;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{NormalizedString, Normalizer, Tokenizer};

use super::alphabet;
use super::ranks::Ranks;
use super::split::Splitter;

/// A byte-level BPE vocabulary, shared by the threads that encode with it.
#[derive(Debug)]
pub struct Vocabulary {
    pub(super) bytes: Box<[u32; 256]>,
    pub(super) ranks: Ranks,
    /// Words that are one token whatever the merges say, where the model asks for it.
    pub(super) wholes: Option<HashMap<Box<[u8]>, u32>>,
    pub(super) splitter: Splitter,
    normalizer: Option<NormalizerWrapper>,
}

impl Vocabulary {
    /// The vocabulary of a tokeniser; why there is none, if it is not a byte-level BPE that is understood here.
    pub fn of(tokenizer: &Tokenizer) -> Result<Self, String> {
        let ModelWrapper::BPE(model) = tokenizer.get_model() else {
            return Err(format!("its model is {}, not BPE", model_name(tokenizer.get_model())));
        };
        check(model)?;
        let splitter = Splitter::of(tokenizer.get_pre_tokenizer())?;
        let normalizer = match tokenizer.get_normalizer() {
            None => None,
            Some(form) if is_unicode_form(form) => Some(form.clone()),
            Some(_) => return Err("its normaliser is more than a normal form of Unicode".to_owned()),
        };
        let ids = model.get_vocab();
        let mut bytes = Box::new([0; 256]);
        for byte in 0..=255 {
            let token = alphabet::character(byte).to_string();
            bytes[usize::from(byte)] = *ids
                .get(&token)
                .ok_or_else(|| format!("its vocabulary has no token for the byte {byte:#04x}"))?;
        }
        let wholes = model
            .ignore_merges
            .then(|| ids.iter().filter_map(|(token, &id)| Some((alphabet::bytes(token)?, id))).collect());
        let ranks = Ranks::new(&merges(model, &ids)?);
        Ok(Self { bytes, ranks, wholes, splitter, normalizer })
    }

    /// Whether words are found without a regular expression.
    #[must_use]
    pub fn is_scanned(&self) -> bool {
        self.splitter.is_scanner()
    }

    /// Whether a token is a single byte: nothing was merged.
    #[must_use]
    pub fn is_single_byte(&self, id: u32) -> bool {
        self.bytes.contains(&id)
    }

    /// Normalises a text, as encoding does first.
    #[must_use]
    pub fn normalized_len(&self, text: &str) -> usize {
        self.normalized(text).len()
    }

    /// Appends where each word of a text ends, as encoding cuts it after it was normalised.
    pub fn split(&self, text: &str, ends: &mut Vec<usize>) {
        let mut end = 0;
        self.each_word(text, |word| {
            end += word.len();
            ends.push(end);
        });
    }

    /// The words of a text, cut in the same way.
    pub fn each_word(&self, text: &str, each: impl FnMut(&[u8])) {
        self.splitter.split(&self.normalized(text), each);
    }

    /// The text in the normal form that the tokeniser asks for. ASCII is in all of them.
    pub(super) fn normalized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.normalizer {
            Some(normalizer) if !text.is_ascii() => {
                let mut normalized = NormalizedString::from(text);
                match normalizer.normalize(&mut normalized) {
                    Ok(()) => Cow::Owned(normalized.get().to_owned()),
                    Err(_) => Cow::Borrowed(text),
                }
            }
            _ => Cow::Borrowed(text),
        }
    }
}

/// What kind of model a tokeniser has.
pub(in crate::tokenizer) fn model_name(model: &ModelWrapper) -> &'static str {
    match model {
        ModelWrapper::BPE(_) => "BPE",
        ModelWrapper::WordPiece(_) => "WordPiece",
        ModelWrapper::WordLevel(_) => "WordLevel",
        ModelWrapper::Unigram(_) => "Unigram",
    }
}

/// Refuses what changes ids in ways that are not known here.
fn check(model: &BPE) -> Result<(), String> {
    let is_given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    if model.dropout.is_some_and(|dropout| dropout > 0.0) {
        return Err("its merges are dropped by chance (dropout)".to_owned());
    }
    if is_given(&model.continuing_subword_prefix) || is_given(&model.end_of_word_suffix) {
        return Err("its tokens have marks for the beginning or end of words".to_owned());
    }
    Ok(())
}

fn is_unicode_form(normalizer: &NormalizerWrapper) -> bool {
    use NormalizerWrapper::{NFC, NFD, NFKC, NFKD};
    matches!(normalizer, NFC(_) | NFD(_) | NFKC(_) | NFKD(_))
}

/// Two ids, and the one that they become.
type Merge = ((u32, u32), u32);

/// The merges in their order. The crate does not hand them out, but writes them.
fn merges(model: &BPE, ids: &HashMap<String, u32>) -> Result<Vec<Merge>, String> {
    let unreadable = || "its merges cannot be read".to_owned();
    let written = serde_json::to_value(model).map_err(|_| unreadable())?;
    let merges = written.get("merges").and_then(|merges| merges.as_array()).ok_or_else(unreadable)?;
    merges.iter().map(|merge| read(merge, ids).ok_or_else(unreadable)).collect()
}

fn read(merge: &serde_json::Value, ids: &HashMap<String, u32>) -> Option<Merge> {
    let (left, right) = (merge.get(0)?.as_str()?, merge.get(1)?.as_str()?);
    let id = |token: &str| ids.get(token).copied();
    Some(((id(left)?, id(right)?), id(&format!("{left}{right}"))?))
}
