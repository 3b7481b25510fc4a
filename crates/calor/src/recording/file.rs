//! The file of a recording: claimed, so that no other process writes it, and held to its place and to a size by spans.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use calor_formats::native;
use calor_formats::parts::{Part, PartFile, PartSink, Refused};

use crate::process;

/// An open recording file.
pub(crate) struct RecordingFile {
    path: PathBuf,
    parts: PartFile,
    /// Beyond this, no more spans are written.
    span_limit_bytes: u64,
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
        if file.metadata()?.is_file() && !process::claim(&file) {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another process is recording to this file",
            ));
        }
        let mut parts = PartFile::new(file);
        parts.begin()?;
        Ok(Self { path: path.to_owned(), parts, span_limit_bytes })
    }

    fn file(&self) -> &File {
        self.parts.file()
    }

    /// Whether what is written can be found under the path.
    fn check_place(&self) -> io::Result<()> {
        let own = self.file().metadata()?;
        let is_same = |there: Metadata| (there.dev(), there.ino()) == (own.dev(), own.ino());
        if own.is_file() && !std::fs::metadata(&self.path).is_ok_and(is_same) {
            return Err(io::Error::other("the file was removed or replaced while it was being written"));
        }
        Ok(())
    }
}

impl PartSink for RecordingFile {
    fn add(&mut self, mut part: Part) -> Result<(), Refused> {
        if let Err(cause) = self.check_place() {
            return Err(Refused::new(part, cause));
        }
        if self.parts.n_bytes() >= self.span_limit_bytes {
            let message = "the recording reached its size limit: spans since then are in the statistics only; \
                           raise RecordingOptions::span_limit_bytes";
            part.drop_spans("spans_over_size_limit", message);
        }
        self.parts.add(part)
    }

    fn end(&mut self) -> io::Result<()> {
        let outcome = self.parts.end();
        process::release(self.file());
        outcome.and_then(|()| self.check_place())
    }

    fn n_bytes(&self) -> u64 {
        self.parts.n_bytes()
    }
}
