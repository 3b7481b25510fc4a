//! Writes a profile as a trace, event by event: nothing larger than one thread's spans is held in memory.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{BufWriter, Write};

use calor_model::{FrameKind, Profile, Span, Track};

use super::event_writer::EventWriter;
use super::lanes::{Lane, Lanes};
use super::layout::{self, Tables};
use super::{counter_events, gpu_lanes};
use crate::{Error, Metric, WriteOptions, weights};

/// Writes a profile in the object form, with one event for each span, mark and point of a counter.
///
/// Threads that have statistics and no timeline, or only samples, are laid out without regard to time, and so are
/// all threads when a metric is asked for that has no timeline; the names of such threads say so. What Chrome's
/// format has no place for is left out: labels, allocations, statistics of threads that have a timeline.
///
/// # Errors
/// When the profile does not have the metric that is asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let asked_for = options.metric.map(|metric| Metric::choose(Some(metric), profile)).transpose()?;
    let lanes = Lanes::new(profile);
    let mut events = EventWriter::start(BufWriter::new(out), profile)?;
    lanes.write_process_names(profile, &mut events)?;
    match asked_for {
        None | Some(Metric::Scopes) => write_threads(profile, &lanes, &mut events)?,
        Some(Metric::Gpu) => {}
        Some(metric) => {
            let weights = weights(profile, metric);
            for (thread, layout) in layout::of_weights(&weights) {
                let name = lanes.name(profile, thread);
                layout.write(Tables::of_weights(&weights), lanes.of(thread), name, &mut events)?;
            }
        }
    }
    let is_on_timeline = asked_for.is_none() && has_gpu_spans(profile);
    if matches!(asked_for, None | Some(Metric::Gpu)) && !is_on_timeline {
        gpu_lanes::write(profile, &lanes, &mut events)?;
    }
    counter_events::write(profile, &lanes, &mut events)?;
    events.finish()
}

fn write_threads<W: Write>(
    profile: &Profile,
    lanes: &Lanes,
    events: &mut EventWriter<'_, W>,
) -> Result<(), Error> {
    let mut of_scopes = layout::of_scopes(profile);
    let weights = layout::sample_metric(profile).map(|metric| weights(profile, metric));
    let mut of_samples = weights.as_ref().map(layout::of_weights).unwrap_or_default();
    let nothing = Track::default();
    for (thread, _) in profile.threads.iter() {
        let (lane, name) = (lanes.of(thread), lanes.name(profile, thread));
        let track = profile.timeline.track(thread).unwrap_or(&nothing);
        let (scopes, samples) = (of_scopes.remove(&thread), of_samples.remove(&thread));
        match (scopes, samples, &weights) {
            _ if !track.spans.is_empty() => {
                events.thread_name(lane, name)?;
                write_spans(&track.spans, lane, events)?;
            }
            (Some(scopes), _, _) => scopes.write(Tables::of(profile), lane, name, events)?,
            (None, Some(samples), Some(weights)) => {
                samples.write(Tables::of_weights(weights), lane, name, events)?;
            }
            _ => events.thread_name(lane, name)?,
        }
        for mark in &track.marks {
            events.mark(lane, mark)?;
        }
    }
    Ok(())
}

fn write_spans<W: Write>(spans: &[Span], lane: Lane, events: &mut EventWriter<'_, W>) -> Result<(), Error> {
    // A caller before its callees, as viewers want it.
    let order = |span: &Span| (span.start_nanos, Reverse(span.duration_nanos), span.stack);
    let mut in_order = Cow::Borrowed(spans);
    if !spans.is_sorted_by_key(order) {
        in_order.to_mut().sort_by_key(order);
    }
    in_order.iter().try_for_each(|span| events.span(lane, span))
}

/// Whether the timeline itself shows what ran on GPUs.
fn has_gpu_spans(profile: &Profile) -> bool {
    let kind = |span: &Span| profile.frames.get(profile.stacks.get(span.stack).frame).kind;
    profile.timeline.iter().any(|(_, track)| track.spans.iter().any(|span| kind(span) == FrameKind::Gpu))
}
