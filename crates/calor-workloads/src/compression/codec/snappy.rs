//! Snappy's raw format.

use snap::raw::{Decoder, Encoder, max_compress_len};

use super::{Compressor, Decompressor, Gauge, failed};
use crate::Error;

pub(super) struct Compressing(Encoder);

impl Compressing {
    pub(super) fn new() -> Self {
        Self(Encoder::new())
    }
}

impl Compressor for Compressing {
    fn bound(&self, length: usize) -> usize {
        max_compress_len(length)
    }

    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        self.0.compress(input, output).map_err(|error| failed("snappy", error))
    }

    fn memory(&self) -> Gauge {
        Gauge::Malloc
    }
}

pub(super) struct Decompressing(Decoder);

impl Decompressing {
    pub(super) fn new() -> Self {
        Self(Decoder::new())
    }
}

impl Decompressor for Decompressing {
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        if input.is_empty() {
            return Err(failed("snappy", "nothing to decompress"));
        }
        self.0.decompress(input, output).map_err(|error| failed("snappy", error))
    }

    fn memory(&self) -> Gauge {
        Gauge::Malloc
    }
}
