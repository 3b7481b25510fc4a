//! The thread that reads samples. It is a guest in the program: signals are for other threads, and what it keeps is
//! bounded.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use calor_model::{Profile, Warning};
use calor_record::{OwnRecording, RecordError};

use super::part::Parts;
use super::{Progress, SamplingOptions, Source};
use crate::recorder::registry;
use crate::{process, recording};

pub(super) const NAME: &str = "calor-sampling";
/// How long a request waits at most.
const STEP: Duration = Duration::from_millis(50);
/// How often a recording under way gets what is new.
const HAND_OVER_EVERY: Duration = Duration::from_millis(500);

/// What the thread is asked for. It answers each.
pub(super) enum Request {
    Progress(Sender<Progress>),
    Snapshot(Sender<Profile>),
    HandOver {
        is_end: bool,
        answer: Sender<()>,
    },
    /// End, and tell what was sampled.
    Stop(Sender<Profile>),
    /// End; nobody wants to know.
    End(Sender<()>),
}

/// The thread's state.
pub(super) struct Worker {
    recording: OwnRecording,
    parts: Parts,
    rate: u32,
    handed_over: Instant,
    /// The thread that was last left out.
    left_out: Option<i32>,
    /// Set when reading failed: what was sampled until then can still be asked for.
    problem: Option<String>,
}

impl Worker {
    pub(super) fn run(
        options: &SamplingOptions,
        ready: &SyncSender<Result<(), RecordError>>,
        requests: &Receiver<Request>,
    ) {
        // Signals are blocked after the start: by its mask a signal is recognised that the program waits for.
        let started = OwnRecording::start(options.recorded(), options.only());
        process::block_signals();
        let recording = match started {
            Ok(recording) => recording,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let _ = ready.send(Ok(()));
        let rate = options.recorded().rate;
        let parts = Parts::default();
        let handed_over = Instant::now();
        let mut worker = Self { recording, parts, rate, handed_over, left_out: None, problem: None };
        loop {
            worker.step();
            loop {
                let goes_on = match requests.try_recv() {
                    Ok(request) => worker.answer(request),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => false,
                };
                if !goes_on {
                    return;
                }
            }
        }
    }

    fn step(&mut self) {
        self.leave_out_writer();
        if self.problem.is_some() {
            std::thread::sleep(STEP);
        } else {
            let outcome = self.recording.step(STEP);
            self.note(outcome);
        }
        let is_due = self.handed_over.elapsed() >= HAND_OVER_EVERY && registry::lock().stream.is_some();
        if is_due || self.recording.is_large() {
            self.take();
        }
    }

    /// Takes everything up to now.
    fn take_up_to_now(&mut self) {
        self.catch_up();
        self.take();
    }

    fn catch_up(&mut self) {
        self.leave_out_writer();
        if self.problem.is_none() {
            let outcome = self.recording.catch_up();
            self.note(outcome);
        }
    }

    /// The thread that writes a recording is told of before its samples are read: those come a round later.
    fn leave_out_writer(&mut self) {
        let writer = recording::writer();
        if writer != self.left_out {
            self.left_out = writer;
            writer.into_iter().for_each(|tid| self.recording.leave_out(tid));
        }
    }

    fn note(&mut self, outcome: Result<(), RecordError>) {
        if let Err(error) = outcome {
            self.recording.stop();
            self.problem = Some(error.to_string());
        }
    }

    /// Whether it goes on.
    fn answer(&mut self, request: Request) -> bool {
        match request {
            Request::Progress(answer) => {
                self.catch_up();
                let _ = answer.send(self.progress());
            }
            Request::Snapshot(answer) => {
                self.take_up_to_now();
                let _ = answer.send(self.parts.whole(self.remarks()));
            }
            Request::HandOver { is_end, answer } => {
                self.take_up_to_now();
                if is_end {
                    self.hand_over_remarks();
                }
                let _ = answer.send(());
            }
            Request::Stop(answer) => {
                self.finish();
                let _ = answer.send(self.parts.whole(self.remarks()));
                return false;
            }
            Request::End(answer) => {
                self.finish();
                let _ = answer.send(());
                return false;
            }
        }
        true
    }

    fn finish(&mut self) {
        self.leave_out_writer();
        self.recording.stop();
        self.take();
        self.hand_over_remarks();
    }

    /// Takes what is new, keeps it, and hands it to the recording under way.
    fn take(&mut self) {
        self.handed_over = Instant::now();
        let part = self.parts.add(self.recording.take());
        if let Some(stream) = &mut registry::lock().stream {
            stream.add_samples(part);
        }
    }

    fn hand_over_remarks(&self) {
        let mut part = Profile::default();
        // What was said before the recording began holds for it, too.
        self.remarks().into_iter().chain(self.parts.remarks()).for_each(|remark| part.warn(remark));
        if let Some(stream) = &mut registry::lock().stream {
            stream.add_samples(part);
        }
    }

    fn remarks(&self) -> Vec<Warning> {
        let mut remarks = self.recording.remarks();
        remarks.extend(self.problem.as_ref().map(|problem| {
            Warning::new("sampling_failed", format!("sampling ended early because reading failed: {problem}"))
        }));
        remarks
    }

    fn progress(&self) -> Progress {
        let progress = self.recording.progress();
        Progress {
            source: match self.recording.source() {
                calor_record::Source::PerfEvents => Source::PerfEvents,
                _ => Source::Timers,
            },
            elapsed: progress.elapsed,
            cpu: Duration::from_nanos(self.recording.cpu_nanos()),
            samples: progress.samples,
            lost: progress.lost,
            threads: progress.threads,
            rate_asked: self.rate,
        }
    }
}
