//! What both do for the text, counted in passes of their own: from an empty cache, and once more. Ours counts what it does. The
//! crate counts nothing; what its cache did follows from the words it is given and the rule of that cache in version 0.23: the
//! first words of under 256 bytes stay for good, a set for each thread, until it is full; nothing leaves it.

use std::collections::HashSet;

use tokenizers::{OffsetReferential, OffsetType, PreTokenizer};

use super::Measured;
use crate::tokenizer::bed::{Bed, Side};
use crate::tokenizer::bpe::{Counts, Encoder, Vocabulary};
use crate::tokenizer::reference::{CRATE_CACHE, Reference};

/// Words of so many bytes, as the vocabulary writes them, do not go into the crate's cache.
const LONGEST: usize = 256;

/// What was done in one pass over the text.
#[derive(Clone, Copy, Debug)]
pub(in crate::tokenizer) struct Counted {
    pub side: Side,
    /// Whether the cache was empty before.
    pub is_first: bool,
    pub words: u64,
    pub tokens: u64,
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    /// Entries of the vocabulary that were asked for: characters or bytes of words that are merged, whole words, and the text of
    /// each token where that is part of the answer.
    pub lookups: u64,
    /// Pairs that were asked for; not known of the crate.
    pub pair_lookups: Option<u64>,
    pub merges: u64,
}

impl Counted {
    /// Of all questions to the cache, those it knew the answer to.
    pub(in crate::tokenizer) fn hit_rate(&self) -> Option<f64> {
        let asked = self.hits + self.misses;
        (asked > 0).then(|| self.hits as f64 / asked as f64)
    }
}

pub(in crate::tokenizer) fn measure(bed: &Bed<'_>, measured: &mut Measured) {
    if !bed.goes_on("counts") {
        return;
    }
    measured.counts.extend(crate_counts(bed.reference, &bed.documents, CRATE_CACHE).into_iter().flatten());
    if let Some(ours) = bed.ours {
        measured.counts.extend(our_counts(ours, &bed.documents, CRATE_CACHE));
    }
}

/// What our cache of that size did in the first pass and in the next.
pub(super) fn our_counts(ours: &Vocabulary, documents: &[&str], cached_words: usize) -> [Counted; 2] {
    let (mut encoder, mut ids) = (Encoder::new(ours, cached_words), Vec::new());
    [true, false].map(|is_first| {
        let mut counts = Counts::default();
        for document in documents {
            ids.clear();
            encoder.encode_counted(document, &mut ids, &mut counts);
        }
        Counted {
            side: Side::Ours,
            is_first,
            words: counts.words,
            tokens: counts.tokens,
            hits: counts.hits,
            misses: counts.misses,
            evictions: counts.evictions,
            lookups: counts.byte_lookups + counts.whole_lookups,
            pair_lookups: Some(counts.pair_lookups),
            merges: counts.merges,
        }
    })
}

/// The same of the crate, where the rule of its cache is known.
pub(super) fn crate_counts(
    reference: &Reference,
    documents: &[&str],
    cached_words: usize,
) -> Option<[Counted; 2]> {
    if !reference.has_word_cache() {
        return None;
    }
    let mut known: HashSet<String> = HashSet::new();
    let mut passes = Vec::new();
    for is_first in [true, false] {
        let mut counted = Counted {
            side: Side::Crate,
            is_first,
            words: 0,
            tokens: 0,
            hits: 0,
            misses: 0,
            evictions: 0,
            lookups: 0,
            pair_lookups: None,
            merges: 0,
        };
        for document in documents {
            count(reference, document, cached_words, &mut known, &mut counted)?;
        }
        passes.push(counted);
    }
    passes.try_into().ok()
}

fn count(
    reference: &Reference,
    document: &str,
    cached_words: usize,
    known: &mut HashSet<String>,
    counted: &mut Counted,
) -> Option<()> {
    let tokenizer = reference.tokenizer();
    let mut pieces =
        tokenizer.get_added_vocabulary().extract_and_normalize(tokenizer.get_normalizer(), document);
    if let Some(pre_tokenizer) = tokenizer.get_pre_tokenizer() {
        pre_tokenizer.pre_tokenize(&mut pieces).ok()?;
    }
    pieces.tokenize(|word| tokenizers::Model::tokenize(tokenizer.get_model(), word.get())).ok()?;
    for (word, _, tokens) in pieces.get_splits(OffsetReferential::Normalized, OffsetType::None) {
        let tokens = tokens.as_ref().map_or(0, Vec::len) as u64;
        counted.words += 1;
        counted.tokens += tokens;
        // The text of each token is looked up by its id.
        counted.lookups += tokens;
        if known.contains(word) {
            counted.hits += 1;
            continue;
        }
        counted.misses += 1;
        let characters = word.chars().count() as u64;
        counted.lookups += characters;
        counted.merges += characters.saturating_sub(tokens);
        if word.len() < LONGEST && known.len() < cached_words {
            known.insert(word.to_owned());
        }
    }
    Some(())
}
