//! What can go wrong with a profiler's calls. Nothing here stops a program: an outcome may be looked at or not.

use std::path::PathBuf;

/// The result of what can go wrong here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A stop of what was never started.
    #[error(
        "stop(\"{name}\") without a start: call start(\"{name}\") first, spelt the same way; open now: {open}"
    )]
    NotStarted {
        /// What was to be stopped.
        name: String,
        /// What is open, in words.
        open: String,
    },
    /// A stop of what had been stopped.
    #[error(
        "stop(\"{name}\") once too often: each of its {calls} starts has been stopped; \
         remove this stop or start it again"
    )]
    AlreadyStopped {
        /// What was to be stopped.
        name: String,
        /// How often it was started and stopped.
        calls: u64,
    },
    /// More was freed than is held.
    #[error(
        "record_free(\"{name}\", {bytes}) frees more than the {held} bytes that are held under this name; \
         check the size, and that record_alloc(\"{name}\", ..) came before"
    )]
    NotHeld {
        /// Under which name.
        name: String,
        /// How much was freed.
        bytes: usize,
        /// How much was held.
        held: usize,
    },
    /// The report could not be made.
    #[error(transparent)]
    Report(#[from] calor_report::Error),
    /// The report could not be written to its file.
    #[error("cannot write the report ({cause}); choose a writable place: {}", path.display())]
    Export {
        /// Which file.
        path: PathBuf,
        /// What the operating system said.
        cause: std::io::Error,
    },
}
