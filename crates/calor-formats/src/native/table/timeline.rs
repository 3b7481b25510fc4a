//! The timeline, track by track. Spans are written as distances in time, along their beginnings or along
//! their ends: a recorder writes a span when it ends, so one of the two orders is usually there already and
//! nothing has to be sorted.

use calor_model::{Mark, Profile, Span, Track};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a track, a span and a mark take at least.
const TRACK_BYTES: usize = 4;
const SPAN_BYTES: usize = 3;
const MARK_BYTES: usize = 3;

/// What the distances of a track's spans lie between.
mod order {
    pub(super) const BY_START: u8 = 0;
    pub(super) const BY_END: u8 = 1;
}

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let timeline = &encoder.profile.timeline;
    encoder.count(timeline.iter().len());
    for (thread, track) in timeline.iter() {
        encoder.threads("track thread", [thread]);
        encode_spans(encoder, &track.spans);
        encode_marks(encoder, &track.marks);
    }
}

fn encode_spans(encoder: &mut Encoder<'_>, spans: &[Span]) {
    encoder.count(spans.len());
    let end = |span: &Span| span.start_nanos.checked_add(span.duration_nanos);
    let ends_fit = || spans.iter().all(|span| end(span).is_some());
    if spans.is_sorted_by_key(|span| span.start_nanos) {
        encoder.byte(order::BY_START);
        encode_sorted(encoder, spans, |span| span.start_nanos);
    } else if spans.is_sorted_by_key(end) && ends_fit() {
        encoder.byte(order::BY_END);
        encode_sorted(encoder, spans, |span| span.start_nanos.wrapping_add(span.duration_nanos));
    } else {
        let mut sorted = spans.to_vec();
        sorted.sort_by_key(|span| span.start_nanos);
        encoder.byte(order::BY_START);
        encode_sorted(encoder, &sorted, |span| span.start_nanos);
    }
}

fn encode_sorted(encoder: &mut Encoder<'_>, spans: &[Span], time: impl Fn(&Span) -> u64) {
    let mut last = 0;
    for span in spans {
        encoder.varint(time(span) - last);
        last = time(span);
    }
    encoder.column(spans.iter().map(|span| span.duration_nanos));
    encoder.stacks("span stack", spans.iter().map(|span| span.stack));
}

fn encode_marks(encoder: &mut Encoder<'_>, marks: &[Mark]) {
    encoder.count(marks.len());
    encoder.deltas(marks.iter().map(|mark| mark.at_nanos));
    encoder.strings("mark name", marks.iter().map(|mark| mark.name));
    encoder.column(marks.iter().map(|mark| mark.details.len() as u64));
    for (key, value) in marks.iter().flat_map(|mark| &mark.details) {
        encoder.strings("mark detail", [*key, *value]);
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_tracks = decoder.count("tracks", TRACK_BYTES)?;
    for _ in 0..n_tracks {
        let thread = decoder.thread("track thread", profile)?;
        if profile.timeline.track(thread).is_some() {
            return Err(decoder.refuse(
                "tracks",
                "one track a thread",
                format!("thread {} again", thread.index()),
            ));
        }
        let spans = decode_spans(decoder, profile)?;
        let marks = decode_marks(decoder, profile)?;
        *profile.timeline.track_mut(thread) = Track { spans, marks };
    }
    Ok(())
}

fn decode_spans(decoder: &mut Decoder<'_>, profile: &Profile) -> Result<Vec<Span>, Error> {
    let n_rows = decoder.count("spans", SPAN_BYTES)?;
    let order = decoder.byte("order of spans")?;
    if order > order::BY_END {
        return Err(decoder.refuse("order of spans", "0 by start or 1 by end", order.to_string()));
    }
    let mut times = decoder.integers("span time", n_rows)?;
    let mut durations = decoder.integers("span durations", n_rows)?;
    let mut stacks = decoder.integers("span stack", n_rows)?;
    let n_stacks = profile.stacks.len();
    let (mut time, mut stack) = (0_u64, 0);
    let mut spans = Vec::with_capacity(n_rows);
    // All columns at once: a timeline can be most of a file.
    for _ in 0..n_rows {
        let distance = times.varint("span time")?;
        time = time
            .checked_add(distance)
            .ok_or_else(|| times.refuse("span time", "a time of 64 bits", format!("{time} + {distance}")))?;
        let duration_nanos = durations.varint("span durations")?;
        let start_nanos = if order == order::BY_END {
            time.checked_sub(duration_nanos).ok_or_else(|| {
                let found = format!("an end at {time} ns after {duration_nanos} ns");
                durations.refuse("span durations", "a span that begins after time 0", found)
            })?
        } else {
            time
        };
        let stack = stacks.stack_after("span stack", &mut stack, n_stacks)?;
        spans.push(Span { start_nanos, duration_nanos, stack });
    }
    Ok(spans)
}

fn decode_marks(decoder: &mut Decoder<'_>, profile: &Profile) -> Result<Vec<Mark>, Error> {
    let n_rows = decoder.count("marks", MARK_BYTES)?;
    let times = decoder.deltas("mark times", n_rows)?;
    let names = decoder.rows(n_rows, |decoder| decoder.string("mark name", profile))?;
    let lengths = decoder.rows(n_rows, |decoder| decoder.count("mark details", 2))?;
    let mut marks = Vec::with_capacity(n_rows);
    for ((at_nanos, name), length) in times.into_iter().zip(names).zip(lengths) {
        let detail = |decoder: &mut Decoder<'_>| {
            Ok((decoder.string("mark detail", profile)?, decoder.string("mark detail", profile)?))
        };
        let details = decoder.rows(length, detail)?;
        marks.push(Mark { at_nanos, name, details });
    }
    Ok(marks)
}
