//! Reads a file: walks its chunks, steps over what is damaged or unknown, and says so in the profile.

use calor_model::{Profile, Warning};

use super::chunk::{self, Found, MARKER, kind};
use super::header::{self, HEADER_BYTES};
use super::part;
use crate::Error;

/// Reads a file as the sum of its parts, in order of time. What was damaged, cut off or unknown is told by
/// warnings of the profile.
///
/// # Errors
/// When the bytes are no `.calor` file, one of a later format, or hold a part that is whole and yet breaks
/// the rules of the format.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let mut parts = Parts::new(bytes)?;
    let mut profile = parts.next().transpose()?.unwrap_or_default();
    while let Some(part) = parts.next().transpose()? {
        profile.merge(&part);
    }
    parts.warnings().into_iter().for_each(|warning| profile.warn(warning));
    profile.timeline.sort();
    profile.counters.sort();
    Ok(profile)
}

/// Reads one chunk of [`encode_part`](super::encode_part).
///
/// # Errors
/// When the bytes are not exactly one whole chunk of that kind, or its content breaks the rules.
pub fn decode_part(bytes: &[u8]) -> Result<Profile, Error> {
    match chunk::decode(bytes)? {
        (kind::PART, payload) => part::decode(&payload, 0),
        (other, _) => {
            let found = format!("one of kind {other}");
            Err(Error::Chunk { expected: "a chunk with a part of a profile", found, offset: 0 })
        }
    }
}

/// The parts of a file one by one, for whoever does not want their sum.
#[derive(Debug)]
pub struct Parts<'a> {
    bytes: &'a [u8],
    position: usize,
    is_finished: bool,
    n_damaged: u64,
    truncated_at: Option<usize>,
}

impl<'a> Parts<'a> {
    /// The parts of a file.
    ///
    /// # Errors
    /// When the bytes are no `.calor` file or one of a later format.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        header::check(bytes)?;
        Ok(Self { bytes, position: HEADER_BYTES, is_finished: false, n_damaged: 0, truncated_at: None })
    }

    /// What was wrong with the file as far as it has been read.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.n_damaged > 0 {
            let message = "a chunk of the file is damaged and was left out, so all figures miss what it held; \
                           copy the file again if the original is still there";
            warnings.push(Warning::counted("chunk_damaged", message, self.n_damaged));
        }
        if let Some(offset) = self.truncated_at {
            let message = format!(
                "the file ends inside a chunk: the {} bytes from byte {offset} on were left out",
                self.bytes.len() - offset
            );
            warnings.push(Warning::new("file_truncated", message));
        }
        if self.position == self.bytes.len() && !self.is_finished {
            let message = "the program ended without finishing the recording; what happened after the last part \
                           was written, about a second, may be missing";
            warnings.push(Warning::new("recording_cut_off", message));
        }
        warnings
    }

    /// Where the next chunk begins after the one here, which cannot be read. One whose content is damaged is
    /// good enough: its length can be trusted, and so no byte is checksummed for two of them.
    fn chunk_after_damage(&self) -> Option<usize> {
        let mut from = self.position + 1;
        while let Some(rest) = self.bytes.get(from..) {
            let at = from + rest.windows(MARKER.len()).position(|window| window == MARKER)?;
            if matches!(chunk::find(&self.bytes[at..]), Found::Whole(..)) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
}

impl Iterator for Parts<'_> {
    type Item = Result<Profile, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.position < self.bytes.len() {
            let offset = self.position as u64;
            match chunk::find(&self.bytes[self.position..]) {
                Found::Whole(chunk, n_bytes) => {
                    self.position += n_bytes;
                    match chunk.kind {
                        _ if !chunk.is_intact() => self.n_damaged += 1,
                        kind::PART => {
                            self.is_finished = false;
                            let payload = chunk.payload(offset);
                            return Some(payload.and_then(|payload| part::decode(&payload, offset)));
                        }
                        kind::END => self.is_finished = true,
                        _ => {}
                    }
                }
                Found::Cut | Found::Nothing => match self.chunk_after_damage() {
                    Some(next) => {
                        self.n_damaged += 1;
                        self.position = next;
                    }
                    None => {
                        self.truncated_at = Some(self.position);
                        self.position = self.bytes.len();
                    }
                },
            }
        }
        None
    }
}
