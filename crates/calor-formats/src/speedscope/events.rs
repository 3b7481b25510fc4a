//! Profiles of events: what began and ended when. In time, they are scopes with a timeline; in bytes, the distance
//! from one event to the next is what the innermost open function allocated.

use calor_model::{FrameId, LabelTable, Profile, ScopeKey, Span, StackId, ThreadId, Warning};

use super::document::{self, Event, EventKind};
use super::reader::{Unit, frame, scaled};
use super::samples;
use crate::{Error, Place};

/// How deep calls are followed. Each event that is deeper makes a call path of its own, so a file of nothing but
/// beginnings would be written as paths that are as long as the file, as many as it has events.
const MAX_DEPTH: usize = 4096;

struct Open {
    number: u32,
    stack: StackId,
    since: f64,
}

pub(super) fn read(
    profile: &mut Profile,
    one: &document::Profile<'_>,
    events: &[Event],
    frames: &[FrameId],
    unit: Unit,
    thread: ThreadId,
) -> Result<(), Error> {
    let mut reader = Reader { profile, unit, thread, start: one.start_value, open: Vec::new() };
    let mut now = one.start_value;
    let (mut n_unordered, mut n_unopened, mut n_crossed, mut n_too_deep) = (0, 0, 0, 0);
    let mut n_open_beyond = 0_u64;
    for (index, event) in events.iter().enumerate() {
        let place = Place::Entry { list: "events", index: index as u64 };
        let frame = frame(frames, event.frame, place)?;
        if event.at < now {
            n_unordered += 1;
        }
        reader.pass(now, event.at.max(now));
        now = event.at.max(now);
        match event.kind {
            EventKind::Open if reader.open.len() == MAX_DEPTH => {
                n_open_beyond += 1;
                n_too_deep += 1;
            }
            EventKind::Close if n_open_beyond > 0 => n_open_beyond -= 1,
            EventKind::Open => {
                let parent = reader.open.last().map(|open| open.stack);
                let stack = reader.profile.stacks.intern(parent, frame);
                reader.open.push(Open { number: event.frame, stack, since: now });
            }
            EventKind::Close => {
                // Almost always the innermost; how far out is looked is bounded by the depth.
                let found = reader.open.iter().rev().position(|open| open.number == event.frame);
                match found {
                    Some(inside) => {
                        n_crossed += inside as u64;
                        (0..=inside).for_each(|_| reader.close(now));
                    }
                    None => n_unopened += 1,
                }
            }
        }
    }
    let end = one.end_value.max(now);
    reader.pass(now, end);
    let n_unclosed = reader.open.len() as u64;
    (0..n_unclosed).for_each(|_| reader.close(end));
    for (code, message, count) in [
        ("events_unordered", "an event is earlier than the one before it and was moved there", n_unordered),
        ("events_unopened", "an event ends what had not begun and was left out", n_unopened),
        ("events_crossed", "an event ends before what it called; both were ended there", n_crossed),
        ("events_too_deep", "an event is deeper than 4096 calls and counts for its caller", n_too_deep),
        (
            "events_unclosed",
            "something had not ended at the end of the profile and was ended there",
            n_unclosed,
        ),
    ] {
        if count > 0 {
            profile.warn(Warning::counted(code, message, count));
        }
    }
    Ok(())
}

struct Reader<'p> {
    profile: &'p mut Profile,
    unit: Unit,
    thread: ThreadId,
    start: f64,
    open: Vec<Open>,
}

impl Reader<'_> {
    /// Lets the value go on from `from` to `to`.
    fn pass(&mut self, from: f64, to: f64) {
        if self.unit == Unit::Bytes
            && to > from
            && let Some(open) = self.open.last()
        {
            let value = scaled(to - from, 1);
            samples::add(self.profile, self.unit, None, open.stack, self.thread, value, None);
        }
    }

    /// Ends the innermost open one.
    fn close(&mut self, at: f64) {
        let Some(open) = self.open.pop() else { return };
        if self.unit == Unit::Bytes {
            return;
        }
        // Ends are rounded rather than lengths, so that children do not reach beyond their parent.
        let start_nanos = scaled(open.since - self.start, self.unit.scale());
        let duration_nanos = scaled(at - self.start, self.unit.scale()).saturating_sub(start_nanos);
        let key = ScopeKey { stack: open.stack, thread: self.thread, labels: LabelTable::none() };
        let stats = self.profile.scopes.row_mut(key);
        stats.calls += 1;
        stats.timed.record(duration_nanos);
        stats.total_nanos = stats.total_nanos.saturating_add(duration_nanos);
        let span = Span { start_nanos, duration_nanos, stack: open.stack };
        self.profile.timeline.track_mut(self.thread).spans.push(span);
    }
}
