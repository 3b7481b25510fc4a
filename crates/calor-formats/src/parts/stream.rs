//! What becomes of parts that do not fit: decided once, for all sinks.

use std::io;
use std::time::Duration;

use calor_model::Profile;

use super::{Part, PartSink, Refused, Window};

/// How long, and how often, the end waits for a sink that has no room only now: a second in all.
const END_WAIT: Duration = Duration::from_millis(5);
const END_WAITS: u32 = 200;

/// A recording on its way to a sink.
///
/// What the sink refuses is not lost: statistics add up in bounded space, wait here and go with the next part. Spans would grow
/// without bound; they are dropped, and a warning of the profile counts each of them once.
#[derive(Debug)]
pub struct PartStream<S> {
    sink: S,
    waiting: Option<Box<Part>>,
    /// When the last part ended.
    last_end: Option<u64>,
}

impl<S: PartSink> PartStream<S> {
    /// A recording for a sink.
    #[must_use]
    pub fn new(sink: S) -> Self {
        Self { sink, waiting: None, last_end: None }
    }

    /// Hands on what happened since the last time, with whatever waits.
    ///
    /// # Errors
    /// When the sink refuses; all but spans is then kept for the next time.
    pub fn add(&mut self, profile: Profile) -> io::Result<()> {
        let mut part = Part { window: self.next_window(&profile), profile };
        if let Some(mut waiting) = self.waiting.take() {
            waiting.profile.merge(&part.profile);
            waiting.window = waiting.window.with(part.window);
            part = *waiting;
        }
        self.offer(part)
    }

    /// Hands on what waits, and ends the recording. A sink that has no room only now is given a second.
    ///
    /// # Errors
    /// When something still waits, or the sink cannot end.
    pub fn end(&mut self) -> io::Result<()> {
        let mut outcome = Ok(());
        for n_waits in 0..=END_WAITS {
            let Some(part) = self.waiting.take() else { break };
            outcome = self.offer(*part);
            if !outcome.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
                break;
            }
            if n_waits < END_WAITS {
                std::thread::sleep(END_WAIT);
            }
        }
        let ended = self.sink.end();
        outcome.and(ended)
    }

    /// What the sink has not taken.
    #[must_use]
    pub fn waiting(&self) -> Option<&Profile> {
        self.waiting.as_deref().map(|part| &part.profile)
    }

    /// The sink.
    #[must_use]
    pub fn sink(&self) -> &S {
        &self.sink
    }

    fn offer(&mut self, part: Part) -> io::Result<()> {
        self.sink.add(part).map_err(|Refused { mut part, cause }| {
            let message = "spans could not be written to the recording and are in the statistics only";
            part.drop_spans("spans_not_written", message);
            self.waiting = Some(part);
            cause
        })
    }

    /// From the end of the part before, or from the beginning of the recording, to as long as the runs say that it took.
    fn next_window(&mut self, profile: &Profile) -> Window {
        let starts = profile.runs.iter().map(|run| run.started_at_unix_nanos);
        let ends =
            profile.runs.iter().map(|run| run.started_at_unix_nanos.saturating_add(run.duration_nanos));
        let from = self.last_end.or_else(|| starts.min()).unwrap_or(0);
        let window = Window::new(from, ends.max().unwrap_or(from));
        self.last_end = Some(window.until_unix_nanos);
        window
    }
}
