//! A profile to a document of speedscope.

use std::borrow::Cow;
use std::io::{BufWriter, Write};

use calor_model::{Profile, StackId, ThreadId, Timeline};

use super::document::{self, Document, Event, EventKind, Samples, Shared};
use super::{EXPORTER, SCHEMA};
use crate::{Error, Metric, WriteOptions, weights};

/// Writes one metric by thread; for scopes with a timeline, the timeline as well.
///
/// # Errors
/// When the profile does not have the metric that was asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let metric = Metric::choose(options.metric, profile)?;
    let weights = weights(profile, metric);
    let frames = weights.frames.iter().map(|(_, frame)| document::Frame {
        name: weights.strings.get(frame.name).into(),
        file: frame.file.map(|file| weights.strings.get(file).into()),
        line: frame.line.map(f64::from),
    });
    let mut profiles = Vec::new();
    if metric == Metric::Scopes {
        profiles.extend(evented(profile));
    }
    // Those that only count weigh nothing in a picture, and tell the next reader how often.
    let mut rows: Vec<_> = weights.rows.iter().collect();
    // Sorted by path within each thread, so that neighbours are drawn as one.
    rows.sort_by_cached_key(|row| (row.thread, weights.stacks.path(row.stack)));
    for rows in rows.chunk_by(|a, b| a.thread == b.thread) {
        let mut samples = Samples::default();
        for row in rows {
            samples.push(numbers(weights.stacks.path(row.stack)));
        }
        let total = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.value));
        profiles.push(document::Profile {
            kind: "sampled".into(),
            name: rows[0].thread.map_or(Cow::Borrowed("GPU"), |thread| name(profile, thread)),
            unit: if metric.unit() == "bytes" { "bytes".into() } else { "nanoseconds".into() },
            start_value: 0.0,
            end_value: total as f64,
            events: None,
            samples: Some(samples),
            weights: Some(rows.iter().map(|row| row.value as f64).collect()),
            counts: Some(rows.iter().map(|row| row.count).collect()),
        });
    }
    let document = Document {
        schema: SCHEMA.into(),
        shared: Shared { frames: frames.collect() },
        profiles,
        name: profile.runs.first().and_then(|run| run.command.as_deref()).map(Cow::Borrowed),
        exporter: Some(format!("{EXPORTER}{} {metric}", env!("CARGO_PKG_VERSION")).into()),
    };
    let mut out = BufWriter::new(out);
    serde_json::to_writer(&mut out, &document).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

fn numbers(path: Vec<calor_model::FrameId>) -> impl Iterator<Item = u32> {
    path.into_iter().map(|frame| frame.index() as u32)
}

fn name(profile: &Profile, thread: ThreadId) -> Cow<'_, str> {
    let thread = profile.threads.get(thread);
    match (profile.strings.get(thread.name), thread.tid) {
        (name, 0) if !name.is_empty() => Cow::Borrowed(name),
        ("", tid) => Cow::Owned(format!("thread {tid}")),
        (name, tid) => Cow::Owned(format!("{name} ({tid})")),
    }
}

/// The timeline as events that begin and end in turn, as the format asks: what reaches beyond the scope around it,
/// as clocks of different processors can make it, ends with that scope.
fn evented(profile: &Profile) -> Vec<document::Profile<'_>> {
    let mut timeline: Timeline = profile.timeline.clone();
    timeline.sort();
    let mut profiles = Vec::new();
    for (thread, track) in timeline.iter().filter(|(_, track)| !track.spans.is_empty()) {
        let mut events = Events { profile, list: Vec::new(), open: Vec::new(), now: 0 };
        for span in &track.spans {
            events.open(span.start_nanos, span.start_nanos.saturating_add(span.duration_nanos), span.stack);
        }
        events.close_all();
        let end = events.list.last().map_or(0.0, |event| event.at);
        profiles.push(document::Profile {
            kind: "evented".into(),
            name: name(profile, thread),
            unit: "nanoseconds".into(),
            start_value: 0.0,
            end_value: end,
            events: Some(events.list),
            samples: None,
            weights: None,
            counts: None,
        });
    }
    profiles
}

struct Events<'a> {
    profile: &'a Profile,
    list: Vec<Event>,
    /// The path that is open, outermost first, and when each of it ends.
    open: Vec<(StackId, u64)>,
    now: u64,
}

impl Events<'_> {
    /// Begins a span. Callers that have no span of their own begin and end with it.
    fn open(&mut self, start: u64, end: u64, stack: StackId) {
        let parents = std::iter::successors(Some(stack), |&at| self.profile.stacks.get(at).parent);
        let mut path: Vec<StackId> = parents.collect();
        path.reverse();
        let callers = &path[..path.len() - 1];
        let is_caller = |level: usize, open: StackId| callers.get(level) == Some(&open);
        while let Some(&(innermost, ends)) = self.open.last()
            && (ends < start || !is_caller(self.open.len() - 1, innermost))
        {
            self.close_innermost(start.min(ends));
        }
        let end = self.open.last().map_or(end, |&(_, outer)| end.min(outer)).max(start);
        for &level in &path[self.open.len()..] {
            self.push(EventKind::Open, start, level);
            self.open.push((level, end));
        }
    }

    fn close_innermost(&mut self, at: u64) {
        if let Some((innermost, _)) = self.open.pop() {
            self.push(EventKind::Close, at, innermost);
        }
    }

    fn close_all(&mut self) {
        while let Some(&(_, end)) = self.open.last() {
            self.close_innermost(end);
        }
    }

    fn push(&mut self, kind: EventKind, at: u64, stack: StackId) {
        self.now = self.now.max(at);
        let frame = self.profile.stacks.get(stack).frame.index() as u32;
        self.list.push(Event { kind, at: self.now as f64, frame });
    }
}
