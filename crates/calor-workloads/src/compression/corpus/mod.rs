//! Data to compress where nobody brings their own: six kinds that behave differently, made up from a seed and the same on every
//! machine. They stand for kinds of data; whoever has the data itself measures that.

mod json;
mod logs;
mod tensors;
mod text;

use crate::Random;

/// A kind of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Corpus {
    /// Sentences of words that are as frequent as words are.
    Text,
    /// Lines of a server's log.
    Logs,
    /// Records as JSON, a line each.
    Json,
    /// Weights of a model as 32-bit floats.
    F32,
    /// The same, quantised to 8 bits.
    Int8,
    /// Bytes that nothing can make smaller.
    Random,
}

impl Corpus {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Text, Self::Logs, Self::Json, Self::F32, Self::Int8, Self::Random];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Logs => "logs",
            Self::Json => "json",
            Self::F32 => "tensor f32",
            Self::Int8 => "tensor int8",
            Self::Random => "random",
        }
    }

    /// So many bytes of it.
    #[must_use]
    pub fn make(self, seed: u64, length: usize) -> Vec<u8> {
        // Each kind from its own numbers, whatever others are made.
        let mut random = Random::new(seed ^ (0x5eed_0000 + self as u64));
        let mut data = Vec::with_capacity(length + 4096);
        match self {
            Self::Text => text::write(&mut random, &mut data, length),
            Self::Logs => logs::write(&mut random, &mut data, length),
            Self::Json => json::write(&mut random, &mut data, length),
            Self::F32 => tensors::write_f32(&mut random, &mut data, length),
            Self::Int8 => tensors::write_int8(&mut random, &mut data, length),
            Self::Random => {
                while data.len() < length {
                    data.extend_from_slice(&random.bits().to_le_bytes());
                }
            }
        }
        data.truncate(length);
        data
    }
}

/// One of some, the first ones much more often: the rank is drawn from Zipf's law, as words, users and paths are.
fn frequent<'t, T>(random: &mut Random, some: &'t [T]) -> &'t T {
    let n = some.len() as f32;
    // The inverse of the distribution 1/(rank + 1), continuous: exact enough, and without a table.
    let rank = ((n + 1.0).powf(random.unit()) - 1.0) as usize;
    &some[rank.min(some.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(data: &[u8]) -> f64 {
        data.len() as f64 / ::zstd::bulk::compress(data, 3).unwrap().len() as f64
    }

    #[test]
    fn each_kind_is_as_compressible_as_its_kind() {
        let length = 400_000;
        let bounds = [
            (Corpus::Text, 2.0, 4.0),
            (Corpus::Logs, 4.0, 12.0),
            (Corpus::Json, 3.0, 10.0),
            (Corpus::F32, 1.03, 1.2),
            (Corpus::Int8, 1.05, 1.6),
            (Corpus::Random, 0.99, 1.0),
        ];
        for (corpus, low, high) in bounds {
            let data = corpus.make(7, length);
            assert_eq!(data.len(), length);
            let found = ratio(&data);
            assert!((low..=high).contains(&found), "{}: {found}", corpus.name());
        }
    }

    #[test]
    fn a_seed_decides_all_of_it() {
        for corpus in Corpus::ALL {
            assert!(corpus.make(1, 10_000) == corpus.make(1, 10_000), "{}", corpus.name());
            assert!(corpus.make(1, 10_000) != corpus.make(2, 10_000), "{}", corpus.name());
            assert!(corpus.make(1, 20_000).starts_with(&corpus.make(1, 10_000)), "{}", corpus.name());
        }
    }

    #[test]
    fn text_is_text() {
        for corpus in [Corpus::Text, Corpus::Logs] {
            assert!(corpus.make(3, 50_000).is_ascii(), "{}", corpus.name());
        }
        let json = Corpus::Json.make(3, 50_000);
        let mut lines: Vec<&[u8]> = json.split(|byte| *byte == b'\n').collect();
        // The last one is cut off.
        lines.pop();
        assert!(lines.len() > 50);
        assert!(lines.iter().all(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok()));
    }
}
