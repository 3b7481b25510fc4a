//! Takes the parts of a trace as they come, and makes the profile when all are there: only then the first and the
//! last time are known, and which event is inside which.

use calor_model::{FrameKind, HeapKey, LabelTable, Mark, Profile, Run, ScopeKey, Span, StringId};

use super::document::Sink;
use super::event::Event;
use super::extra::Extras;
use super::frames::Frames;
use super::nesting::{Misfits, Nesting};
use super::number::{self, nanos, picos};
use super::origin::Origin;
use super::record::Record;
use super::series::Series;
use super::skipped::Skipped;
use super::text::{entries, entry, text};
use super::threads::{Place, Threads};
use crate::imported;

/// How many bytes of one detail of a mark are kept.
const MAX_DETAIL_BYTES: usize = 4096;

/// All that was met so far.
#[derive(Default)]
pub(super) struct Trace<'a> {
    profile: Profile,
    threads: Threads<'a>,
    frames: Frames<'a>,
    extras: Extras,
    series: Series<'a>,
    marks: Vec<PendingMark>,
    skipped: Skipped,
    origin: Origin,
}

/// A mark whose time still counts by the clock of the trace.
struct PendingMark {
    place: Place,
    at: i64,
    name: StringId,
    details: Vec<(StringId, StringId)>,
}

impl<'a> Sink<'a> for Trace<'a> {
    fn event(&mut self, event: Option<Event<'a>>) {
        let Some(event) = event else { return self.skipped.malformed += 1 };
        let taken = match text(event.phase).as_bytes() {
            b"X" => self.whole(&event),
            b"B" => self.begin(&event),
            b"E" => self.end(&event),
            b"I" | b"i" | b"R" => self.mark(&event),
            b"C" => self.counter(&event),
            b"M" => self.metadata(&event),
            phase => {
                self.skipped.count(phase);
                Some(())
            }
        };
        if taken.is_none() {
            self.skipped.malformed += 1;
        }
    }

    fn property(&mut self, name: &str, raw: &'a str) {
        self.origin.property(name, raw);
    }
}

impl<'a> Trace<'a> {
    fn whole(&mut self, event: &Event<'a>) -> Option<()> {
        let start = picos(event.ts)?;
        // An event without a length was cut short by its tracer and has none.
        let length = if event.dur.is_empty() { 0 } else { picos(event.dur)? };
        if length < 0 {
            return None;
        }
        // The sum is rounded, not the length: an inner call then never ends after the outer one.
        let (at, end) = (nanos(start), nanos(start + length));
        self.origin.meet(at, end);
        if is_whole_recording(event) {
            return Some(());
        }
        let frame = self.frames.intern(event, &mut self.profile);
        let extra = self.extras.keep(event, (at, end), &mut self.profile);
        let place = self.threads.place(event.pid, event.tid);
        self.threads.lane_mut(place).records.push(Record::whole(at, end, frame, extra));
        Some(())
    }

    fn begin(&mut self, event: &Event<'a>) -> Option<()> {
        let at = self.time(event)?;
        let frame = self.frames.intern(event, &mut self.profile);
        let place = self.threads.place(event.pid, event.tid);
        self.threads.lane_mut(place).records.push(Record::begin(at, frame));
        Some(())
    }

    fn end(&mut self, event: &Event<'a>) -> Option<()> {
        let at = self.time(event)?;
        let is_named = !matches!(event.name, "" | "\"\"" | "null");
        let frame = is_named.then(|| self.frames.intern(event, &mut self.profile));
        let place = self.threads.place(event.pid, event.tid);
        self.threads.lane_mut(place).records.push(Record::end(at, frame));
        Some(())
    }

    fn mark(&mut self, event: &Event<'a>) -> Option<()> {
        let at = self.time(event)?;
        let strings = &mut self.profile.strings;
        let name = strings.intern(&text(event.name));
        let details = entries(event.args)
            .into_iter()
            .map(|(key, value)| (strings.intern(&key), strings.intern(beginning(&text(value)))));
        let details = details.collect();
        let place = self.threads.place(event.pid, event.tid);
        self.marks.push(PendingMark { place, at, name, details });
        Some(())
    }

    fn counter(&mut self, event: &Event<'a>) -> Option<()> {
        let at = self.time(event)?;
        self.skipped.values += self.series.add(event, at);
        Some(())
    }

    fn metadata(&mut self, event: &Event<'a>) -> Option<()> {
        let place = |threads: &mut Threads<'a>| threads.place(event.pid, event.tid);
        match &*text(event.name) {
            "thread_name" => {
                let name = text(entry(event.args, "name")?);
                let place = place(&mut self.threads);
                self.threads.lane_mut(place).name = Some(name);
            }
            "thread_sort_index" => {
                let sort_index = number::float(entry(event.args, "sort_index")?)?;
                let place = place(&mut self.threads);
                self.threads.lane_mut(place).sort_index = Some(sort_index);
            }
            "process_name" => self.origin.process_name(&text(event.pid), &text(entry(event.args, "name")?)),
            _ => {}
        }
        Some(())
    }

    fn time(&mut self, event: &Event<'a>) -> Option<i64> {
        let at = nanos(picos(event.ts)?);
        self.origin.meet(at, at);
        Some(at)
    }

    /// The profile of all that was met, and its run.
    pub(super) fn finish(self) -> (Profile, Run) {
        let Self { mut profile, threads, mut extras, series, marks, skipped, origin, .. } = self;
        let start = origin.start();
        let mut misfits = Misfits::default();
        let mut handles = Vec::new();
        for (thread, records) in threads.finish(&mut profile) {
            handles.push(thread);
            if records.is_empty() {
                continue;
            }
            let mut totals = Vec::new();
            let nesting = Nesting::new(&profile.frames, &mut profile.stacks, &mut misfits, start);
            let spans = nesting.spans(records, origin.end(), |row, stack| {
                extras.tell(row, stack);
                if extras.is_totals(row) {
                    totals.push((row, stack));
                }
            });
            if totals.is_empty() {
                add_scopes(&mut profile, thread, &spans);
                let track = &mut profile.timeline.track_mut(thread).spans;
                // Most threads are alone on their track: then nothing is copied.
                if track.is_empty() {
                    *track = spans;
                } else {
                    track.extend(spans);
                }
                continue;
            }
            for (row, stack) in totals {
                let labels = LabelTable::none();
                if let Some(stats) = extras.totals(row) {
                    profile.scopes.add(ScopeKey { stack, thread, labels }, stats.clone());
                } else if let Some((metric, count, own)) = extras.weight(row) {
                    imported::add_weight(&mut profile, metric, HeapKey { stack, thread, labels }, own, count);
                }
            }
        }
        for PendingMark { place, at, name, details } in marks {
            let at_nanos = at.saturating_sub(start).max(0) as u64;
            let Some(&thread) = handles.get(place) else { continue };
            profile.timeline.track_mut(thread).marks.push(Mark { at_nanos, name, details });
        }
        extras.add_gpu_work(&mut profile);
        series.finish(start, &mut profile);
        extras.add_gpu_use(start, &mut profile);
        skipped.warn(&mut profile);
        misfits.warn(&mut profile);
        (profile, origin.run())
    }
}

/// Whether an event is the span that PyTorch's profiler writes for its whole recording, beside the threads of the program. It
/// would count as a thread that worked all the time, and halve everybody's share.
fn is_whole_recording(event: &Event<'_>) -> bool {
    text(event.category) == "Trace" && text(event.pid) == "Spans"
}

/// As much of a detail as is kept.
fn beginning(detail: &str) -> &str {
    let mut end = detail.len().min(MAX_DETAIL_BYTES);
    while !detail.is_char_boundary(end) {
        end -= 1;
    }
    &detail[..end]
}

/// Counts the spans of a thread as calls of their scopes. What ran on a GPU is told by the GPU's own table.
fn add_scopes(profile: &mut Profile, thread: calor_model::ThreadId, spans: &[Span]) {
    for span in spans {
        if profile.frames.get(profile.stacks.get(span.stack).frame).kind == FrameKind::Gpu {
            continue;
        }
        let key = ScopeKey { stack: span.stack, thread, labels: LabelTable::none() };
        let row = profile.scopes.row_mut(key);
        row.calls += 1;
        row.timed.record(span.duration_nanos);
        row.total_nanos = row.total_nanos.saturating_add(span.duration_nanos);
    }
}
