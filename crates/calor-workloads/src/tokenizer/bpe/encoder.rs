//! What one thread encodes with: a vocabulary, a cache of its own, and memory that is used again.

use super::cache::{self, Cache};
use super::merge::{Scratch, merge};
use super::tally::{Counts, Tally};
use super::vocabulary::Vocabulary;

/// Encodes text with a [`Vocabulary`]; a thread has one of its own.
#[derive(Debug)]
pub struct Encoder<'v> {
    vocabulary: &'v Vocabulary,
    state: State,
}

#[derive(Debug)]
struct State {
    cache: Cache,
    scratch: Scratch,
}

impl<'v> Encoder<'v> {
    /// An encoder whose cache has room for so many words; 0 is none.
    #[must_use]
    pub fn new(vocabulary: &'v Vocabulary, cached_words: usize) -> Self {
        let state = State { cache: Cache::new(cached_words), scratch: Scratch::default() };
        Self { vocabulary, state }
    }

    /// Appends the ids of a text.
    pub fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        self.tallied(text, ids, &mut ());
    }

    /// The same, and counts what it does.
    pub fn encode_counted(&mut self, text: &str, ids: &mut Vec<u32>, counts: &mut Counts) {
        self.tallied(text, ids, counts);
    }

    fn tallied<T: Tally>(&mut self, text: &str, ids: &mut Vec<u32>, tally: &mut T) {
        let Self { vocabulary, state } = self;
        let text = vocabulary.normalized(text);
        vocabulary.splitter.split(&text, |word| state.word(vocabulary, word, ids, tally));
    }
}

impl State {
    #[inline]
    fn word<T: Tally>(&mut self, vocabulary: &Vocabulary, word: &[u8], ids: &mut Vec<u32>, tally: &mut T) {
        let start = ids.len();
        tally.word(word.len());
        self.look_up(vocabulary, word, ids, tally);
        tally.tokens(ids.len() - start);
    }

    #[inline]
    fn look_up<T: Tally>(&mut self, vocabulary: &Vocabulary, word: &[u8], ids: &mut Vec<u32>, tally: &mut T) {
        if let [byte] = word {
            tally.byte_lookups(1);
            return ids.push(vocabulary.bytes[usize::from(*byte)]);
        }
        if self.cache.is_off() {
            return self.make(vocabulary, word, ids, tally);
        }
        let hash = cache::hash(word);
        if let Some(known) = self.cache.get(hash, word) {
            tally.hit();
            return ids.extend_from_slice(known);
        }
        tally.miss();
        let start = ids.len();
        self.make(vocabulary, word, ids, tally);
        self.cache.insert(hash, word, &ids[start..], tally);
    }

    fn make<T: Tally>(&mut self, vocabulary: &Vocabulary, word: &[u8], ids: &mut Vec<u32>, tally: &mut T) {
        if let Some(wholes) = &vocabulary.wholes {
            let whole = wholes.get(word);
            tally.whole_lookup(whole.is_some());
            if let Some(id) = whole {
                return ids.push(*id);
            }
        }
        merge(word, &vocabulary.bytes, &vocabulary.ranks, &mut self.scratch, ids, tally);
    }
}
