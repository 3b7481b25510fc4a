//! The file of a recording: parts are appended whole or not at all. After a failed write the file is cut back
//! to its last whole part, what could not be written is kept and tried again, and the program hears of the
//! trouble once.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use calor_formats::native;
use calor_model::{Profile, Warning};

use crate::process;

/// How long, and how often, to wait for the reader of a pipe: a second in all.
const PIPE_WAIT: Duration = Duration::from_millis(5);
const PIPE_WAITS: u32 = 200;

/// An open recording file.
pub(crate) struct RecordingFile {
    path: PathBuf,
    file: File,
    /// Where the last whole part ends.
    length: u64,
    /// Beyond this, no more spans are written.
    span_limit_bytes: u64,
    /// What could not be written yet.
    unwritten: Option<Profile>,
    buffer: Vec<u8>,
}

impl RecordingFile {
    /// Whether a file is there that is no profile: somebody's work.
    pub(crate) fn is_foreign(path: &Path) -> bool {
        let there = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0);
        // One that cannot be looked at is not known to be a profile.
        there && File::open(path).and_then(native::is_foreign).unwrap_or(true)
    }

    /// Creates the file, replacing one that is there unless another process is writing it, and writes its header.
    pub(crate) fn create(path: &Path, span_limit_bytes: u64) -> io::Result<Self> {
        // A pipe that nobody reads is refused at once, instead of waiting for a reader.
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).custom_flags(libc::O_NONBLOCK);
        let file = options.open(path)?;
        if file.metadata()?.is_file() {
            if !process::claim(&file) {
                return Err(io::Error::new(
                    io::ErrorKind::ResourceBusy,
                    "another process is recording to this file",
                ));
            }
            file.set_len(0)?;
        }
        let buffer = Vec::new();
        let mut this =
            Self { path: path.to_owned(), file, length: 0, span_limit_bytes, unwritten: None, buffer };
        this.append(&native::header())?;
        Ok(this)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends a part, with whatever is left over from earlier.
    pub(crate) fn write(&mut self, mut part: Profile) -> io::Result<()> {
        if self.length >= self.span_limit_bytes {
            let message = "the recording reached its size limit: spans since then are in the statistics only; \
                           raise RecordingOptions::span_limit_bytes";
            drop_spans(&mut part, "spans_over_size_limit", message);
        }
        if let Some(mut waiting) = self.unwritten.take() {
            waiting.merge(&part);
            part = waiting;
        }
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        let encoded = native::encode_part(&part, &mut bytes).map_err(io::Error::other);
        let outcome = encoded.and_then(|_| self.append(&bytes));
        self.buffer = bytes;
        if outcome.is_err() {
            // Statistics add up in bounded space and wait for better times; spans would not.
            let message = "spans could not be written to the recording and are in the statistics only";
            drop_spans(&mut part, "spans_not_written", message);
            self.unwritten = Some(part);
        }
        outcome.and_then(|()| self.check_place())
    }

    /// Marks the recording as finished.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let outcome = self.append(&native::end_chunk());
        process::release(&self.file);
        outcome.and_then(|()| self.check_place())
    }

    /// Whether what is written can still be found under the path.
    fn check_place(&self) -> io::Result<()> {
        let own = self.file.metadata()?;
        let is_same = |there: Metadata| (there.dev(), there.ino()) == (own.dev(), own.ino());
        if own.is_file() && !std::fs::metadata(&self.path).is_ok_and(is_same) {
            return Err(io::Error::other("the file was removed or replaced while it was being written"));
        }
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let outcome = self.write_all(bytes);
        match outcome {
            Ok(()) => self.length += bytes.len() as u64,
            // Not every file can be cut (a pipe, a device): a reader skips what is not whole.
            Err(_) if self.file.set_len(self.length).is_ok() => {
                self.file.seek(SeekFrom::Start(self.length))?;
            }
            Err(_) => {}
        }
        outcome
    }

    /// Writes everything; to a pipe that is full, what goes within a while.
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut waits = 0;
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && waits < PIPE_WAITS => {
                    waits += 1;
                    std::thread::sleep(PIPE_WAIT);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn drop_spans(part: &mut Profile, code: &str, message: &str) {
    let dropped = part.timeline.n_spans() + part.timeline.links.len();
    if dropped > 0 {
        part.timeline = Default::default();
        part.warn(Warning::counted(code, message, dropped as u64));
    }
}
