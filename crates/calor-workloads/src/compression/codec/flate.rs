//! DEFLATE, bare or in gzip's frame (RFC 1952). The frame is written here, because the library's own cannot be used for a second
//! block.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::{Compressor, Decompressor, Gauge, failed};
use crate::Error;

/// What stands around the compressed bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Raw,
    Gzip,
}

/// Magic, method DEFLATE, no flags, no time, no extra flags, system unknown.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Checksum and length.
const TRAILER: usize = 8;

impl Frame {
    fn header(self) -> &'static [u8] {
        match self {
            Self::Raw => &[],
            Self::Gzip => &HEADER,
        }
    }

    fn trailer(self) -> usize {
        match self {
            Self::Raw => 0,
            Self::Gzip => TRAILER,
        }
    }
}

pub(super) struct Compressing {
    context: Compress,
    frame: Frame,
}

impl Compressing {
    pub(super) fn new(level: i32, frame: Frame) -> Self {
        let level = Compression::new(level.unsigned_abs());
        Self { context: Compress::new(level, false), frame }
    }
}

impl Compressor for Compressing {
    fn bound(&self, length: usize) -> usize {
        // What zlib's and miniz's `deflateBound` allow for: a tenth more, or a header for each stored block.
        let (tenth_more, stored) = (length / 10 * 11 + 11, length + (length / (31 * 1024) + 1) * 5);
        128 + tenth_more.max(stored) + HEADER.len() + TRAILER
    }

    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let header = self.frame.header();
        let (head, body) = output.split_at_mut(header.len());
        head.copy_from_slice(header);
        self.context.reset();
        let status = self.context.compress(input, body, FlushCompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) {
            return Err(failed("deflate", "no end of the stream"));
        }
        let length = header.len() + self.context.total_out() as usize;
        if self.frame == Frame::Gzip {
            output[length..length + TRAILER].copy_from_slice(&trailer(input));
        }
        Ok(length + self.frame.trailer())
    }

    fn memory(&self) -> Gauge {
        Gauge::Malloc
    }
}

pub(super) struct Decompressing {
    context: Decompress,
    frame: Frame,
}

impl Decompressing {
    pub(super) fn new(frame: Frame) -> Self {
        Self { context: Decompress::new(false), frame }
    }
}

impl Decompressor for Decompressing {
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let body = input.strip_prefix(self.frame.header()).filter(|body| body.len() >= self.frame.trailer());
        let body = body.ok_or_else(|| failed("gzip", "not what this program wrote"))?;
        let (body, end) = body.split_at(body.len() - self.frame.trailer());
        self.context.reset(false);
        let status = self.context.decompress(body, output, FlushDecompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) {
            return Err(failed("deflate", "no end of the stream"));
        }
        let length = self.context.total_out() as usize;
        if self.frame == Frame::Gzip && end != trailer(&output[..length]) {
            return Err(failed("gzip", "the checksum does not fit"));
        }
        Ok(length)
    }

    fn memory(&self) -> Gauge {
        Gauge::Malloc
    }
}

fn trailer(data: &[u8]) -> [u8; TRAILER] {
    let mut crc = Crc::new();
    crc.update(data);
    // The length counts modulo 2^32.
    let (sum, length) = (crc.sum().to_le_bytes(), (data.len() as u32).to_le_bytes());
    std::array::from_fn(|idx| if idx < 4 { sum[idx] } else { length[idx - 4] })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_in_our_frame_is_read_by_others() {
        let text = b"gzip, as everybody reads it; ".repeat(500);
        let mut compressor = Compressing::new(6, Frame::Gzip);
        let mut output = vec![0; compressor.bound(text.len())];
        let length = compressor.compress(&text, &mut output).unwrap();
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&output[..length]).read_to_end(&mut back).unwrap();
        assert!(back == text);
    }

    #[test]
    fn a_flipped_bit_is_seen() {
        let text = b"what was written is what is read ".repeat(50);
        let mut compressor = Compressing::new(6, Frame::Gzip);
        let mut output = vec![0; compressor.bound(text.len())];
        let length = compressor.compress(&text, &mut output).unwrap();
        output[length - 5] ^= 1;
        let mut room = vec![0; text.len()];
        let error = Decompressing::new(Frame::Gzip).decompress(&output[..length], &mut room).unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
    }
}
