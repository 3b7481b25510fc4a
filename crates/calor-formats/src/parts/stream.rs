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

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Run, RunId, ScopeKey, ScopeStats, Span};

    use super::super::channel;
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// What a recording adds in one second: a call, and a span for it.
    fn second(number: u64) -> Profile {
        let run = Run {
            id: RunId(1),
            started_at_unix_nanos: 100 * SECOND,
            duration_nanos: number * SECOND,
            ..Run::default()
        };
        let mut profile = Profile { runs: vec![run], ..Profile::default() };
        let thread = profile.intern_thread(1, 1, "main");
        let stack = profile.intern_named_path(&["step"], FrameKind::Scope).expect("a path has a frame");
        let labels = calor_model::LabelTable::none();
        let stats = ScopeStats { calls: 1, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        let span = Span { stack, start_nanos: number * SECOND, duration_nanos: 1 };
        profile.timeline.track_mut(thread).spans.push(span);
        profile
    }

    fn calls(profile: &Profile) -> u64 {
        profile.scopes.iter().map(|(_, stats)| stats.calls).sum()
    }

    #[test]
    fn what_finds_no_room_comes_later_without_its_spans_which_are_counted_once() {
        let (sink, parts) = channel(1);
        let mut stream = PartStream::new(sink);
        assert!(stream.add(second(1)).is_ok() && stream.waiting().is_none());
        for number in 2..=4 {
            let refused = stream.add(second(number)).expect_err("the first is still there");
            assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
        }
        assert_eq!(stream.waiting().map(calls), Some(3));
        let first = parts.recv().expect("it is there");
        assert_eq!((calls(&first.profile), first.profile.timeline.n_spans()), (1, 1));
        stream.add(second(5)).expect("there is room");
        drop(stream);
        let later = parts.recv().expect("it is there");
        assert_eq!((calls(&later.profile), later.profile.timeline.n_spans()), (4, 1));
        let [warning] = &later.profile.warnings[..] else { panic!("{:?}", later.profile.warnings) };
        assert_eq!((warning.code.as_str(), warning.count), ("spans_not_written", Some(3)));
        assert_eq!(first.window, Window::new(100 * SECOND, 101 * SECOND));
        assert_eq!(later.window, Window::new(101 * SECOND, 105 * SECOND), "windows follow on each other");
        assert!(parts.recv().is_err(), "nothing comes after the end");
    }

    #[test]
    fn the_end_waits_for_a_receiver_that_is_slow_and_not_for_one_that_is_gone() {
        let (sink, parts) = channel(1);
        let mut stream = PartStream::new(sink);
        stream.add(second(1)).expect("there is room");
        stream.add(second(2)).expect_err("there is none");
        let receiver = std::thread::spawn(move || parts.iter().map(|part| calls(&part.profile)).sum::<u64>());
        stream.end().expect("somebody takes it");
        assert_eq!(receiver.join().expect("it does not panic"), 2);

        let (sink, parts) = channel(1);
        let mut stream = PartStream::new(sink);
        drop(parts);
        let gone = stream.add(second(1)).expect_err("nobody is there");
        assert_eq!(gone.kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(stream.end().expect_err("nobody is there").kind(), io::ErrorKind::BrokenPipe);
    }
}
