//! Records that perf compressed while it recorded (`perf record -z`). They are one stream of Zstandard, cut into
//! records where perf happened to write, and usually without an end.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::error::PerfDataError;
use super::layout::Layout;
use super::records::{RawRecord, Split, kind};
use crate::perf::Fields;

/// What compressed records unpack to.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    pub(super) bytes: Vec<u8>,
    /// Why there may be more.
    pub(super) problem: Option<String>,
}

/// An empty block that is the last one, and a checksum: what perf leaves out at the end. Without them the decoder
/// would keep the last part of the stream to itself. Nobody looks at the checksum.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
/// The largest window that perf asks for is far below.
const LARGEST_WINDOW: u64 = 64 << 20;

/// Unpacks all compressed records.
///
/// # Errors
/// If they become more than those of perf do.
pub(super) fn unpack(layout: &Layout<'_>) -> Result<Unpacked, PerfDataError> {
    let mut packed = Vec::new();
    for record in Split::new(layout.data) {
        packed.extend_from_slice(content(record));
    }
    let mut unpacked = Unpacked::default();
    if packed.is_empty() {
        return Ok(unpacked);
    }
    let limit = limit(packed.len());
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(LARGEST_WINDOW);
    let mut rest = packed.as_slice();
    while !rest.is_empty() && unpacked.problem.is_none() {
        if let Err(problem) = decoder.reset(&mut rest) {
            unpacked.problem = Some(problem.to_string());
            break;
        }
        let mut is_ended = false;
        while !is_ended {
            let mut source = rest.chain(END.as_slice());
            match decoder.decode_blocks(&mut source, BlockDecodingStrategy::UptoBlocks(1)) {
                Ok(ended) => is_ended = ended,
                Err(problem) => {
                    unpacked.problem = Some(problem.to_string());
                    // What was unpacked before is given out once the stream is at its end.
                    is_ended = decoder.decode_blocks(END.as_slice(), BlockDecodingStrategy::All).is_err();
                    is_ended |= decoder.is_finished();
                }
            }
            rest = source.into_inner().0;
            decoder
                .collect_to_writer(&mut unpacked.bytes)
                .map_err(|_| PerfDataError::UnpacksToTooMuch { bytes: packed.len(), limit })?;
            if unpacked.bytes.len() > limit {
                return Err(PerfDataError::UnpacksToTooMuch { bytes: packed.len(), limit });
            }
        }
    }
    Ok(unpacked)
}

fn content(record: RawRecord<'_>) -> &[u8] {
    match record.kind {
        kind::COMPRESSED => record.body,
        // With its length in front, since the record is filled up to a multiple of eight.
        kind::COMPRESSED_2 => {
            let mut body = Fields(record.body);
            let length = body.length();
            body.bytes(length)
        }
        _ => &[],
    }
}

/// The most that so many bytes may unpack to, as for other compressed profiles.
fn limit(packed: usize) -> usize {
    packed.saturating_mul(200).clamp(256 << 20, 4 << 30)
}
