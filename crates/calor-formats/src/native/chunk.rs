//! A chunk: a few bytes of header, then a payload that is compressed when that pays, all of it under a
//! checksum. The header has a check of its own, so that its lengths can be trusted before the payload is
//! looked at; without it, a hostile file could make a reader checksum the same bytes over and over.

use std::borrow::Cow;

use crate::Error;

/// The first bytes of a chunk, by which a reader finds the next one after a damaged one. The first of them
/// does not occur in UTF-8.
pub const MARKER: [u8; 4] = *b"\xf5CHK";

/// How long a chunk's header is.
pub const CHUNK_HEADER_BYTES: usize = 20;

/// The most bytes that a payload may have, before and after compression.
pub const MAX_PAYLOAD_BYTES: usize = 256 << 20;

/// How many times a payload may grow when decompressed. Profiles stay far below; a file made to fill the
/// memory of its reader does not.
pub const MAX_EXPANSION: usize = 64;

/// What a chunk is. A reader skips those it does not know.
pub mod kind {
    /// A piece of a profile.
    pub const PART: u8 = 1;
    /// The recording was finished.
    pub const END: u8 = 2;
}

/// How a payload is stored. 2 is kept for zstd.
mod codec {
    pub(super) const RAW: u8 = 0;
    pub(super) const LZ4: u8 = 1;
}

/// A chunk as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    /// What it is: one of [`kind`], or a later one.
    pub(super) kind: u8,
    codec: u8,
    payload_bytes: usize,
    stored: &'a [u8],
    checksum_holds: bool,
}

/// Appends a chunk of `kind` with `payload`.
///
/// # Errors
/// When the payload is too large for a chunk; `out` is then as before.
pub fn encode(kind: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    if payload.len() > MAX_PAYLOAD_BYTES {
        return Err(Error::TooLarge { bytes: payload.len(), limit: MAX_PAYLOAD_BYTES });
    }
    let start = out.len();
    let body = start + CHUNK_HEADER_BYTES;
    out.resize(body + lz4_flex::block::get_maximum_output_size(payload.len()), 0);
    let n_compressed = lz4_flex::block::compress_into(payload, &mut out[body..]).unwrap_or(usize::MAX);
    let (codec, n_stored) = if n_compressed < payload.len() && payload.len() <= n_compressed * MAX_EXPANSION {
        (codec::LZ4, n_compressed)
    } else {
        out[body..body + payload.len()].copy_from_slice(payload);
        (codec::RAW, payload.len())
    };
    out.truncate(body + n_stored);
    let header = &mut out[start..body];
    header[..4].copy_from_slice(&MARKER);
    header[4..6].copy_from_slice(&[kind, codec]);
    header[8..12].copy_from_slice(&(n_stored as u32).to_le_bytes());
    header[12..16].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let check = header_check(header).to_le_bytes();
    header[6..8].copy_from_slice(&check);
    let checksum = checksum(&out[start..]).to_le_bytes();
    out[start + 16..body].copy_from_slice(&checksum);
    Ok(())
}

/// The kind and the payload of the one chunk that `bytes` are.
///
/// # Errors
/// When the bytes are not exactly one chunk, or it is damaged.
pub fn decode(bytes: &[u8]) -> Result<(u8, Cow<'_, [u8]>), Error> {
    let found = match find(bytes) {
        Found::Whole(chunk, n_bytes) if n_bytes == bytes.len() => return Ok((chunk.kind, chunk.payload(0)?)),
        Found::Whole(_, n_bytes) => format!("{} more bytes after it", bytes.len() - n_bytes),
        Found::Cut => "one that is cut off".to_owned(),
        Found::Nothing => "other bytes".to_owned(),
    };
    Err(Error::Chunk { expected: "one whole chunk", found, offset: 0 })
}

/// What stands at the beginning of some bytes.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// A whole chunk, and how many bytes it takes.
    Whole(Chunk<'a>, usize),
    /// The beginning of a chunk that the bytes end in.
    Cut,
    /// No chunk.
    Nothing,
}

/// Looks for a chunk at the beginning of `bytes`.
pub(super) fn find(bytes: &[u8]) -> Found<'_> {
    let Some(header) = bytes.get(..CHUNK_HEADER_BYTES) else {
        return Found::Cut;
    };
    let u32_at = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if header[..4] != MARKER || header[6..8] != header_check(header).to_le_bytes() {
        return Found::Nothing;
    }
    let n_bytes = CHUNK_HEADER_BYTES.saturating_add(u32_at(8) as usize);
    let Some(whole) = bytes.get(..n_bytes) else {
        return Found::Cut;
    };
    let chunk = Chunk {
        kind: header[4],
        codec: header[5],
        payload_bytes: u32_at(12) as usize,
        stored: &whole[CHUNK_HEADER_BYTES..],
        checksum_holds: checksum(whole) == u32_at(16),
    };
    Found::Whole(chunk, n_bytes)
}

impl<'a> Chunk<'a> {
    /// Whether the bytes are those that were written.
    pub(super) fn is_intact(&self) -> bool {
        self.checksum_holds
    }

    /// The payload, decompressed. `offset` is where the chunk begins in the input, for errors.
    pub(super) fn payload(&self, offset: u64) -> Result<Cow<'a, [u8]>, Error> {
        let refuse = |expected, found| Err(Error::Chunk { expected, found, offset });
        if !self.checksum_holds {
            return refuse("a chunk whose checksum holds", "one whose bytes were changed".to_owned());
        }
        if self.payload_bytes > MAX_PAYLOAD_BYTES {
            return refuse("a payload of at most 256 MiB", format!("{} bytes", self.payload_bytes));
        }
        match self.codec {
            codec::RAW if self.stored.len() == self.payload_bytes => Ok(Cow::Borrowed(self.stored)),
            codec::RAW => refuse(
                "equal lengths of a payload that is not compressed",
                format!("{} and {} bytes", self.stored.len(), self.payload_bytes),
            ),
            codec::LZ4 if self.payload_bytes > self.stored.len().saturating_mul(MAX_EXPANSION) => refuse(
                "a payload of at most 64 times its compressed length",
                format!("{} bytes from {}", self.payload_bytes, self.stored.len()),
            ),
            codec::LZ4 => {
                let mut payload = vec![0; self.payload_bytes];
                match lz4_flex::block::decompress_into(self.stored, &mut payload) {
                    Ok(n_bytes) if n_bytes == payload.len() => Ok(Cow::Owned(payload)),
                    Ok(n_bytes) => refuse(
                        "a payload of the length that the chunk says",
                        format!("{n_bytes} instead of {} bytes", payload.len()),
                    ),
                    Err(error) => refuse("an lz4 block", format!("one that cannot be read ({error})")),
                }
            }
            other => refuse("a payload stored raw (0) or as lz4 (1); update calor", format!("codec {other}")),
        }
    }
}

/// The low half of the checksum of a header's kind, codec and lengths.
fn header_check(header: &[u8]) -> u16 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[4..6]);
    hasher.update(&header[8..16]);
    hasher.finalize() as u16
}

/// The checksum of a chunk: everything but the marker and the checksum itself.
fn checksum(chunk: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&chunk[4..16]);
    hasher.update(&chunk[CHUNK_HEADER_BYTES..]);
    hasher.finalize()
}
