//! Compressors and decompressors behind one face: a block in, a block out, both in memory. One is made for a case and used for
//! all of its blocks, so that what a library keeps between two blocks is kept.

mod brotli;
mod flate;
mod lz4;
mod snappy;
mod zstd;

use super::{Algorithm, Setting};
use crate::Error;

/// How the memory of a library is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gauge {
    /// The library tells it.
    Told(u64),
    /// Not from the library: what the allocator has handed out tells.
    Malloc,
}

/// Makes blocks small.
pub trait Compressor {
    /// The room that the output of so many bytes needs at most.
    fn bound(&self, length: usize) -> usize;

    /// Compresses a block and says how long the output is.
    ///
    /// # Errors
    ///
    /// What the library says.
    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error>;

    /// The most memory that it had so far, without input and output.
    fn memory(&self) -> Gauge;
}

/// Makes blocks what they were.
pub trait Decompressor {
    /// Decompresses a block into room of its size and says how long it is.
    ///
    /// # Errors
    ///
    /// What the library says.
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error>;

    /// The most memory that it had so far, without input and output.
    fn memory(&self) -> Gauge;
}

impl Setting {
    /// A fresh compressor of this kind.
    ///
    /// # Errors
    ///
    /// The library has no memory, or does not know the level.
    pub fn compressor(self) -> Result<Box<dyn Compressor>, Error> {
        let level = self.level.unwrap_or_default();
        Ok(match self.algorithm {
            Algorithm::Zstd => Box::new(zstd::Compressing::new(level)?),
            Algorithm::Lz4 => Box::new(lz4::Compressing::new(level)),
            Algorithm::Deflate => Box::new(flate::Compressing::new(level, flate::Frame::Raw)),
            Algorithm::Gzip => Box::new(flate::Compressing::new(level, flate::Frame::Gzip)),
            Algorithm::Snappy => Box::new(snappy::Compressing::new()),
            Algorithm::Brotli => Box::new(brotli::Compressing::new(level)),
        })
    }

    /// A fresh decompressor of what it writes.
    ///
    /// # Errors
    ///
    /// The library has no memory.
    pub fn decompressor(self) -> Result<Box<dyn Decompressor>, Error> {
        Ok(match self.algorithm {
            Algorithm::Zstd => Box::new(zstd::Decompressing::new()?),
            Algorithm::Lz4 => Box::new(lz4::Decompressing),
            Algorithm::Deflate => Box::new(flate::Decompressing::new(flate::Frame::Raw)),
            Algorithm::Gzip => Box::new(flate::Decompressing::new(flate::Frame::Gzip)),
            Algorithm::Snappy => Box::new(snappy::Decompressing::new()),
            Algorithm::Brotli => Box::new(brotli::Decompressing::default()),
        })
    }
}

impl Algorithm {
    /// The library and its version.
    #[must_use]
    pub fn library(self) -> String {
        match self {
            Self::Zstd => format!("libzstd {}", ::zstd::zstd_safe::version_string()),
            Self::Lz4 => format!("liblz4 {}", lz4::version()),
            Self::Deflate | Self::Gzip => "miniz_oxide, by flate2".to_owned(),
            Self::Snappy => "snap, in Rust".to_owned(),
            Self::Brotli => "brotli, in Rust".to_owned(),
        }
    }

    /// How its memory is measured.
    #[must_use]
    pub fn told_gauge(self) -> &'static str {
        match self {
            Self::Zstd => "what the library says of its contexts (ZSTD_sizeof_CCtx, ZSTD_sizeof_DCtx)",
            Self::Lz4 => {
                "the library's state (LZ4_sizeofState, LZ4_sizeofStateHC); it decompresses without any"
            }
            Self::Deflate | Self::Gzip | Self::Snappy => "what malloc handed out for it (mallinfo)",
            Self::Brotli => "the peak of an allocator that counts, handed to the library",
        }
    }
}

fn failed(algorithm: &str, problem: impl std::fmt::Display) -> Error {
    Error::Failed(format!("{algorithm} failed: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Blocks that are hard in some way: nothing but one letter, nothing that repeats, a single byte.
    fn blocks() -> Vec<Vec<u8>> {
        let mut random = Random::new(5);
        let noise = (0..70_000).map(|_| random.bits() as u8).collect();
        let words = (0..20_000).flat_map(|n: u32| format!("word {} ", n * n % 811).into_bytes()).collect();
        vec![vec![b'a'; 100_000], noise, words, vec![7], b"ab".to_vec()]
    }

    #[test]
    fn what_was_compressed_comes_back_at_every_level() {
        for algorithm in Algorithm::ALL {
            let levels = algorithm.levels().map_or(vec![None], |levels| levels.map(Some).collect());
            for level in levels.into_iter().filter(|level| level.is_none_or(|level| algorithm.has(level))) {
                let setting = Setting { algorithm, level };
                // The slowest at full length would take minutes without optimisation.
                let is_slow = algorithm == Algorithm::Brotli && level >= Some(10);
                let blocks = blocks();
                round_trip(setting, if is_slow { &blocks[3..] } else { &blocks });
            }
        }
    }

    /// One compressor and one decompressor for all blocks, twice.
    fn round_trip(setting: Setting, blocks: &[Vec<u8>]) {
        let (mut compressor, mut decompressor) =
            (setting.compressor().unwrap(), setting.decompressor().unwrap());
        for block in blocks.iter().chain(blocks) {
            let mut output = vec![0; compressor.bound(block.len())];
            let length = compressor.compress(block, &mut output).unwrap();
            let mut back = vec![1; block.len()];
            let got = decompressor.decompress(&output[..length], &mut back).unwrap();
            assert!(got == block.len() && back == *block, "{setting} of {} bytes", block.len());
        }
    }

    #[test]
    fn what_is_no_output_of_theirs_is_refused_or_wrong_but_harms_nothing() {
        for algorithm in Algorithm::ALL {
            let level = algorithm.usual_levels(true).first().copied();
            let mut decompressor = Setting { algorithm, level }.decompressor().unwrap();
            let mut room = vec![0; 1_000];
            for noise in blocks() {
                let _ = decompressor.decompress(&noise, &mut room);
            }
            let is_error = decompressor.decompress(&[], &mut room).is_err();
            assert!(is_error, "{algorithm} made something of nothing");
        }
    }
}
