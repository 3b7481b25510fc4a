//! The same profile with everything in one order that follows from its content alone, so that two profiles can be
//! said to be equal, and equal profiles are written as equal files.

use crate::transfer::Transfer;
use crate::{FrameId, LabelSetId, Profile, StackId, StringId, ThreadId};

impl Profile {
    /// The same content in an order that does not depend on how it was recorded or merged: strings, places, call
    /// paths, threads and labels are sorted by what they say, rows by what they are about, spans, marks and points
    /// by time. What no row speaks of is left out.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let used = self.compact();
        // Handles of the empty profile are given out in sorted order, so later sorts can compare handles.
        let mut sorted = Self::default();
        let mut transfer = Transfer::new(&used, &mut sorted, &used.stacks, None);
        for id in sorted_strings(&used) {
            transfer.string(id);
        }
        for id in sorted_frames(&used) {
            transfer.frame(id);
        }
        for id in sorted_stacks(&used, &mut transfer) {
            transfer.stack(id);
        }
        for id in sorted_threads(&used) {
            transfer.thread(id);
        }
        for id in sorted_labels(&used) {
            transfer.labels(id);
        }
        sorted.merge(&used);
        sorted.scopes.sort();
        sorted.timeline.sort();
        sorted.timeline.sort_tracks();
        for thread in (0..sorted.threads.len()).map(ThreadId::from_index) {
            if sorted.timeline.track(thread).is_some() {
                sorted
                    .timeline
                    .track_mut(thread)
                    .marks
                    .iter_mut()
                    .for_each(|mark| mark.details.sort_unstable());
            }
        }
        sorted.samples.sort();
        sorted.code.sort();
        sorted.events.sort();
        sorted.heap.sort();
        sorted.gpu.sort();
        sorted.counters.sort();
        sorted.counters.sort_series();
        sorted
    }
}

fn sorted_strings(profile: &Profile) -> Vec<StringId> {
    let mut ids: Vec<_> = profile.strings.iter().collect();
    ids.sort_unstable_by_key(|&(_, text)| text);
    ids.into_iter().map(|(id, _)| id).collect()
}

fn sorted_frames(profile: &Profile) -> Vec<FrameId> {
    let text = |id: StringId| profile.strings.get(id);
    let mut ids: Vec<_> = profile.frames.iter().collect();
    ids.sort_unstable_by_key(|(_, frame)| {
        let places = (frame.module.map(text), frame.file.map(text), frame.line);
        (text(frame.name), frame.kind, places, frame.is_inlined)
    });
    ids.into_iter().map(|(id, _)| id).collect()
}

/// Callers before callees: by depth, then by the caller's place, then by frame. Every frame is carried already.
fn sorted_stacks(profile: &Profile, transfer: &mut Transfer<'_>) -> Vec<StackId> {
    let mut levels: Vec<Vec<StackId>> = Vec::new();
    let mut depths: Vec<usize> = Vec::with_capacity(profile.stacks.len());
    for (id, stack) in profile.stacks.iter() {
        let depth = stack.parent.map_or(0, |parent| depths[parent.index()] + 1);
        depths.push(depth);
        if depth == levels.len() {
            levels.push(Vec::new());
        }
        levels[depth].push(id);
    }
    let mut places = vec![0_usize; profile.stacks.len()];
    let mut order = Vec::with_capacity(profile.stacks.len());
    for mut level in levels {
        level.sort_by_cached_key(|&id| {
            let stack = profile.stacks.get(id);
            (stack.parent.map(|parent| places[parent.index()]), transfer.frame(stack.frame))
        });
        for id in level {
            places[id.index()] = order.len();
            order.push(id);
        }
    }
    order
}

fn sorted_threads(profile: &Profile) -> Vec<ThreadId> {
    let mut ids: Vec<_> = profile.threads.iter().collect();
    ids.sort_unstable_by_key(|(_, thread)| (thread.pid, thread.tid, profile.strings.get(thread.name)));
    ids.into_iter().map(|(id, _)| id).collect()
}

fn sorted_labels(profile: &Profile) -> Vec<LabelSetId> {
    let text = |id: StringId| profile.strings.get(id);
    let mut ids: Vec<_> = profile
        .labels
        .iter()
        .map(|(id, set)| {
            let mut texts: Vec<_> = set.iter().map(|&(key, value)| (text(key), text(value))).collect();
            texts.sort_unstable();
            (texts, id)
        })
        .collect();
    ids.sort_unstable();
    ids.into_iter().map(|(_, id)| id).collect()
}
