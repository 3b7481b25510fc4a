//! The one file that grows by parts: each is in it whole or not at all. After a failed write the file is cut back to its last whole
//! part, so that it can be read at any time.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::time::Duration;

use super::{Part, PartSink, Refused};
use crate::native;

/// How long, and how often, to wait for the reader of a pipe: a second in all.
const PIPE_WAIT: Duration = Duration::from_millis(5);
const PIPE_WAITS: u32 = 200;

/// A `.calor` file in the making.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    /// Where the last whole part ends; 0 before the file is begun.
    length: u64,
    buffer: Vec<u8>,
}

impl PartFile {
    /// Will write to a file, which stays as it is until it is [begun](Self::begin) or the first part comes.
    #[must_use]
    pub fn new(file: File) -> Self {
        Self { file, length: 0, buffer: Vec::new() }
    }

    /// Empties the file and writes its header, so that it is a recording before the first part.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&mut self) -> io::Result<()> {
        self.empty()?;
        self.append(&native::header())
    }

    /// The file itself.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    fn write(&mut self, part: &Part) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        if self.length == 0 {
            bytes.extend_from_slice(&native::header());
        }
        let outcome =
            native::encode_part(&part.profile, &mut bytes).map_err(io::Error::other).and_then(|_| {
                if self.length == 0 {
                    self.empty()?;
                }
                self.append(&bytes)
            });
        self.buffer = bytes;
        outcome
    }

    fn empty(&mut self) -> io::Result<()> {
        // A pipe or a device has nothing in it.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
            self.file.rewind()?;
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

impl PartSink for PartFile {
    fn add(&mut self, part: Part) -> Result<(), Refused> {
        self.write(&part).map_err(|cause| Refused::new(part, cause))
    }

    /// Marks the recording as finished, if anything was written.
    fn end(&mut self) -> io::Result<()> {
        if self.length == 0 { Ok(()) } else { self.append(&native::end_chunk()) }
    }

    fn n_bytes(&self) -> u64 {
        self.length
    }
}
