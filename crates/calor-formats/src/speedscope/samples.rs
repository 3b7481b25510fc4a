//! Profiles of samples: stacks and a weight for each.

use calor_model::{FrameId, HeapKey, LabelTable, Profile, StackId, ThreadId, Warning};

use super::document::{self, Samples};
use super::reader::{Unit, frame, scaled};
use crate::{Error, Metric, Place, imported};

/// Hands every stack, its value and how often it was met to `add`; the latter where a file of ours tells it.
pub(super) fn read(
    profile: &mut Profile,
    one: &document::Profile<'_>,
    samples: &Samples,
    frames: &[FrameId],
    unit: Unit,
    mut add: impl FnMut(&mut Profile, StackId, u64, Option<u64>),
) -> Result<(), Error> {
    let weights = one.weights.as_deref().unwrap_or(&[]);
    let counts = one.counts.as_deref().unwrap_or(&[]);
    let (mut n_unweighted, mut n_negative) = (0, 0);
    // Samples follow each other with much in common: what they share is not looked up again.
    let mut before: Vec<(u32, StackId)> = Vec::new();
    for (index, path) in samples.iter().enumerate() {
        let place = Place::Entry { list: "samples", index: index as u64 };
        let same = before.iter().zip(path).take_while(|((number, _), other)| number == *other).count();
        before.truncate(same);
        for &number in &path[same..] {
            let parent = before.last().map(|&(_, stack)| stack);
            before.push((number, profile.stacks.intern(parent, frame(frames, number, place)?)));
        }
        let weight = weights.get(index).copied();
        n_unweighted += u64::from(weight.is_none());
        if weight.is_some_and(|weight| weight < 0.0) {
            n_negative += 1;
            continue;
        }
        let value = scaled(weight.unwrap_or(1.0), unit.scale());
        // A sample without a stack is idle time.
        if let Some(&(_, stack)) = before.last() {
            add(profile, stack, value, counts.get(index).copied());
        }
    }
    if n_unweighted > 0 {
        let message = "a sample has no weight and was counted as one";
        profile.warn(Warning::counted("weight_missing", message, n_unweighted));
    }
    if n_negative > 0 {
        let message = "a sample has a weight below zero and was left out";
        profile.warn(Warning::counted("weight_left_out", message, n_negative));
    }
    Ok(())
}

/// Adds a self value to where its unit belongs.
pub(super) fn add(
    profile: &mut Profile,
    unit: Unit,
    metric: Option<Metric>,
    stack: StackId,
    thread: ThreadId,
    value: u64,
    count: Option<u64>,
) {
    let metric = match (unit, metric) {
        (Unit::Bytes, Some(metric)) if metric.unit() == "bytes" => metric,
        (Unit::Bytes, _) => Metric::Allocated,
        (_, Some(metric)) if metric.unit() == "ns" => metric,
        _ => Metric::Cpu,
    };
    // Without a unit, weights are numbers of samples.
    let count = count.unwrap_or(if unit == Unit::None { value } else { 1 });
    imported::add_weight(
        profile,
        metric,
        HeapKey { stack, thread, labels: LabelTable::none() },
        value,
        count,
    );
}
