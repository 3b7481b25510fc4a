//! LZ4's block functions, as `lz4 -b` calls them: fast ones below 2, those that look longer from there on. The library keeps
//! nothing between two blocks.

#![expect(
    unsafe_code,
    reason = "the library says how large its states are, and the crate over it does not pass that on"
)]

use std::ffi::c_int;

use ::lz4::block::{CompressionMode, compress_bound, compress_to_buffer, decompress_to_buffer};

use super::{Compressor, Decompressor, Gauge, failed};
use crate::Error;

unsafe extern "C" {
    safe fn LZ4_sizeofState() -> c_int;
    safe fn LZ4_sizeofStateHC() -> c_int;
    safe fn LZ4_versionNumber() -> c_int;
}

/// The first level of the functions that look longer.
const FIRST_LONGER: i32 = 2;

/// The version of the library, such as `1.10.0`.
pub(super) fn version() -> String {
    let number = LZ4_versionNumber();
    format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

pub(super) struct Compressing {
    level: i32,
}

impl Compressing {
    pub(super) fn new(level: i32) -> Self {
        Self { level }
    }

    fn mode(&self) -> CompressionMode {
        match self.level {
            level if level >= FIRST_LONGER => CompressionMode::HIGHCOMPRESSION(level),
            // As its command does: level -1 accelerates by 2.
            level if level < 0 => CompressionMode::FAST(1 - level),
            _ => CompressionMode::FAST(1),
        }
    }
}

impl Compressor for Compressing {
    fn bound(&self, length: usize) -> usize {
        // Too much at once is refused when it is compressed.
        compress_bound(length).unwrap_or(length)
    }

    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        compress_to_buffer(input, Some(self.mode()), false, output).map_err(|error| failed("lz4", error))
    }

    fn memory(&self) -> Gauge {
        let bytes = if self.level >= FIRST_LONGER { LZ4_sizeofStateHC() } else { LZ4_sizeofState() };
        Gauge::Told(bytes.unsigned_abs().into())
    }
}

pub(super) struct Decompressing;

impl Decompressor for Decompressing {
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let room = i32::try_from(output.len()).map_err(|_| failed("lz4", "a block of more than 2 GiB"))?;
        if input.is_empty() {
            return Err(failed("lz4", "nothing to decompress"));
        }
        decompress_to_buffer(input, Some(room), output).map_err(|error| failed("lz4", error))
    }

    fn memory(&self) -> Gauge {
        Gauge::Told(0)
    }
}
