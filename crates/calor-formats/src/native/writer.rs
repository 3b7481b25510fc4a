//! Writes a file part by part. Callers that manage the file themselves take the pieces: [`header`], chunks of
//! [`encode_part`], and [`end_chunk`].

use std::io::Write;

use calor_model::Profile;

use super::chunk::{self, CHUNK_HEADER_BYTES, kind};
use super::header::header;
use super::{part, split};
use crate::Error;

/// Appends `profile` as one chunk, which can be read alone, and says how many bytes that took.
///
/// # Errors
/// When the profile is too large for a chunk or has a handle of another profile; `out` is then as before.
pub fn encode_part(profile: &Profile, out: &mut Vec<u8>) -> Result<usize, Error> {
    let start = out.len();
    chunk::encode(kind::PART, &part::encode(profile)?, out)?;
    Ok(out.len() - start)
}

/// The chunk that says that a recording was finished.
#[must_use]
pub fn end_chunk() -> [u8; CHUNK_HEADER_BYTES] {
    let mut bytes = Vec::new();
    chunk::encode(kind::END, &[], &mut bytes).expect("an empty payload fits into a chunk");
    bytes.try_into().expect("a chunk without a payload is its header")
}

/// Rows of the timeline and of samples in a part of a file that is written at once: a few megabytes, so that a file
/// which is cut or damaged loses no more than that. Every part costs its reader a merge.
const PART_ROWS: usize = 1 << 20;
/// From so many rows on they have parts of their own behind what was recorded by call path.
const APART_ROWS: usize = 1 << 16;

/// Writes a whole profile as a file: of one part if it is small, else what was recorded by call path first, and the
/// timeline and the samples in parts behind it.
///
/// # Errors
/// As [`encode_part`], and when `out` cannot be written to.
pub fn write(profile: &Profile, out: impl Write) -> Result<(), Error> {
    let mut writer = Writer::new(out)?;
    let timeline = &profile.timeline;
    let n_rows = timeline.n_spans() + timeline.n_marks() + timeline.links.len() + profile.samples.len();
    // Each part carries the tables of the whole: they shall not outweigh its rows.
    let n_in_tables = profile.strings.len() + profile.frames.len() + profile.stacks.len();
    let max_rows = PART_ROWS.max(8 * n_in_tables);
    let is_small = n_rows <= if profile.scopes.is_empty() { max_rows } else { APART_ROWS };
    if is_small {
        writer.write_part(profile)?;
    } else {
        split::for_each_part(profile, max_rows, |part| writer.write_part(part).map(|_| ()))?;
    }
    writer.finish()?;
    Ok(())
}

/// A file in the making. Dropped without [`Writer::finish`], it leaves a file that can be read and says that
/// the recording was cut off.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn new(mut out: W) -> Result<Self, Error> {
        out.write_all(&header())?;
        Ok(Self { out, buffer: Vec::new() })
    }

    /// Appends one part and flushes it, so that it survives the end of the process. Says how many bytes it
    /// took.
    ///
    /// # Errors
    /// As [`encode_part`], with nothing written; or when `out` cannot be written to.
    pub fn write_part(&mut self, profile: &Profile) -> Result<usize, Error> {
        self.buffer.clear();
        let n_bytes = encode_part(profile, &mut self.buffer)?;
        self.out.write_all(&self.buffer)?;
        self.out.flush()?;
        Ok(n_bytes)
    }

    /// Marks the recording as finished and hands back what was written to.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub fn finish(mut self) -> Result<W, Error> {
        self.out.write_all(&end_chunk())?;
        self.out.flush()?;
        Ok(self.out)
    }
}
