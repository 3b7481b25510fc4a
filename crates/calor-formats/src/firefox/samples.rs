//! The samples of a thread: call paths with weights, in order of time.

use std::collections::HashMap;

use calor_model::{Profile, SampleKind, StackId, ThreadId};
use serde::Serialize;

use super::millis;
use super::tables::Tables;
use crate::{Metric, Weights};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Samples {
    length: usize,
    weight_type: &'static str,
    stack: Vec<usize>,
    /// Milliseconds from the sample before.
    time_deltas: Vec<f64>,
    weight: Vec<Number>,
}

/// Time in milliseconds, or bytes, which have no fraction.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Number {
    Millis(f64),
    Bytes(u64),
}

/// One sample before it is a row of columns.
struct Sample {
    at_nanos: u64,
    stack: StackId,
    value: u64,
}

/// The samples of a thread, and whether their times mean something.
pub(super) fn columns<'w>(
    profile: &Profile,
    weights: &'w Weights<'w>,
    thread: Option<ThreadId>,
    tables: &mut Tables<'w>,
) -> (Samples, bool) {
    let (mut samples, is_timed) =
        match thread.and_then(|thread| at_their_times(profile, weights.metric, thread)) {
            Some(samples) => (samples, true),
            None => from_weights(profile, weights, thread),
        };
    samples.sort_by_key(|sample| sample.at_nanos);
    let mut before = 0;
    let is_bytes = weights.metric.unit() == "bytes";
    let columns =
        Samples {
            length: samples.len(),
            weight_type: if is_bytes { "bytes" } else { "tracing-ms" },
            stack: samples.iter().map(|sample| tables.stack(sample.stack)).collect(),
            time_deltas: samples
                .iter()
                .map(|sample| millis(sample.at_nanos - std::mem::replace(&mut before, sample.at_nanos)))
                .collect(),
            weight: samples
                .iter()
                .map(|sample| {
                    if is_bytes { Number::Bytes(sample.value) } else { Number::Millis(millis(sample.value)) }
                })
                .collect(),
        };
    (columns, is_timed)
}

/// The samples of a thread if the metric is of samples and every one carries its time.
fn at_their_times(profile: &Profile, metric: Metric, thread: ThreadId) -> Option<Vec<Sample>> {
    let has_wall = || profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall);
    let wanted: &[SampleKind] = match metric {
        Metric::Cpu => &[SampleKind::Cpu],
        Metric::OffCpu => &[SampleKind::OffCpu],
        Metric::Wall if has_wall() => &[SampleKind::Wall],
        Metric::Wall => &[SampleKind::Cpu, SampleKind::OffCpu],
        _ => return None,
    };
    let rows = profile.samples.iter().filter(|(key, _)| key.thread == thread && wanted.contains(&key.kind));
    rows.map(|(key, weight)| Some(Sample { at_nanos: key.at_nanos?, stack: key.stack, value: weight.nanos }))
        .collect()
}

/// The weights of a thread: each where its call path first ran, if the timeline shows that, or else one behind the
/// other.
fn from_weights(profile: &Profile, weights: &Weights<'_>, thread: Option<ThreadId>) -> (Vec<Sample>, bool) {
    let rows = weights.rows.iter().filter(|row| row.thread == thread && row.value > 0);
    let spans =
        thread.and_then(|thread| profile.timeline.track(thread)).map_or(&[][..], |track| &track.spans);
    let mut first: HashMap<StackId, u64> = HashMap::new();
    for span in spans {
        let start = first.entry(span.stack).or_insert(u64::MAX);
        *start = span.start_nanos.min(*start);
    }
    let mut behind = 0_u64;
    let samples = rows.map(|row| {
        let at_nanos = if spans.is_empty() { behind } else { first.get(&row.stack).copied().unwrap_or(0) };
        behind = behind.saturating_add(row.value);
        Sample { at_nanos, stack: row.stack, value: row.value }
    });
    (samples.collect(), !spans.is_empty())
}
