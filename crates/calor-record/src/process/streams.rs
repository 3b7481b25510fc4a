//! Where a program that is started here reads from and writes to.

#![expect(unsafe_code, reason = "descriptors are exchanged between fork and exec")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// What becomes of a program's standard streams; by default they are ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Streams {
    /// Whether it finds nothing on its standard input.
    pub no_input: bool,
    /// Whether its standard output goes to our standard error, since ours is for something else.
    pub output_to_errors: bool,
    /// Whether what it writes is thrown away.
    pub discards: bool,
    /// Descriptors that take what it writes to its standard output and to its standard error, if neither is thrown away.
    /// They have to stay open until it has started.
    pub taken_by: Option<[RawFd; 2]>,
}

impl Streams {
    /// Nothing comes in and nothing goes out.
    #[must_use]
    pub fn discarded() -> Self {
        Self { no_input: true, discards: true, ..Self::default() }
    }

    /// Opens what the exchange needs: afterwards nothing can be opened.
    pub(super) fn prepare(self) -> io::Result<Exchange> {
        let needs_nothing = !self.no_input && !self.discards;
        let nothing = match needs_nothing {
            true => None,
            false => Some(OpenOptions::new().read(true).write(true).open("/dev/null")?),
        };
        Ok(Exchange { streams: self, nothing })
    }
}

/// The exchange of descriptors, made ready.
pub(super) struct Exchange {
    streams: Streams,
    nothing: Option<File>,
}

impl Exchange {
    /// Puts the streams in place. Allocates nothing, so that it may be called between fork and exec.
    pub(super) fn put_in_place(&self) {
        let nothing = self.nothing.as_ref().map(AsRawFd::as_raw_fd);
        let replace = |with: Option<i32>, stream: i32| {
            if let Some(with) = with {
                // SAFETY: both are open, or the call fails and leaves the stream as it is.
                unsafe { libc::dup2(with, stream) };
            }
        };
        if self.streams.no_input {
            replace(nothing, libc::STDIN_FILENO);
        }
        if self.streams.discards {
            replace(nothing, libc::STDOUT_FILENO);
            replace(nothing, libc::STDERR_FILENO);
        } else if let Some([output, errors]) = self.streams.taken_by {
            replace(Some(output), libc::STDOUT_FILENO);
            replace(Some(errors), libc::STDERR_FILENO);
        } else if self.streams.output_to_errors {
            replace(Some(libc::STDERR_FILENO), libc::STDOUT_FILENO);
        }
    }
}
