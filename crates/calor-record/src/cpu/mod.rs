//! Where threads run and wait: samples of their stacks, added up by call path.

mod account;
mod attendance;
mod attribution;
mod code;
mod copies;
mod event_weights;
mod events;
pub(crate) mod images;
pub(crate) mod naming;
pub(crate) mod observer;
mod off_cpu;
mod opening;
mod options;
mod own;
mod probe;
mod progress;
mod recording;
mod roots;
pub(crate) mod spaces;
mod stack_copy;
pub(crate) mod tally;
mod threads;
pub(crate) mod wait;
mod walked;

use std::io;

pub use options::{Options, Target};
pub use own::{OwnRecording, Source, start_afresh_after_fork};
pub use probe::{Ability, probe};
pub use progress::{Ended, Progress};
pub use recording::Recording;

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
