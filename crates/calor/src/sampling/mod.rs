//! Samples of the own process: where its threads run, without a scope in sight.
//!
//! ```
//! # fn work() {}
//! match calor::sampling::start(999) {
//!     Ok(sampling) => {
//!         work();
//!         let profile = sampling.stop();
//!         println!("{} call paths", profile.samples.len());
//!     }
//!     Err(error) => eprintln!("{error}"),
//! }
//! ```
//!
//! **You get** the call paths of all threads, those that start later included, with inlined functions, file and line,
//! as a [`Profile`]. The kernel takes the samples; a thread of Calor's reads and unwinds them. No signal handler is
//! installed, no lock of the program's is touched, and the reading thread itself is not in the profile. While a
//! recording is under way ([`start_recording`](crate::start_recording)) its file gets the samples as well.
//!
//! **Where perf events are refused**, as in most containers, timers on the threads' CPU clocks take their place. Then a
//! real-time signal that the program leaves alone is used, and samples come no faster than the kernel ticks: the profile
//! has a warning with the rate that was reached, and [`Progress`] has it as numbers.
//!
//! **A forked child** is not sampled and starts with a clean slate: it may start sampling for itself.
//!
//! **Not for** functions shorter than a sample's period, which [`scope!`](crate::scope) counts exactly.

mod options;
mod part;
mod progress;
mod worker;

use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

use calor_model::{Profile, Warning};
use calor_record::RecordError;

use crate::own_memory::{hand_out, own_for_good};
use crate::process_lock::ProcessLock;
use crate::{fork, process};
pub use options::SamplingOptions;
pub use progress::{Progress, Source};
use worker::{Request, Worker};

/// The examples of the document are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/sampling.md")]
struct Document;

/// Why sampling did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SamplingError {
    /// There is one sampling at a time.
    #[error("sampling is on already, at {rate} samples a second; stop it with Sampling::stop")]
    UnderWay {
        /// Its rate.
        rate: u32,
    },
    /// The system does not allow it, or an option makes no sense.
    #[error("cannot sample this process: {0}")]
    Refused(#[source] RecordError),
    /// The thread that reads samples could not be started.
    #[error("cannot start the thread that reads samples ({0})")]
    Thread(#[source] std::io::Error),
}

/// Sampling under way. It ends when this is stopped or dropped.
#[derive(Debug)]
#[must_use = "sampling ends when this is dropped"]
pub struct Sampling {
    number: u64,
}

struct Current {
    number: u64,
    rate: u32,
    requests: Sender<Request>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    current: Option<Current>,
    last_number: u64,
}

/// Held while sampling is being started, asked or stopped; the reading thread never takes it.
static STATE: ProcessLock<State> = ProcessLock::new();

/// Samples all threads of this process so many times a second of their CPU time; 99 and 999 are usual.
///
/// # Errors
/// When sampling is on already, or neither perf events nor timers are to be had.
pub fn start(rate: u32) -> Result<Sampling, SamplingError> {
    start_with(&SamplingOptions::new().rate(rate))
}

/// The same with options.
///
/// # Errors
/// As [`start`]; also when an option makes no sense.
pub fn start_with(options: &SamplingOptions) -> Result<Sampling, SamplingError> {
    let mut state = STATE.lock();
    if let Some(current) = &state.current {
        return Err(SamplingError::UnderWay { rate: current.rate });
    }
    fork::handle();
    // What the environment tells of the run is read here, not by the thread that reads samples.
    process::run([]);
    let (requests, received) = mpsc::channel();
    let (ready, is_ready) = mpsc::sync_channel(1);
    let wanted = options.clone();
    let thread = std::thread::Builder::new()
        .name(String::from(worker::NAME))
        .spawn(move || {
            own_for_good();
            Worker::run(&wanted, &ready, &received);
        })
        .map_err(SamplingError::Thread)?;
    match is_ready.recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            let _ = thread.join();
            return Err(SamplingError::Refused(error));
        }
        Err(_) => return Err(SamplingError::Thread(std::io::Error::other("it ended at once"))),
    }
    state.last_number += 1;
    let number = state.last_number;
    state.current = Some(Current { number, rate: options.recorded().rate, requests, thread });
    Ok(Sampling { number })
}

impl Sampling {
    /// Ends it: all that was sampled.
    #[must_use]
    pub fn stop(self) -> Profile {
        self.end(Request::Stop).map(hand_out).unwrap_or_else(not_here)
    }

    /// What was sampled so far; sampling goes on.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        self.ask(Request::Snapshot).map(hand_out).unwrap_or_else(not_here)
    }

    /// How far it is; `None` in a forked child, where it does not go on.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        self.ask(Request::Progress)
    }

    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let state = STATE.lock();
        let current = state.current.as_ref().filter(|current| current.number == self.number)?;
        current.ask(request)
    }

    fn end<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let mut state = STATE.lock();
        let current = state.current.take_if(|current| current.number == self.number)?;
        let answer = current.ask(request);
        let _ = current.thread.join();
        answer
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        self.end(Request::End);
    }
}

impl Current {
    /// `None` if the thread is gone.
    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let (answer, answered) = mpsc::channel();
        self.requests.send(request(answer)).ok()?;
        answered.recv().ok()
    }
}

/// Hands what was sampled to the recording under way; `is_end` if the recording ends now.
pub(crate) fn hand_over(is_end: bool) {
    if let Some(current) = &STATE.lock().current {
        current.ask(|answer| Request::HandOver { is_end, answer });
    }
}

/// In a forked child: sampling is the parent's.
pub(crate) fn forget() {
    STATE.forget();
    calor_record::start_afresh_after_fork();
}

fn not_here() -> Profile {
    let mut profile = Profile::default();
    profile.warn(Warning::new(
        "sampling_not_here",
        "there are no samples: sampling was started by a process that this one was forked from, and goes on there; \
         call calor::sampling::start in the child",
    ));
    profile
}
