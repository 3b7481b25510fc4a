//! Reads a file: walks its chunks, steps over what is damaged or unknown, and says so in the profile.

use calor_model::{Profile, Recorder, Warning};

use super::chunk::{self, Chunk, Found, MARKER, kind};
use super::header::{self, HEADER_BYTES};
use super::part;
use crate::Error;

/// How many chunks are looked for inside damaged ones. Each try checksums up to the whole file, so a file made
/// of nothing else would keep a reader busy for hours.
const MAX_RESCUES: usize = 64;

/// Reads a file as the sum of its parts, in order of time. What was damaged, cut off or unknown is told by
/// warnings of the profile.
///
/// # Errors
/// When the bytes are no `.calor` file, one of a later format, hold a part that is whole and yet breaks the rules
/// of the format, or hold no part that is whole although there was one.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let mut parts = Parts::new(bytes)?;
    let first = parts.next().transpose()?;
    if first.is_none() && (parts.n_damaged > 0 || parts.truncated_at.is_some()) {
        return Err(Error::NothingWhole { bytes: bytes.len() as u64, n_damaged: parts.n_damaged });
    }
    let mut profile = first.unwrap_or_default();
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

/// Whether a part comes from a recorder beside the program: inside a program, scopes are recorded too.
fn is_from_outside(part: &Profile) -> bool {
    let mut recorders = part.runs.iter().flat_map(|run| &run.recorders).peekable();
    recorders.peek().is_some() && recorders.all(|it| *it != Recorder::Scopes)
}

/// The parts of a file one by one, for whoever does not want their sum.
#[derive(Debug)]
pub struct Parts<'a> {
    bytes: &'a [u8],
    position: usize,
    is_finished: bool,
    n_damaged: u64,
    truncated_at: Option<usize>,
    n_rescues_left: usize,
    /// Whether all that was read is of a recorder that watches a program from outside, whose parts are far apart.
    is_from_outside: bool,
}

impl<'a> Parts<'a> {
    /// The parts of a file.
    ///
    /// # Errors
    /// When the bytes are no `.calor` file or one of a later format.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        header::check(bytes)?;
        Ok(Self {
            bytes,
            position: HEADER_BYTES,
            is_finished: false,
            n_damaged: 0,
            truncated_at: None,
            n_rescues_left: MAX_RESCUES,
            is_from_outside: false,
        })
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
                "the file ends inside a part: the {} bytes from byte {offset} on could not be read, so all figures \
                 miss what they held and whatever came after; copy the file again if the original is still there",
                self.bytes.len() - offset
            );
            warnings.push(Warning::new("file_truncated", message));
        }
        if self.position == self.bytes.len() && !self.is_finished {
            let (who, lost) = if self.is_from_outside {
                ("the recorder", "up to a minute")
            } else {
                ("the program", "about a second")
            };
            let message = match self.truncated_at {
                None => format!(
                    "{who} ended without finishing the recording; what happened after the last part was written, \
                     {lost}, may be missing"
                ),
                Some(_) => format!(
                    "the end of the recording is missing: either {who} was killed while it wrote, and then {lost} is \
                     lost, or the file is not whole, and then there was more"
                ),
            };
            warnings.push(Warning::new("recording_cut_off", message));
        }
        warnings
    }

    /// The places from `from` to `until` at which whole chunks begin, damaged or not.
    fn chunks_between(&self, from: usize, until: usize) -> impl Iterator<Item = (usize, Chunk<'a>)> {
        let bytes = self.bytes;
        let mut from = from;
        std::iter::from_fn(move || {
            while from < until {
                let rest = &bytes[from..bytes.len().min(until + MARKER.len() - 1)];
                let at = from + rest.windows(MARKER.len()).position(|window| window == MARKER)?;
                from = at + 1;
                if let Found::Whole(chunk, _) = chunk::find(&bytes[at..]) {
                    return Some((at, chunk));
                }
            }
            None
        })
    }

    /// Where to go on after a chunk of `n_bytes` whose checksum does not hold. Where a write was broken off and
    /// the next one went well, the chunk's length reaches into the one behind it, which is found here.
    fn after_damaged(&mut self, n_bytes: usize) -> usize {
        let end = self.position + n_bytes;
        let mut n_tried = 0;
        let inside = self
            .chunks_between(self.position + 1, end)
            .take(self.n_rescues_left)
            .inspect(|_| n_tried += 1)
            .find(|(_, chunk)| chunk.is_intact())
            .map(|(at, _)| at);
        self.n_rescues_left -= n_tried;
        inside.unwrap_or(end)
    }
}

impl Iterator for Parts<'_> {
    type Item = Result<Profile, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.position < self.bytes.len() {
            let offset = self.position as u64;
            match chunk::find(&self.bytes[self.position..]) {
                Found::Whole(chunk, n_bytes) if !chunk.is_intact() => {
                    self.n_damaged += 1;
                    self.position = self.after_damaged(n_bytes);
                }
                Found::Whole(chunk, n_bytes) => {
                    self.position += n_bytes;
                    match chunk.kind {
                        kind::PART => {
                            self.is_finished = false;
                            let payload = chunk.payload(offset);
                            let part = payload.and_then(|payload| part::decode(&payload, offset));
                            self.is_from_outside = part.as_ref().is_ok_and(is_from_outside);
                            return Some(part);
                        }
                        kind::END => self.is_finished = true,
                        _ => {}
                    }
                }
                // One whose content is damaged is good enough to go on with: its length can be trusted.
                Found::Cut | Found::Nothing => {
                    let next = self.chunks_between(self.position + 1, self.bytes.len()).next();
                    if let Some((next, _)) = next {
                        self.n_damaged += 1;
                        self.position = next;
                    } else {
                        self.truncated_at = Some(self.position);
                        self.position = self.bytes.len();
                    }
                }
            }
        }
        None
    }
}
