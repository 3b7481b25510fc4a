//! Why a recording did not come about.

use std::io;

use crate::perf::Refusal;
use crate::process::LaunchError;
use crate::timers::TimerError;

/// Why a recording did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The kernel does not allow it.
    #[error("{0}")]
    Refused(Refusal),
    /// The program did not start.
    #[error("{0}")]
    Launch(#[from] LaunchError),
    /// Perf events are not to be had or not asked for, and timers are not to be had either.
    #[error("{0}")]
    Timers(#[from] TimerError),
    /// An option makes no sense.
    #[error("{0}")]
    Option(String),
    /// The system failed otherwise.
    #[error("{0}")]
    System(#[source] io::Error),
}
