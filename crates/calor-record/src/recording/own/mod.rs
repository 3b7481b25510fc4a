//! The own process, watched from one of its threads: over perf events, or where those are refused, by timers on its
//! threads' CPU clocks. Either way the thread that reads is left out, and forked children are not watched.

mod latecomers;
mod left_out;
mod timed;

use std::time::Duration;

use calor_model::{Profile, Warning};

use super::options::{Options, Target};
use super::progress::Progress;
use super::session::Recording;
use crate::error::RecordError;
use crate::perf::Refusal;
use crate::{process, timers};
use latecomers::Latecomers;
use left_out::LeftOut;
use timed::TimedRecording;

/// What takes the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Source {
    /// The kernel's perf events: no signals, any rate.
    PerfEvents,
    /// Timers and a signal: no faster than the kernel's tick, and blind for threads that block the signal.
    Timers,
}

/// How many samples there have to be before a low rate is spoken of.
const ENOUGH_EXPECTED: f64 = 100.0;
/// A share of the asked samples below which the profile says so.
const LOW: f64 = 0.9;

/// A recording of the own process. It is started, stepped and taken by one thread, which it leaves out.
#[derive(Debug)]
pub struct OwnRecording {
    kind: Kind,
    rate: u32,
    left_out: LeftOut,
    /// Why perf events were not to be had.
    refusal: Option<Refusal>,
}

#[derive(Debug)]
enum Kind {
    Perf(Box<Recording>, Latecomers),
    Timed(Box<TimedRecording>),
}

impl OwnRecording {
    /// Begins, over perf events if the kernel grants them. With `source` only that is tried.
    ///
    /// # Errors
    /// If neither perf events nor timers are to be had, or an option makes no sense.
    pub fn start(options: &Options, source: Option<Source>) -> Result<Self, RecordError> {
        options.check()?;
        let rate = options.rate;
        if source == Some(Source::Timers) {
            let timed = TimedRecording::start(options)?;
            return Ok(Self {
                kind: Kind::Timed(Box::new(timed)),
                rate,
                left_out: LeftOut::default(),
                refusal: None,
            });
        }
        let before = process::threads_of(process::own_pid());
        match Recording::start(Target::Own, options) {
            Ok(recording) => {
                let latecomers = Latecomers::new(before, rate);
                Ok(Self {
                    kind: Kind::Perf(Box::new(recording), latecomers),
                    rate,
                    left_out: LeftOut::default(),
                    refusal: None,
                })
            }
            Err(RecordError::Refused(refusal)) if source.is_none() => {
                let timed = TimedRecording::start(options)?;
                Ok(Self {
                    kind: Kind::Timed(Box::new(timed)),
                    rate,
                    left_out: LeftOut::default(),
                    refusal: Some(refusal),
                })
            }
            Err(error) => Err(error),
        }
    }

    /// What takes the samples.
    #[must_use]
    pub fn source(&self) -> Source {
        match self.kind {
            Kind::Perf(..) => Source::PerfEvents,
            Kind::Timed(_) => Source::Timers,
        }
    }

    /// Leaves a thread out, until it ends: it is no part of the program. Its CPU time is none of the program's either.
    pub fn leave_out(&mut self, tid: i32) {
        self.left_out.add(tid);
        if self.left_out.has(tid) {
            match &mut self.kind {
                Kind::Perf(recording, latecomers) => {
                    recording.leave_out(tid);
                    latecomers.leave_out(tid);
                }
                Kind::Timed(timed) => timed.leave_out(tid),
            }
        }
    }

    /// Waits a while and reads what came.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn step(&mut self, at_most: Duration) -> Result<(), RecordError> {
        match &mut self.kind {
            Kind::Perf(recording, latecomers) => {
                recording.step(at_most)?;
                latecomers.look(recording);
            }
            Kind::Timed(timed) => timed.step(at_most),
        }
        self.left_out.look();
        Ok(())
    }

    /// Reads everything that was sampled up to now.
    ///
    /// # Errors
    /// If reading fails.
    pub fn catch_up(&mut self) -> Result<(), RecordError> {
        // Records are kept until nothing older can follow: the second step hands over what the first one found.
        self.step(Duration::ZERO)?;
        self.step(Duration::ZERO)
    }

    /// Ends it; what was seen can still be taken.
    pub fn stop(&mut self) {
        match &mut self.kind {
            Kind::Perf(recording, _) => recording.stop(),
            Kind::Timed(timed) => timed.stop(),
        }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match &self.kind {
            Kind::Perf(recording, _) => recording.progress(),
            Kind::Timed(timed) => timed.progress(),
        }
    }

    /// CPU time of the watched threads so far.
    #[must_use]
    pub fn cpu_nanos(&self) -> u64 {
        let all = match &self.kind {
            Kind::Perf(recording, _) => recording.cpu_nanos(),
            Kind::Timed(timed) => timed.cpu_nanos(),
        };
        all.saturating_sub(self.left_out.cpu_nanos())
    }

    /// Whether so much has been seen that it should be taken, lest memory grow.
    #[must_use]
    pub fn is_large(&self) -> bool {
        match &self.kind {
            Kind::Perf(recording, _) => recording.is_large(),
            Kind::Timed(timed) => timed.is_large(),
        }
    }

    /// What was seen since the last time. All parts together are the profile, but for what [`remarks`](Self::remarks)
    /// has to say of the whole.
    #[must_use]
    pub fn take(&mut self) -> Profile {
        match &mut self.kind {
            Kind::Perf(recording, _) => recording.take(),
            Kind::Timed(timed) => timed.take(),
        }
    }

    /// What has to be known of the recording as a whole, up to now.
    #[must_use]
    pub fn remarks(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        let cpu_seconds = self.cpu_nanos() as f64 / 1e9;
        let samples = self.progress().samples as f64;
        let expected = cpu_seconds * f64::from(self.rate);
        if expected >= ENOUGH_EXPECTED && samples < LOW * expected {
            let why = match self.source() {
                Source::PerfEvents => "time inside the kernel, short threads or other permissions may be why",
                Source::Timers => {
                    "timers cannot be faster than the kernel's tick, and threads that block signals are not seen"
                }
            };
            remarks.push(Warning::new(
                "sampling_rate_low",
                format!(
                    "{:.0} samples a second of CPU time were reached, of {} asked for: {why}",
                    samples / cpu_seconds,
                    self.rate
                ),
            ));
        }
        if let Some(refusal) = self.refusal {
            remarks.push(Warning::new(
                "sampled_by_timers",
                format!("threads were sampled by timers because {}; {}", refusal.what(), refusal.remedy()),
            ));
        }
        if let Kind::Timed(timed) = &self.kind {
            remarks.extend(timed.remarks());
        }
        remarks
    }
}

/// In a forked child: the recordings are the parent's. It takes no lock and allocates nothing.
pub fn start_afresh_after_fork() {
    timers::start_afresh();
}
