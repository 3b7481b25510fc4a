//! What an encoder does, counted. Encoding is compiled twice: for throughput with `()`, which counts nothing and costs
//! nothing, and with [`Counts`] in a pass of its own.

/// What is told while text is encoded.
pub(super) trait Tally {
    fn word(&mut self, _bytes: usize) {}
    /// A word was in the cache.
    fn hit(&mut self) {}
    /// It was not.
    fn miss(&mut self) {}
    /// A word left the cache for another one.
    fn eviction(&mut self) {}
    /// A word was looked up in the vocabulary as a whole.
    fn whole_lookup(&mut self, _is_found: bool) {}
    /// Single bytes were looked up in the vocabulary.
    fn byte_lookups(&mut self, _n: usize) {}
    /// Pairs were looked up among the merges.
    fn pair_lookups(&mut self, _n: usize) {}
    fn merges(&mut self, _n: usize) {}
    fn tokens(&mut self, _n: usize) {}
}

impl Tally for () {}

/// What an encoder did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Words, as the text was cut.
    pub words: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Ids.
    pub tokens: u64,
    /// Words that were found in the cache.
    pub hits: u64,
    /// Words that were looked for there and not found.
    pub misses: u64,
    /// Words that made room for another.
    pub evictions: u64,
    /// Words that were looked up in the vocabulary as wholes, where the model asks for that.
    pub whole_lookups: u64,
    /// Those of them that were found.
    pub whole_hits: u64,
    /// Single bytes that were looked up in the vocabulary.
    pub byte_lookups: u64,
    /// Pairs that were looked up among the merges.
    pub pair_lookups: u64,
    /// Merges that were made.
    pub merges: u64,
}

impl Tally for Counts {
    fn word(&mut self, bytes: usize) {
        self.words += 1;
        self.bytes += bytes as u64;
    }

    fn hit(&mut self) {
        self.hits += 1;
    }

    fn miss(&mut self) {
        self.misses += 1;
    }

    fn eviction(&mut self) {
        self.evictions += 1;
    }

    fn whole_lookup(&mut self, is_found: bool) {
        self.whole_lookups += 1;
        self.whole_hits += u64::from(is_found);
    }

    fn byte_lookups(&mut self, n: usize) {
        self.byte_lookups += n as u64;
    }

    fn pair_lookups(&mut self, n: usize) {
        self.pair_lookups += n as u64;
    }

    fn merges(&mut self, n: usize) {
        self.merges += n as u64;
    }

    fn tokens(&mut self, n: usize) {
        self.tokens += n as u64;
    }
}
