//! Profiles of samples: stacks and a weight for each.

use calor_model::{
    FrameId, HeapKey, HeapMode, HeapSite, HeapSummary, LabelTable, Profile, SampleKey, SampleKind,
    SampleWeight, StackId, ThreadId, Warning,
};

use super::document::{self, Samples};
use super::reader::{Unit, frame, scaled};
use crate::{Error, Place};

/// Hands every stack and its value to `add`.
pub(super) fn read(
    profile: &mut Profile,
    one: &document::Profile<'_>,
    samples: &Samples,
    frames: &[FrameId],
    unit: Unit,
    mut add: impl FnMut(&mut Profile, StackId, u64),
) -> Result<(), Error> {
    let weights = one.weights.as_deref().unwrap_or(&[]);
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
            add(profile, stack, value);
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
    kind: SampleKind,
    stack: StackId,
    thread: ThreadId,
    value: u64,
) {
    let labels = LabelTable::none();
    if unit == Unit::Bytes {
        let site = HeapSite { allocated_bytes: value, allocated_count: 1, ..HeapSite::default() };
        profile.heap.add(HeapKey { stack, thread, labels }, &site);
        profile.heap.summary.get_or_insert(HeapSummary {
            mode: HeapMode::Sampled,
            peak_bytes: 0,
            peak_at_nanos: None,
        });
        return;
    }
    // Without a unit, weights are numbers of samples.
    let count = if unit == Unit::None { value } else { 1 };
    let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count, nanos: value });
}
