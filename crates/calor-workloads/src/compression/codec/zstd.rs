//! Zstandard: one context for all blocks, as `zstd -b` has it.

use ::zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_error_name};

use super::{Compressor, Decompressor, Gauge, failed};
use crate::Error;

pub(super) struct Compressing(CCtx<'static>);

impl Compressing {
    pub(super) fn new(level: i32) -> Result<Self, Error> {
        let mut context = CCtx::try_create().ok_or_else(|| failed("zstd", "no memory for a context"))?;
        context.set_parameter(CParameter::CompressionLevel(level)).map_err(told)?;
        Ok(Self(context))
    }
}

impl Compressor for Compressing {
    fn bound(&self, length: usize) -> usize {
        compress_bound(length)
    }

    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        self.0.compress2(output, input).map_err(told)
    }

    fn memory(&self) -> Gauge {
        Gauge::Told(self.0.sizeof() as u64)
    }
}

pub(super) struct Decompressing(DCtx<'static>);

impl Decompressing {
    pub(super) fn new() -> Result<Self, Error> {
        DCtx::try_create().map(Self).ok_or_else(|| failed("zstd", "no memory for a context"))
    }
}

impl Decompressor for Decompressing {
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        if input.is_empty() {
            return Err(failed("zstd", "nothing to decompress"));
        }
        self.0.decompress(output, input).map_err(told)
    }

    fn memory(&self) -> Gauge {
        Gauge::Told(self.0.sizeof() as u64)
    }
}

fn told(code: usize) -> Error {
    failed("zstd", get_error_name(code))
}
